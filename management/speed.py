"""The command ``speed run``."""

from typing import Annotated

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from management import target
from management.arguments import Site
from management.output import show, timestamp

commands = typer.Typer(help="Speed tests.", no_args_is_help=True)


@commands.callback()
def _group() -> None:
    """Speed tests."""


@commands.command()
def run(
    site: Site,
    url: Annotated[str | None, typer.Option(help="test this page only, on a phone")] = None,
) -> None:
    """Make the website's weekly speed tests now, or test one page. Both count towards the day's budget of tests."""
    from chalicelib.operations import engines, speed

    job = speed.begin_tests(OPERATOR, site, url)
    show(
        {
            "id": job.id,
            "kind": job.kind,
            "siteId": site,
            "queued": True,
            "queuedAt": timestamp(job.queued_at),
            "note": target.note_on("speedTests", engines.missing_engine()),
        }
    )
