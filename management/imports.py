"""The command ``imports run``."""

from typing import Annotated

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations.errors import Refused
from management import target
from management.arguments import Site
from management.output import show, timestamp

commands = typer.Typer(help="The imported data of a website.", no_args_is_help=True)

FIELD_DATA = "field-data"
SEARCH = "search"


@commands.callback()
def _group() -> None:
    """Imports of a website's data."""


@commands.command()
def run(
    site: Site,
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"{SEARCH} or {FIELD_DATA}")],
) -> None:
    """Start an import now, before its scheduled time. `connections list` shows the progress of an import of search
    data."""
    from chalicelib.operations import engines, sources, speed

    if kind not in (SEARCH, FIELD_DATA):
        raise Refused("bad_kind", f"{kind!r} is not a kind of import; the kinds are {SEARCH} and {FIELD_DATA}.")
    job = sources.run(OPERATOR, site, SEARCH) if kind == SEARCH else speed.begin_collecting(OPERATOR, site)
    note = target.note_on("fieldData", engines.missing_field_data()) if kind == FIELD_DATA else None
    queued = {"id": job.id, "queued": True, "lastError": job.error, "queuedAt": timestamp(job.queued_at)}
    show({**queued, "note": note})
