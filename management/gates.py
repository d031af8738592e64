"""The command ``gate``, which decides whether an audit lets a pipeline continue."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
import typer

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.domain.severity import Severity
from chalicelib.operations.errors import Refused
from chalicelib.store.previews import Stored
from chalicelib.store.websites import Website
from management import credential_files, output
from management.arguments import Site, identifier

if TYPE_CHECKING:
    from chalicelib.store.secrets import Secret

Format = Literal["text", "json", "sarif", "junit", "markdown", "csv"]
LOOK_AGAIN_SECONDS: Final = 5.0
WAIT_MINUTES: Final = 60
STATUSES: Final = {"pass": 0, "fail": 1, "unclear": 2}
_SCORE: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9])?")


def _tenths(text: str) -> int:
    """Parse a score to tenths, the stored form. Raises ``Refused``: ``bad_score``."""
    if not _SCORE.fullmatch(text) or float(text) > 100:
        raise Refused("bad_score", f"{text[:100]!r} is not a number from 0 to 100 with at most one decimal.")
    return round(float(text) * 10)


def gate(
    site: Site,
    audit: Annotated[str | None, typer.Option(parser=identifier, help="the audit to judge (default: the last)")] = None,
    preview: Annotated[
        str | None,
        typer.Option(metavar="URL", help="audit this staging address instead of the website, and judge it"),
    ] = None,
    urls: Annotated[
        list[str] | None,
        typer.Option(
            "--url", metavar="URL", help="a page of the preview; only the named pages are read (may be repeated)"
        ),
    ] = None,
    ignore_robots: Annotated[
        bool, typer.Option("--ignore-robots", help="for a preview: ignore robots.txt and noindex")
    ] = False,
    access: Annotated[
        Path | None,
        typer.Option(
            help='JSON with the preview\'s credentials: {"basicAuth": {"username": "…", "password": "…"}, '
            '"headers": {"NAME": "VALUE"}}, or one of the two'
        ),
    ] = None,
    wait_minutes: Annotated[
        int | None, typer.Option(min=1, help=f"how long to wait for a preview (default: {WAIT_MINUTES})")
    ] = None,
    against: Annotated[
        str | None, typer.Option(parser=identifier, help="the audit to compare with (default: the one before)")
    ] = None,
    min_score: Annotated[int | None, typer.Option(parser=_tenths, metavar="N", help="fails below this score")] = None,
    no_new: Annotated[Severity | None, typer.Option(help="fails if a finding of this severity or above is new")] = None,
    max_loss: Annotated[
        int | None, typer.Option(parser=_tenths, metavar="N", help="the most points that the score may lose")
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", help="text, json: of the verdict; others: of the report")
    ] = "text",
) -> None:
    """Judge an audit that has ended, or make a preview and judge it. Exit status 0: pass, 1: fail, 2: cannot be
    decided. If no condition is given, `--no-new high` is used."""
    from chalicelib.api import gates
    from chalicelib.api.reports import formats
    from chalicelib.api.reports.findings import Report
    from chalicelib.domain.audit.gate import Asked
    from chalicelib.operations import comparisons, preview_gates, previews, websites
    from chalicelib.operations import gates as judging

    if preview is None and (urls or ignore_robots or access is not None or wait_minutes is not None):
        raise Refused(
            "bad_option", "Name the preview: --url, --ignore-robots, --access and --wait-minutes need --preview."
        )
    asked = Asked(min_score, no_new, max_loss)
    website = websites.existing(OPERATOR, site, "read")
    made = None
    if preview is not None:
        if audit is not None:
            raise Refused("bad_audit", "--audit and --preview cannot be combined.")
        if against is not None:  # checked first, or a preview would be made that cannot be judged
            comparisons.existing(site, against)
        made = _made(website, preview, urls or (), _access(access), ignore_robots, wait_minutes or WAIT_MINUTES)
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


def _access(file: Path | None) -> "Secret | None":
    """Read the access data for a preview. Refused: ``bad_credentials``, ``bad_headers``, ``bad_basic_auth``."""
    from chalicelib import typed
    from chalicelib.api.shapes.previews import PreviewAccess
    from chalicelib.operations import previews

    if file is None:
        return None
    try:
        headers, basic = typed.convert(credential_files.json_of(file), PreviewAccess).parts()
    except msgspec.ValidationError:
        headers, basic = {}, None
    if not headers and basic is None:
        raise Refused(
            "bad_credentials",
            f"{file} must be JSON with 'basicAuth', 'headers' or both, in the form that --help shows, and at most "
            f"{credential_files.MOST_BYTES:,} bytes.",
        )
    return previews.access_of(headers, basic)


def _made(
    website: Website,
    url: str,
    named: Sequence[str],
    access: "Secret | None",
    ignores_robots: bool,
    wait_minutes: int,
) -> Stored:
    """Start a preview, and wait at most ``wait_minutes`` for its end. Returns the preview, which may still be running.

    If another preview of the website is running, the start waits for it. Refused: like ``previews.start``, and
    ``preview_running`` if the other preview does not end in time.
    """
    from chalicelib.domain import plans
    from chalicelib.operations import accounts, previews
    from chalicelib.store import previews as stored

    plan = plans.plan(accounts.existing_workspace(website.workspace_id).plan)
    until = clock.monotonic() + wait_minutes * 60
    while True:
        try:
            header = previews.start(
                website,
                plan.pages_per_audit,
                url,
                access=access,
                ignores_robots=ignores_robots,
                page_budget=None,
                person_id=None,
                now=clock.now(),
                named=named,
            )
            break
        except previews.Running:
            if clock.monotonic() >= until:
                raise
        clock.sleep(LOOK_AGAIN_SECONDS)
    while True:
        found = stored.load(website.id, header.id)
        if found is None:
            raise Refused("not_found", "The website was removed.")
        if found.header.ended or clock.monotonic() >= until:
            return found
        clock.sleep(LOOK_AGAIN_SECONDS)
