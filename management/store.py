"""``store``: create, migrate, pending."""

from typing import Annotated

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from management.output import show

commands = typer.Typer(help="The tables and queues themselves.", no_args_is_help=True)


@commands.command()
def create() -> None:
    """Create the tables, queues and bucket that are missing, as infra/template.yaml describes them.

    For a service that runs without CloudFormation. What exists does not change.
    """
    from chalicelib.store import client
    from management import template

    created = template.create_all(client.dynamodb(), client.sqs()) + template.create_bucket(client.s3())
    show({"items": [{"id": name, "state": "created"} for name in created]})


@commands.command()
def migrate(
    websites: Annotated[
        int, typer.Option(min=1, help="stop after so many websites; the next call goes on")
    ] = 1_000_000,
) -> None:
    """Rewrite stored values of older shapes in the shapes of this release, website by website.

    Safe beside running workers. It can be interrupted at any time: the next call resumes. A release reads its own
    shapes and those of the release before, so finish this before you deploy the next release.
    """
    from chalicelib.operations import migration
    from chalicelib.store.migrating import Progress

    def told(progress: Progress) -> None:
        if progress.websites % 100 == 0:
            typer.echo(f"{progress.websites} websites, {progress.rows.rewritten} rows rewritten", err=True)

    progress, done = migration.go_on(OPERATOR, websites, told)
    rows = progress.rows
    state = "done" if done else "under way"
    show(
        {
            "id": "store",
            "state": state,
            "websites": progress.websites,
            "rewritten": rows.rewritten,
            "left": rows.left,
        }
    )


@commands.command()
def pending() -> None:
    """Count what workers do as soon as they run: events, deliveries, audits, writes and other jobs. Changes nothing.

    For a store that was restored from a backup, before its workers are started.
    """
    from chalicelib import clock
    from chalicelib.operations import pending as operations

    found = operations.count(OPERATOR, clock.now())
    show({"items": [{"id": kind.name, "count": kind.count, "due": kind.due} for kind in found]})
