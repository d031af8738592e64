"""``gate``: decide whether an audit lets a pipeline continue."""

import re
from typing import Annotated, Final, Literal

import typer

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.domain.severity import Severity
from chalicelib.operations.errors import Refused
from management import output
from management.arguments import Site, identifier

Format = Literal["text", "json", "sarif", "junit", "markdown", "csv"]
STATUSES: Final = {"pass": 0, "fail": 1, "unclear": 2}
_SCORE: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9])?")


def _tenths(text: str) -> int:
    """A score in tenths, as it is stored. Raises ``Refused``: ``bad_score``."""
    if not _SCORE.fullmatch(text) or float(text) > 100:
        raise Refused("bad_score", f"{text[:100]!r} is not a number from 0 to 100 with at most one decimal.")
    return round(float(text) * 10)


def gate(
    site: Site,
    audit: Annotated[str | None, typer.Option(parser=identifier, help="the audit to judge (default: the last)")] = None,
    against: Annotated[
        str | None, typer.Option(parser=identifier, help="the audit to compare with (default: the one before)")
    ] = None,
    min_score: Annotated[int | None, typer.Option(parser=_tenths, metavar="N", help="fails below this score")] = None,
    no_new: Annotated[
        Severity | None, typer.Option(help="fails where something of this severity or above is new")
    ] = None,
    max_loss: Annotated[
        int | None, typer.Option(parser=_tenths, metavar="N", help="fails where the score lost more than this")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="the judgement, or the report of the audit")] = "text",
) -> None:
    """Judge an audit that has ended. Exit status 0: pass, 1: fail, 2: unclear. Without a condition
    `--no-new high` applies."""
    from chalicelib.api import gates
    from chalicelib.api.reports import formats
    from chalicelib.api.reports.findings import Report
    from chalicelib.domain.audit.gate import Asked
    from chalicelib.operations import gates as judging
    from chalicelib.operations import websites

    website = websites.existing(OPERATOR, site, "read")
    found = judging.existing(site, audit or judging.newest(site))
    judged = judging.judged(site, found, Asked(min_score, no_new, max_loss), against, now=clock.now())
    shown = gates.gate_of(site, judged, SCOPES)
    if form == "json" or output.uses_json():
        output.show_shape(shown)
    elif form == "text":
        typer.echo(gates.text(shown), nl=False)
    else:
        audit_kept, pages = judging.kept_with_pages(site, judged.audit_id)
        typer.echo(formats.text(Report(website.host, audit_kept, pages), form), nl=False)
    if shown.outcome == "unclear":
        output.refuse("The gate is unclear: " + " ".join(one.reason for one in shown.conditions))
    raise typer.Exit(STATUSES[shown.outcome])
