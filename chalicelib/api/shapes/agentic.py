"""Agentic browsing: the results of tests, and new test runs."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from chalicelib.api.shapes.performance import TestBudget
from chalicelib.api.shapes.values import (
    Count,
    EndedAt,
    Failure,
    HasMore,
    JobId,
    NextOffset,
    Offset,
    PageUrl,
    Poll,
    QueuedAt,
    StartedAt,
    Template,
    Timestamp,
    Total,
    Truncated,
)
from chalicelib.domain.agentic import MOST_ITEMS, Strategy, ToldState
from chalicelib.http.answers import Shape
from chalicelib.http.bodies import Body

RunStatus = Literal["queued", "running", "done", "failed"]


class AgenticItem(Shape):
    """A place where a check fails. Unknown members are left out."""

    selector: Annotated[str, Meta(description="CSS selector of the element.")] | UnsetType = UNSET
    snippet: Annotated[str, Meta(description="HTML of the element.")] | UnsetType = UNSET
    url: Annotated[str, Meta(description="Address of the file with the fault.")] | UnsetType = UNSET
    message: Annotated[str, Meta(description="What is wrong.")] | UnsetType = UNSET


ChecksTruncated = Annotated[
    bool, Meta(description="True if checks are left out because the answer would pass 5 MB; otherwise absent.")
]
Items = Annotated[list[AgenticItem], Meta(max_length=MOST_ITEMS)]


class AgenticCheck(Shape):
    """A check of a page. Only failed checks have ``detail`` and ``items``. A check that Lighthouse could not make is
    ``na``, and its ``detail`` says why."""

    id: Annotated[str, Meta(description="Lighthouse's id of the check.")]
    title: Annotated[str, Meta(description="What is checked.")]
    state: ToldState
    value: Annotated[str | None, Meta(description="The value that Lighthouse shows; null: none.")]
    detail: Annotated[str | None, Meta(description="What is wrong, in a sentence.")] | UnsetType = UNSET
    items: Annotated[Items, Meta(description="Places where the check fails.")] | UnsetType = UNSET


class AgenticResult(Shape):
    """The last test of a page on a device. ``passed`` and ``applicable`` are null if no check was made."""

    url: PageUrl
    template: Template
    strategy: Strategy
    tested_at: Annotated[Timestamp, Meta(description="When the page was tested.")]
    lighthouse_version: Annotated[str, Meta(description="Version of Lighthouse.")]
    passed: Annotated[Count | None, Meta(description="Checks that passed.")]
    applicable: Annotated[Count | None, Meta(description="Checks that passed or failed.")]
    checks: Annotated[list[AgenticCheck], Meta(description="Every check of the test.")]
    checks_truncated: ChecksTruncated | UnsetType = UNSET


class SummaryCheck(Shape):
    """A check over all tested pages. ``state`` is ``fail`` if any page fails; ``detail`` and ``items`` then come from
    the last tested page that fails."""

    id: Annotated[str, Meta(description="Lighthouse's id of the check.")]
    title: Annotated[str, Meta(description="What is checked.")]
    state: ToldState
    pass_: Annotated[Count, Meta(description="Pages that passed.")] = field(name="pass")
    fail: Annotated[Count, Meta(description="Pages that failed.")]
    detail: Annotated[str | None, Meta(description="What is wrong, in a sentence.")] | UnsetType = UNSET
    items: Annotated[Items, Meta(description="Places where the check fails.")] | UnsetType = UNSET


class DeviceSummary(Shape):
    """The results of all tested pages on one device."""

    pages: Annotated[Count, Meta(description="Tested pages.")]
    passed: Annotated[Count, Meta(description="Checks that passed.")]
    applicable: Annotated[Count, Meta(description="Checks that passed or failed.")]
    checks: Annotated[list[SummaryCheck], Meta(description="Every check, over all pages.")]
    checks_truncated: ChecksTruncated | UnsetType = UNSET


class AgenticSummary(Shape):
    """The summary of each device; null if no page was tested on it."""

    mobile: DeviceSummary | None
    desktop: DeviceSummary | None


class WaitingRun(Shape):
    """A re-run that has not ended."""

    job_id: JobId
    url: PageUrl
    strategy: Strategy
    status: Annotated[Literal["queued", "running"], Meta(description="Its state.")]
    queued_at: QueuedAt


class AgenticList(Shape):
    """The last result of each tested page and device, newest first. ``summary`` covers all of them."""

    total: Total
    page: Annotated[Count, Meta(description="This page of the list, from 1.")]
    per: Annotated[Count, Meta(description="Pages in an answer.")]
    has_more: HasMore
    offset: Offset
    next_offset: NextOffset
    truncated: Truncated
    results: Annotated[list[AgenticResult], Meta(description="The results.")]
    summary: AgenticSummary
    running: Annotated[list[WaitingRun], Meta(description="Re-runs that have not ended.")]
    budget: TestBudget


class StartRun(Body):
    """The page to test."""

    url: Annotated[
        str,
        Meta(max_length=2_048, description="An address of the website.", extra_json_schema={"format": "uri"}),
    ]
    strategy: Annotated[Strategy, Meta(description="The device.")] = "mobile"


class RunQueued(Shape):
    """The run that was queued."""

    queued: Annotated[bool, Meta(description="Always true.")]
    job_id: JobId
    status: Literal["queued"]
    url: PageUrl
    strategy: Strategy
    budget: TestBudget
    poll: Poll


class AgenticRun(Shape):
    """A re-run that is queued, is running or has ended."""

    job_id: JobId
    url: PageUrl
    strategy: Strategy
    status: RunStatus
    queued_at: QueuedAt
    started_at: StartedAt
    finished_at: EndedAt
    result: AgenticResult | None
    error: Failure
