"""Agentic browsing: tests of whether an AI agent can use a page. Reads the results of tests, and starts tests."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from msgspec import UNSET, UnsetType

from chalicelib.api import paging, speeds
from chalicelib.api.refusals import refusal
from chalicelib.api.shaped import shaped
from chalicelib.api.shapes import agentic as shapes
from chalicelib.api.shapes.values import instant, instant_or_none
from chalicelib.domain import agentic as found
from chalicelib.domain.agentic import Strategy, counts
from chalicelib.domain.jobs import Job
from chalicelib.domain.speed.records import SpeedResult
from chalicelib.domain.speed.summary import AgenticSummary, summary_of
from chalicelib.http.authentication import is_id
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import ApiError, not_found
from chalicelib.http.members import shown
from chalicelib.http.parameters import NoParameters, choice, integer
from chalicelib.http.parts import listed, shortened
from chalicelib.operations import speed
from chalicelib.operations.errors import Refused
from chalicelib.store import jobs
from chalicelib.store import shapes as packed
from chalicelib.store import speed as stored

group = Group("agentic", "Whether an AI agent can use the page.")

POLL_SECONDS: Final = 20  # a run takes 20 to 60 seconds
STRATEGIES: Final[tuple[Strategy, ...]] = ("mobile", "desktop")


@dataclass(frozen=True, slots=True)
class ListParameters:
    strategy: str | None = choice("Only results of this device. Default: both devices.", STRATEGIES)
    page: int = integer("Which page of the results.", default=1, minimum=1)
    per: int = integer("Results in an answer.", default=50, minimum=1, maximum=200)
    offset: int | None = paging.offset_instead_of_page()

    CHECKS: ClassVar = (paging.ONE_START,)


@group.get(
    "/sites/{siteId}/agentic",
    scope="ai:read",
    parameters=ListParameters,
    answer=shapes.AgenticList,
    summary="Read Agentic browsing results",
    with_workspace=True,
    parts=(
        listed("results", inner=(shortened("checks", "checks_truncated"),)),
        shortened("checks", "checks_truncated", lambda answer: answer.summary.mobile),
        shortened("checks", "checks_truncated", lambda answer: answer.summary.desktop),
    ),
)
def list_agentic(call: Call[ListParameters]) -> shapes.AgenticList:
    """The last test of each page and device (newest first), a summary, and the runs that have not ended. `summary`
    covers all tested pages; `page` and `strategy` do not limit it."""
    known = stored.load(call.website.id)
    results = [result for result in known.results if result.agentic.checks]
    sent = call.parameters
    asked, per, start = sent.strategy, sent.per, paging.start(sent)
    ordered = sorted(
        (one for one in results if asked is None or one.strategy == asked),
        key=lambda one: (-one.tested_at, one.url, one.strategy),
    )
    waiting = jobs.get_many(call.website.id, [run.job_id for run in known.state.waiting])
    return shapes.AgenticList(
        total=len(ordered),
        page=paging.page_of(sent),
        per=per,
        has_more=start + per < len(ordered),
        offset=start,
        next_offset=paging.following(start, len(ordered[start:][:per]), len(ordered)),
        truncated=False,
        results=[_result(result) for result in ordered[start:][:per]],
        summary=shapes.AgenticSummary(**{one: _summary(_of(results, one)) for one in STRATEGIES}),
        running=[shaped(shapes.WaitingRun, job, **_of_job(job)) for job in waiting if not job.ended],
        budget=speeds.budget(known.state.budget(speeds.per_day(call), call.now)),
    )


def _of(results: Iterable[SpeedResult], strategy: Strategy) -> AgenticSummary | None:
    return summary_of(result for result in results if result.strategy == strategy)


@group.post(
    "/sites/{siteId}/agentic/run",
    scope="issues:recheck",
    body=shapes.StartRun,
    answer=shapes.RunQueued,
    errors=("other_host", "already_queued", "budget_used", "too_many_runs", "busy"),
    status=202,
    retry_after=POLL_SECONDS,
    summary="Test one page again",
    with_workspace=True,
)
def start_run(call: Call[NoParameters]) -> shapes.RunQueued:
    """Queues one speed test of the page: performance and Agentic browsing. It counts towards the day's tests even if it
    fails. It takes 20 to 60 seconds: poll until `status` is `done` or `failed`."""
    body: shapes.StartRun = call.body
    try:
        queued = speed.queue_run(call.website, body.url, body.strategy, per_day=speeds.per_day(call), now=call.now)
    except Refused as refused:
        raise _refusal(refused, call, body) from refused
    return shapes.RunQueued(
        queued=True,
        job_id=queued.job.id,
        status="queued",
        url=queued.job.payload["url"],
        strategy=body.strategy,
        budget=speeds.budget(queued.budget),
        poll=call.url(f"/sites/{call.website.id}/agentic/runs/{queued.job.id}"),
    )


def _refusal(refused: Refused, call: Call[NoParameters], body: shapes.StartRun) -> ApiError:
    match refused:
        case speed.BudgetUsed():
            headers = {"Retry-After": str(max(1, int(refused.retry_at - call.now)))}
            return ApiError(refused.code, refused.message, headers=headers, retryAt=instant(refused.retry_at))
        case Refused(code="bad_url"):
            message = f"`url` must be a whole http or https address, not {shown(body.url)}."
            return ApiError(refused.code, message, param="url")
        case Refused(code="other_host"):
            message = f"`url` must be an address of {call.website.host}, not {shown(body.url)}."
            return ApiError(refused.code, message, param="url")
    return refusal(refused)


def _find(call: Call[NoParameters]) -> Job:
    job_id = call.path["jobId"]
    job = jobs.get(call.website.id, job_id) if is_id(job_id) else None
    if job is None or job.kind != "agentic_run":
        raise not_found("run")
    return job


@group.get(
    "/sites/{siteId}/agentic/runs/{jobId}",
    scope="ai:read",
    answer=shapes.AgenticRun,
    find=_find,
    summary="Read one Agentic browsing run",
    parts=(shortened("checks", "checks_truncated", lambda answer: answer.result),),
)
def read_run(call: Call[NoParameters]) -> shapes.AgenticRun:
    """A run queued with `POST /agentic/run`. It can be read for 30 days after its end. A later test does not change
    `result`."""
    job: Job = call.found
    return shaped(
        shapes.AgenticRun,
        job,
        **_of_job(job),
        finished_at=instant_or_none(job.ended_at),
        result=None if job.result is None else _result(packed.SPEED_RESULT.unpack(job.result)),
    )


def _of_job(job: Job) -> dict[str, Any]:
    return {
        "job_id": job.id,
        "url": job.payload["url"],
        "strategy": job.payload["strategy"],
        "status": _status(job),
    }


def _status(job: Job) -> shapes.RunStatus:
    if job.ended:
        return "done" if job.error is None else "failed"
    return "queued" if job.started_at is None else "running"


def _result(result: SpeedResult) -> shapes.AgenticResult:
    checks = result.agentic.checks
    total = counts(checks.values())
    return shaped(
        shapes.AgenticResult,
        result,
        lighthouse_version=result.agentic.lighthouse_version,
        passed=total.passed if checks else None,
        applicable=total.applicable if checks else None,
        checks=[
            shapes.AgenticCheck(
                id=check_id, title=check.title, state=check.told, value=check.shown or None, **_failing(check)
            )
            for check_id, check in checks.items()
        ],
    )


def _summary(summary: AgenticSummary | None) -> shapes.DeviceSummary | None:
    if summary is None:
        return None
    return shaped(
        shapes.DeviceSummary,
        summary,
        checks=[
            shaped(shapes.SummaryCheck, check, pass_=check.passed, fail=check.failed, **_failing(check.example))
            for check in summary.checks
        ],
    )


def _failing(check: found.Check) -> dict[str, Any]:
    """Return the additional members of a check that failed, or could not be made."""
    if check.state == "fail":
        return {"detail": check.detail or None, "items": [_item(item) for item in check.items]}
    return {"detail": check.detail or None} if check.state == "error" else {}


def _item(item: found.Item) -> shapes.AgenticItem:
    return shapes.AgenticItem(
        selector=_or_unset(item.selector),
        snippet=_or_unset(item.snippet),
        url=_or_unset(item.url),
        message=_or_unset(item.text),
    )


def _or_unset(text: str) -> str | UnsetType:
    return text or UNSET
