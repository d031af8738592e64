"""Previews: start one, follow it, and read its report, its gate and its differences from an audit."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from msgspec import UNSET

from chalicelib.api import differences, files
from chalicelib.api.gate_parameters import GATE_TEXT, LONGEST_ID, GateParameters, conditions
from chalicelib.api.refusals import refusal
from chalicelib.api.reports import formats
from chalicelib.api.shaped import shaped
from chalicelib.api.shapes.previews import (
    Preview,
    PreviewDifference,
    PreviewGate,
    PreviewQueued,
    PreviewReport,
    StartPreview,
)
from chalicelib.api.shapes.values import instant, instant_or_none
from chalicelib.domain import plans
from chalicelib.domain.audit.kept import KeptAudit, KeptPage
from chalicelib.http.answers import Answer, Text
from chalicelib.http.authentication import check_scope, is_id
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import ApiError, not_found
from chalicelib.http.parameters import NoParameters, text
from chalicelib.http.parts import listed
from chalicelib.operations import audits, previews
from chalicelib.operations.errors import Refused
from chalicelib.store import crawls
from chalicelib.store import previews as stored

group = Group("previews", "Previews: audit a staging address before it is public, also in a pipeline.")

POLL_SECONDS: Final = 15
_PARAMS: Final[Mapping[str, str]] = {"bad_url": "url", "bad_headers": "headers", "bad_basic_auth": "basicAuth"}


@group.post(
    "/sites/{siteId}/previews",
    scope="audits:run",
    body=StartPreview,
    answer=PreviewQueued,
    errors=(
        "bad_url",
        "bad_headers",
        "bad_basic_auth",
        "over_plan_limit",
        "preview_running",
        "busy",
        "too_many_previews",
    ),
    status=202,
    retry_after=POLL_SECONDS,
    summary="Start a preview",
    with_workspace=True,
)
def start_preview(call: Call[NoParameters]) -> PreviewQueued:
    """Audits an address where the website is not public yet, such as a staging server. In answers, pages have the
    website's own addresses. The website's score, issues, pages, history and events do not change. The website can be
    audited meanwhile.

    A website has one preview at a time, and at most 20 in 24 hours. `headers` and `basicAuth` are sent only to the
    preview's host. They are stored encrypted, never shown, and deleted when the preview ends. Speed, rendering and
    CMS content are from the website's last audit. A preview is kept for 14 days.
    """
    body: StartPreview = call.body
    try:
        header = previews.start(
            call.website,
            plans.plan(call.workspace.plan).pages_per_audit,
            body.url,
            access=previews.access_of(*body.parts()),
            ignores_robots=body.robots == "ignore",
            page_budget=None if body.page_budget is UNSET else body.page_budget,
            person_id=call.auth.person_id,
            now=call.now,
            key_id=call.auth.used_key,
            named=body.urls,
        )
    except Refused as refused:
        raise _refusal(refused, call) from refused
    return shaped(
        PreviewQueued,
        header,
        queued=True,
        preview_id=header.id,
        status="queued",
        url=f"{header.preview_origin}/",
        poll=_poll(call, header.id),
    )


def _refusal(refused: Refused, call: Call[NoParameters]) -> ApiError:
    match refused:
        case audits.OverPlanLimit():
            return ApiError(refused.code, refused.message, planLimit=refused.plan_limit)
        case previews.BadUrl():
            return ApiError(refused.code, refused.message, param=f"urls[{refused.place}]")
        case previews.Running():
            poll = _poll(call, refused.preview_id)
            return ApiError(refused.code, refused.message, previewId=refused.preview_id, poll=poll)
        case previews.TooManyPreviews():
            wait = max(1, ceil(refused.retry_at - call.now))
            headers = {"Retry-After": str(wait)}
            return ApiError(refused.code, refused.message, headers=headers, retryAt=instant(ceil(refused.retry_at)))
    if refused.code in _PARAMS:
        return ApiError(refused.code, refused.message, param=_PARAMS[refused.code])
    return refusal(refused)


def _poll(call: Call[NoParameters], preview_id: str) -> str:
    return call.url(f"/sites/{call.website.id}/previews/{preview_id}")


def _find(call: Call[Any]) -> stored.Stored:
    preview_id = call.path["previewId"]
    found = stored.load(call.website.id, preview_id) if is_id(preview_id) else None
    if found is None:
        raise not_found("preview")
    return found


@group.get(
    "/sites/{siteId}/previews/{previewId}",
    scope="sites:read",
    answer=Preview,
    find=_find,
    summary="Read one preview",
)
def read_preview(call: Call[NoParameters]) -> Preview:
    """The progress of a preview and, once it has ended, its score."""
    found: stored.Stored = call.found
    header, kept = found
    until = None if header.finished_at is None else header.finished_at + crawls.PREVIEW_KEPT_SECONDS
    return shaped(
        Preview,
        header,
        preview_id=header.id,
        url=f"{header.preview_origin}/",
        robots="ignore" if header.ignores_robots else "obey",
        score=None if kept is None else differences.site_score(kept),
        available_until=instant_or_none(until),
    )


def _find_kept(call: Call[formats.ReportParameters]) -> tuple[KeptAudit, list[KeptPage] | None]:
    for scope in (differences.ISSUES, differences.PAGES):
        check_scope(call.auth, scope)
    try:
        return previews.own_with_pages(call.website.id, _find(call))
    except Refused as refused:
        raise refusal(refused) from refused


@group.get(
    "/sites/{siteId}/previews/{previewId}/report",
    scope="sites:read",
    parameters=formats.ReportParameters,
    answer=PreviewReport,
    find=_find_kept,
    files=formats.FILES,
    errors=("not_kept", files.TOO_LARGE),
    summary="Report of a preview",
    parts=(listed("findings"),),
)
def read_preview_report(call: Call[formats.ReportParameters]) -> PreviewReport | Answer:
    """The findings of the preview, the most severe first. They come as JSON, or as a file like an audit's report.
    Findings have the website's own addresses, not the preview's.

    Needs the scopes `issues:read` and `pages:read` too.
    """
    # Only requests for reports load the rules' texts.
    from chalicelib.api.reports.findings import Report

    kept, pages = call.found
    report = Report(call.website.host, kept, pages)
    sent = call.parameters
    if sent.format != "json":
        return formats.file(report, sent.format, sent.offset)
    shown, total = formats.shown(report, sent.offset)
    after = sent.offset + len(shown)
    return PreviewReport(
        preview=differences.judged_preview(kept),
        pages_kept=pages is not None,
        total=total,
        offset=sent.offset,
        findings=shown,
        next_offset=after if after < total else None,
    )


@dataclass(frozen=True, slots=True)
class PreviewDifferenceParameters:
    against: str | None = text("The audit to compare with. Default: the last audit.", maximum=LONGEST_ID, minimum=1)


@group.get(
    "/sites/{siteId}/previews/{previewId}/diff",
    scope="sites:read",
    parameters=PreviewDifferenceParameters,
    answer=PreviewDifference,
    find=_find,
    errors=("not_kept",),
    summary="Compare a preview with an audit",
)
def compare_preview(call: Call[PreviewDifferenceParameters]) -> PreviewDifference:
    """The changes from the audit `against` (default: the last stored one) if the preview became the website.

    Pages that the preview did not reach, and rules that it could not judge, are left out. `robots: ignore` also leaves
    out robots.txt, crawlers and the indexability of pages. Scopes limit the answer, and lists are cut, as for audits.
    """
    # Only requests for a difference load the code that compares.
    from chalicelib.operations import preview_differences

    compared = differences.compared(call, call.parameters.against, preview_differences.compare)
    return differences.preview_difference_of(compared, call.auth.scopes)


@group.get(
    "/sites/{siteId}/previews/{previewId}/gate",
    scope="sites:read",
    parameters=GateParameters,
    answer=PreviewGate,
    find=_find,
    text=GATE_TEXT,
    errors=("not_kept",),
    summary="Judge a preview for a pipeline",
)
def read_preview_gate(call: Call[GateParameters]) -> PreviewGate | Text:
    """Whether a preview passes the gate: `pass`, `fail`, or `unclear` if that cannot be decided, such as while the
    preview runs. The status is always 200.

    The preview is compared with the audit `against` (default: the last stored one), by rule and path, since the hosts
    differ. A page is left out if the preview or the audit did not reach it. A rule is left out if the preview could not
    judge it.
    """
    # Only requests for a gate load the code that judges.
    from chalicelib.api import gates
    from chalicelib.operations import preview_gates

    found: stored.Stored = call.found
    sent = call.parameters
    asked = conditions(call)
    try:
        judged = preview_gates.judged(call.website.id, found, asked, sent.against, now=call.now)
    except Refused as refused:
        raise differences.not_compared(refused) from refused
    gate = gates.gate_of(call.website.id, judged, call.auth.scopes)
    if sent.format == "text":
        return Text(gates.text(gate), GATE_TEXT.media_type)
    return gates.preview_gate_of(gate, judged)
