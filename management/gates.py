"""``gate``: decide whether an audit lets a pipeline continue."""

import re
from typing import Annotated, Final, Literal

import typer

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.domain.severity import Severity
from chalicelib.operations.errors import Refused
from chalicelib.store.previews import Stored
from chalicelib.store.websites import Website
from management import output
from management.arguments import Site, identifier

Format = Literal["text", "json", "sarif", "junit", "markdown", "csv"]
LOOK_AGAIN_SECONDS: Final = 5.0
WAIT_MINUTES: Final = 60
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
    preview: Annotated[
        str | None,
        typer.Option(metavar="URL", help="audit this staging address in the website's place, and judge that"),
    ] = None,
    ignore_robots: Annotated[
        bool, typer.Option("--ignore-robots", help="of a preview: obey neither robots.txt nor noindex")
    ] = False,
    wait_minutes: Annotated[
        int | None, typer.Option(min=1, help=f"how long to wait for a preview (default: {WAIT_MINUTES})")
    ] = None,
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
    """Judge an audit that has ended, or make a preview and judge it. Exit status 0: pass, 1: fail, 2: it cannot be
    said. Without a condition `--no-new high` holds."""
    from chalicelib.api import gates
    from chalicelib.api.reports import formats
    from chalicelib.api.reports.findings import Report
    from chalicelib.domain.audit.gate import Asked
    from chalicelib.operations import gates as judging
    from chalicelib.operations import preview_gates, previews, websites

    if preview is None and (ignore_robots or wait_minutes is not None):
        raise Refused("bad_option", "Name the preview: --ignore-robots and --wait-minutes go with --preview.")
    asked = Asked(min_score, no_new, max_loss)
    website = websites.existing(OPERATOR, site, "read")
    made = None
    if preview is not None:
        if audit is not None:
            raise Refused("bad_audit", "--audit and --preview do not go together.")
        made = _made(website, preview, ignore_robots, wait_minutes or WAIT_MINUTES)
        judged = preview_gates.judged(site, made, asked, against, now=clock.now())
    else:
        found = judging.existing(site, audit or judging.newest(site))
        judged = judging.judged(site, found, asked, against, now=clock.now())
    shown = gates.gate_of(site, judged, SCOPES)
    if form == "json" or output.uses_json():
        output.show_shape(shown if made is None else gates.preview_gate_of(shown, judged))
    elif form == "text":
        typer.echo(gates.text(shown), nl=False)
    else:
        audit_kept, pages = (
            judging.kept_with_pages(site, judged.audit_id) if made is None else previews.own_with_pages(site, made)
        )
        typer.echo(formats.text(Report(website.host, audit_kept, pages), form), nl=False)
    if shown.outcome == "unclear":
        output.refuse("The gate is unclear: " + " ".join(one.reason for one in shown.conditions))
    raise typer.Exit(STATUSES[shown.outcome])


def _made(website: Website, url: str, ignores_robots: bool, wait_minutes: int) -> Stored:
    """Start a preview, and wait until it has ended or the time is over."""
    from chalicelib.domain import plans
    from chalicelib.operations import accounts, previews
    from chalicelib.store import previews as stored

    plan = plans.plan(accounts.existing_workspace(website.workspace_id).plan)
    header = previews.start(
        website,
        plan.pages_per_audit,
        url,
        access=None,
        ignores_robots=ignores_robots,
        page_budget=None,
        person_id=None,
        now=clock.now(),
    )
    until = clock.monotonic() + wait_minutes * 60
    while True:
        found = stored.load(website.id, header.id)
        if found is None:
            raise Refused("not_found", "The website was removed.")
        if found.header.ended or clock.monotonic() >= until:
            return found
        clock.sleep(LOOK_AGAIN_SECONDS)
