"""The command group ``store``: create, migrate, pending, hold, release."""

from typing import Annotated, Any

import typer

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations.errors import Refused
from management import durations
from management.output import show, timestamp

commands = typer.Typer(help="The tables and queues themselves.", no_args_is_help=True)


@commands.command()
def create() -> None:
    """Create the tables, queues and bucket that are missing, as infra/template.yaml describes them.

    Use it for a service that runs without CloudFormation. Existing tables, queues and buckets do not change.
    """
    from chalicelib.store import client
    from management import template

    created = template.create_all(client.dynamodb(), client.sqs()) + template.create_bucket(client.s3())
    show({"items": [{"id": name, "state": "created"} for name in created]})


@commands.command()
def migrate(
    websites: Annotated[
        int, typer.Option(min=1, help="stop after this many websites; the next call continues")
    ] = 1_000_000,
) -> None:
    """Rewrite stored values of older formats in the formats of this release, website by website.

    It can run beside the workers. It can be interrupted at any time; run it again to continue. A release reads only its
    own formats and those of the release before, so finish this before you deploy the next release.
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


def _pending() -> list[dict[str, Any]]:
    from chalicelib.operations import pending as operations

    return [
        {
            "id": kind.name,
            "work": kind.label,
            "count": kind.count,
            "due": kind.due,
            "oldest": timestamp(kind.oldest),
        }
        for kind in operations.count(OPERATOR, clock.now())
    ]


@commands.command()
def pending() -> None:
    """Count the work that workers do as soon as they run: events, deliveries, notices, reports, audits, writes and
    other jobs. Changes nothing.

    Use this command before you release a store that was restored from a backup.
    """
    show({"items": _pending()})


@commands.command()
def hold() -> None:
    """Hold the workers: they begin no work until `store release`. Requests are still answered.

    Running work continues, so wait 16 minutes. After that, nothing more is sent. A store that is restored into another
    deployment is held automatically.
    """
    from chalicelib.operations import holding

    show({"id": "store", "state": "held", "since": timestamp(holding.hold(OPERATOR))})


@commands.command()
def release(
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop", metavar="KIND", help="a kind of waiting work to drop, so that it is never done (may be repeated)"
        ),
    ] = None,
    older: Annotated[
        str | None,
        typer.Option("--older", metavar="AGE", help="drop only work that is older than this, such as 2h or 1d"),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask for confirmation")] = False,
) -> None:
    """Release held workers: show the pending work, ask for confirmation, and let the workers do it.

    The work keeps its stored ids. ``--drop KIND`` ends all work of a kind instead of doing it. The kinds are: audit,
    deliveries, events, notices, preview, recheck, reports, write.
    """
    from chalicelib.operations import holding
    from chalicelib.operations import pending as operations

    age = _age(older) if older is not None else 0
    if older is not None and not drop:
        raise Refused("bad_option", "Name the kinds to drop: --older needs --drop.")
    holding.check_held(OPERATOR)
    operations.check_kinds(drop or ())
    found = _pending()
    if not yes:
        for one in found:
            option = f" (--drop {one['id']})" if one["id"] in operations.DROPPABLE else ""
            typer.echo(
                f"{one['work']}: {one['count']}, {one['due']} due at once, oldest {one['oldest']}{option}", err=True
            )
        typer.confirm(
            f"This drops {', '.join(operations.LABELS[kind] for kind in drop or ()) or 'nothing'} and starts all "
            "other work. Continue?",
            abort=True,
            err=True,
        )
    now = clock.now()
    dropped = operations.drop(OPERATOR, drop or (), now - age, now)
    holding.release(OPERATOR)
    show({"id": "store", "state": "released", "dropped": dropped, "pending": found})


def _age(text: str) -> int:
    seconds = durations.seconds(text)
    if seconds is None:
        raise Refused("bad_duration", f"{text[:100]!r} is not an age, such as 90s, 15m, 2h or 8d.")
    return seconds
