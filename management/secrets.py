"""The command ``secrets reencrypt``."""

from typing import Annotated

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from management.output import refuse, show

commands = typer.Typer(help="Secrets that the service stores encrypted.", no_args_is_help=True)


@commands.callback()
def _group() -> None:
    """Secrets that the service stores encrypted."""


@commands.command()
def reencrypt(
    older: Annotated[
        str | None,
        typer.Option(
            help="an earlier value of SECRETS_KEY (file:PATH, or a key of KMS), "
            "tried for secrets that the present key does not decrypt"
        ),
    ] = None,
    workspaces: Annotated[
        int, typer.Option(min=1, help="stop after this many workspaces; the next call continues")
    ] = 1_000_000,
) -> None:
    """Encrypt every stored secret again with the current key: the first line of a key file, or the key of KMS.

    It can run beside the workers. It can be interrupted at any time; run it again to continue. If some secrets could
    not be decrypted, they do not change, and the exit status is 2.
    """
    from chalicelib.operations import reencryption
    from chalicelib.store.reencryption import Progress

    def told(progress: Progress) -> None:
        if progress.workspaces % 100 == 0:
            typer.echo(f"{progress.workspaces} workspaces, {progress.reencrypted} secrets re-encrypted", err=True)

    progress, done, unreadable = reencryption.go_on(OPERATOR, workspaces, older=older, told=told)
    show(
        {
            "id": "secrets",
            "state": "done" if done else "under way",
            "workspaces": progress.workspaces,
            "reencrypted": progress.reencrypted,
            "current": progress.current,
            "unreadable": progress.unreadable,
            "unreadableSecrets": unreadable,
        }
    )
    if progress.unreadable:
        refuse(
            f"{progress.unreadable} secrets cannot be decrypted. Give the key that encrypted them with --older, or "
            "connect their systems again."
        )
        raise typer.Exit(2)
