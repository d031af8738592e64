"""Audits: start one, follow it, and read its report, its gate and its differences from another audit."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from msgspec import UNSET

from chalicelib.api import differences, files, summaries
from chalicelib.api.gate_parameters import GATE_TEXT, LONGEST_ID, GateParameters, conditions
from chalicelib.api.paging import following
from chalicelib.api.polling import POLL_SECONDS, poll_of
from chalicelib.api.refusals import refusal
from chalicelib.api.reports import formats
from chalicelib.api.shaped import shaped
from chalicelib.api.shapes.audits import ApiStarts, Audit, AuditList, AuditQueued, Busy, PageBudget, StartAudit
from chalicelib.api.shapes.differences import AuditDifference
from chalicelib.api.shapes.reports import AuditReport, Gate
from chalicelib.api.shapes.values import instant, instant_or_none, site_link
from chalicelib.domain import plans
from chalicelib.domain.audit.kept import KeptAudit, KeptPage
from chalicelib.domain.audit.records import CrawlReport
from chalicelib.domain.crawl.budget import API_STARTS_PER_DAY, audit_budget, recent_starts
from chalicelib.http.answers import Answer, Text
from chalicelib.http.authentication import check_scope, is_id
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import ApiError, not_found
from chalicelib.http.parameters import NoParameters, integer, text
from chalicelib.http.parts import listed
from chalicelib.operations import audits, comparisons
from chalicelib.operations import gates as judging
from chalicelib.operations.errors import Refused
from chalicelib.store import crawls

group = Group("audits", "Full audits: start and follow one, compare two, and use one in a pipeline.")


MOST_OFFSET = 10_000


@dataclass(frozen=True, slots=True)
class ListParameters:
    limit: int = integer("Number of audits to list, newest first.", default=5, minimum=1, maximum=25)
    offset: int = integer("Number of newest audits to skip.", default=0, minimum=0, maximum=MOST_OFFSET)
    format: str = files.file_format()


def _plan_limit(call: Call[ListParameters] | Call[NoParameters]) -> int:
    return plans.plan(call.workspace.plan).pages_per_audit


@group.get(
    "/sites/{siteId}/audits",
    scope="sites:read",
    parameters=ListParameters,
    answer=AuditList,
    files=(files.CSV,),
    errors=(files.TOO_LARGE,),
    summary="List audits",
    with_workspace=True,
)
def list_audits(call: Call[ListParameters]) -> AuditList | Answer:
    """The newest audits, the queued or running audit, and the limits for the next audit."""
    website, sent = call.website, call.parameters
    if sent.format == "csv":
        every = crawls.list_audits(website.id, None)[sent.offset :]
        return files.of_shapes("audits", website.host, Audit, (_shape(header) for header in every))
    budget = audit_budget(website.page_budget, _plan_limit(call))
    used = len(recent_starts(list(website.api_starts), call.now))
    headers = crawls.list_audits(website.id, sent.offset + sent.limit + 1)
    shown = headers[sent.offset :][: sent.limit]
    return AuditList(
        audits=[_shape(header) for header in shown],
        offset=sent.offset,
        next_offset=following(sent.offset, len(shown), len(headers)),
        active=_active(call, headers),
        busy=_busy(call),
        next_scheduled_at=instant_or_none(website.next_audit_at),
        page_budget=shaped(PageBudget, budget),
        api_starts=ApiStarts(per_day=API_STARTS_PER_DAY, used_today=used, left=max(0, API_STARTS_PER_DAY - used)),
    )


def _active(call: Call[ListParameters], headers: Sequence[CrawlReport]) -> Audit | None:
    place = call.website.place
    if place is None or place.kind != "audit":
        return None
    header = next((header for header in headers if header.id == place.crawl_id), None)
    header = header or crawls.get(call.website.id, place.crawl_id)
    return None if header is None or header.ended else _shape(header)


def _busy(call: Call[ListParameters]) -> Busy | None:
    place = call.website.place
    if place is None:
        return None
    return shaped(Busy, place, audit_id=place.crawl_id, poll=poll_of(call, place.crawl_id))


@group.post(
    "/sites/{siteId}/audits",
    scope="audits:run",
    body=StartAudit,
    body_required=False,
    answer=AuditQueued,
    errors=("over_plan_limit", "already_running", "busy", "too_many_audits"),
    status=202,
    retry_after=POLL_SECONDS,
    summary="Start a full audit",
    with_workspace=True,
)
def start_audit(call: Call[NoParameters]) -> AuditQueued:
    """Queues an audit, like the app's button Run audit. Through the API, at most 3 audits of a website start in 24
    hours.

    With a larger page budget than the website's own, the time limit is proportionally longer, at most 120 minutes. Poll
    about once a minute.
    """
    body: StartAudit = call.body
    plan_limit = _plan_limit(call)
    try:
        started = audits.start(
            call.website,
            plan_limit,
            page_budget=None if body.page_budget is UNSET else body.page_budget,
            person_id=call.auth.person_id,
            through_api=True,
            now=call.now,
            key_id=call.auth.used_key,
        )
    except Refused as refused:
        raise _refusal(refused, call) from refused
    return shaped(
        AuditQueued,
        started.header,
        queued=True,
        audit_id=started.header.id,
        status="queued",
        plan_limit=plan_limit,
        starts_left_today=started.starts_left_today,
        poll=poll_of(call, started.header.id),
        link=site_link(call.website.id, "audits", started.header.id),
    )


def _refusal(refused: Refused, call: Call[NoParameters]) -> ApiError:
    match refused:
        case audits.OverPlanLimit():
            return ApiError(refused.code, refused.message, planLimit=refused.plan_limit)
        case audits.AlreadyRunning():
            return ApiError(
                refused.code,
                refused.message,
                auditId=refused.crawl_id,
                kind=refused.kind,
                status=refused.status,
                poll=poll_of(call, refused.crawl_id),
            )
        case audits.TooManyAudits():
            wait = max(1, ceil(refused.retry_at - call.now))
            headers = {"Retry-After": str(wait)}
            return ApiError(refused.code, refused.message, headers=headers, retryAt=instant(ceil(refused.retry_at)))
        case Refused(code="not_found"):
            return not_found()
    return refusal(refused)


def _find(call: Call[NoParameters]) -> CrawlReport:
    header = crawls.get(call.website.id, _audit_id(call))
    if header is None:
        raise not_found("audit")
    return header


@group.get("/sites/{siteId}/audits/{auditId}", scope="sites:read", answer=Audit, find=_find, summary="Read one audit")
def read_audit(call: Call[NoParameters]) -> Audit:
    """An audit, or a recheck whose id came in an `already_running` error. While it runs, `pagesCrawled` grows."""
    return _shape(call.found)


def _audit_id(call: Call[Any]) -> str:
    audit_id = call.path["auditId"]
    if not is_id(audit_id):
        raise not_found("audit")
    return audit_id


def _find_kept(call: Call[NoParameters]) -> comparisons.Head:
    try:
        return comparisons.head(call.website.id, _audit_id(call))
    except Refused as refused:
        raise differences.not_compared(refused) from refused


@dataclass(frozen=True, slots=True)
class DifferenceParameters:
    against: str | None = text("The audit to compare with. Default: the audit before.", maximum=LONGEST_ID, minimum=1)


@group.get(
    "/sites/{siteId}/audits/{auditId}/diff",
    scope="sites:read",
    parameters=DifferenceParameters,
    answer=AuditDifference,
    find=_find_kept,
    errors=("not_kept",),
    summary="Compare two audits",
)
def compare_audits(call: Call[DifferenceParameters]) -> AuditDifference:
    """Changes from one audit to another: scores, issues, pages, robots.txt and speed.

    Audits that judged the website are kept for 400 days, their pages for 90. The member `issues` is left out without
    the scope `issues:read`. The member `pages` and the pages of issues are left out without `pages:read`. Ignoring an
    issue does not count as a change. Each list has the first 100 pages by address, fewer if addresses are
    very long. Counts cover all pages.
    """
    compared = differences.compared(call, call.parameters.against, comparisons.compare)
    return differences.difference_of(call.website.id, compared, call.auth.scopes)


def _find_kept_with_pages(call: Call[formats.ReportParameters]) -> tuple[KeptAudit, list[KeptPage] | None]:
    for scope in (differences.ISSUES, differences.PAGES):
        check_scope(call.auth, scope)
    try:
        return judging.kept_with_pages(call.website.id, _audit_id(call))
    except Refused as refused:
        raise differences.not_compared(refused) from refused


@group.get(
    "/sites/{siteId}/audits/{auditId}/report",
    scope="sites:read",
    parameters=formats.ReportParameters,
    answer=AuditReport,
    find=_find_kept_with_pages,
    files=formats.FILES,
    errors=("not_kept", files.TOO_LARGE),
    summary="Report of an audit",
    parts=(listed("findings"),),
)
def read_report(call: Call[formats.ReportParameters]) -> AuditReport | Answer:
    """The findings that an audit recorded, the most severe first: as JSON, or as a file for a pipeline.

    SARIF 2.1.0 and JUnit XML have the first 25,000 findings. Markdown has some pages of each issue. CSV has all
    findings from `offset` on.

    Needs the scopes `issues:read` and `pages:read` too. Pages are kept for 90 days; in older audits each issue is one
    finding.
    """
    # Only requests for reports load the rules' texts.
    from chalicelib.api.reports.findings import Report

    audit, pages = call.found
    report = Report(call.website.host, audit, pages)
    if call.parameters.format == "json":
        return formats.part(call.website.id, report, call.parameters.offset)
    return formats.file(report, call.parameters.format, call.parameters.offset)


def _find_audit(call: Call[GateParameters]) -> KeptAudit | CrawlReport:
    try:
        return judging.existing(call.website.id, _audit_id(call))
    except Refused as refused:
        raise differences.not_compared(refused) from refused


@group.get(
    "/sites/{siteId}/audits/{auditId}/gate",
    scope="sites:read",
    parameters=GateParameters,
    answer=Gate,
    find=_find_audit,
    text=GATE_TEXT,
    errors=("not_kept",),
    summary="Judge an audit for a pipeline",
)
def read_gate(call: Call[GateParameters]) -> Gate | Text:
    """Whether an audit passes the gate: `pass`, `fail`, or `unclear` if that cannot be decided, such as while the audit
    runs. The status is always 200.

    The audit is compared with the audit `against`, by rule and page. A page is left out if either audit did not reach
    it. A rule is left out if either audit could not judge it, or if it uses speed tests.
    """
    # Only requests for a gate load the code that judges.
    from chalicelib.api import gates

    sent = call.parameters
    asked = conditions(call)
    try:
        judged = judging.judged(call.website.id, call.found, asked, sent.against, now=call.now)
    except Refused as refused:
        raise differences.not_compared(refused) from refused
    gate = gates.gate_of(call.website.id, judged, call.auth.scopes)
    return Text(gates.text(gate), GATE_TEXT.media_type) if sent.format == "text" else gate


def _shape(header: CrawlReport) -> Audit:
    return shaped(
        Audit,
        header,
        coverage=summaries.coverage(header.coverage),
        link=site_link(header.site_id, "audits", header.id),
    )
