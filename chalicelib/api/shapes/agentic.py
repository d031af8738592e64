"""Agentic browsing: what tests checked, and re-runs."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from chalicelib.api.shapes.performance import TestBudget
from chalicelib.api.shapes.values import Address, Count, NextOffset, Offset, Timestamp, Truncated
from chalicelib.domain.agentic import MOST_ITEMS, Strategy, ToldState
from chalicelib.http.answers import Shape
from chalicelib.http.bodies import Body

RunStatus = Literal["queued", "running", "done", "failed"]


class AgenticItem(Shape):
    """One place where a check fails. Unknown members are left out."""

    selector: str | UnsetType = UNSET
    snippet: str | UnsetType = UNSET
    url: str | UnsetType = UNSET
    message: str | UnsetType = UNSET


ChecksTruncated = Annotated[
    bool, Meta(description="True where checks are left out, because the answer would pass 5 MB; else absent.")
]
Items = Annotated[list[AgenticItem], Meta(max_length=MOST_ITEMS)]


class AgenticCheck(Shape):
    """A check of a page. ``value``: as Lighthouse shows it. ``detail`` and ``items`` are only in failed checks; one
    that Lighthouse could not make is ``na``, and ``detail`` says why."""

    id: str
    title: str
    state: ToldState
    value: str | None
    detail: str | UnsetType | None = UNSET
    items: Items | UnsetType = UNSET


class AgenticResult(Shape):
    """The last test of a page on a device. ``passed`` of ``applicable`` counts ``pass`` and ``fail`` only; null where
    the test made no check of Agentic browsing."""

    url: Address
    template: str | None
    strategy: Strategy
    tested_at: Timestamp
    lighthouse_version: str
    passed: Count | None
    applicable: Count | None
    checks: list[AgenticCheck]
    checks_truncated: ChecksTruncated | UnsetType = UNSET


class SummaryCheck(Shape):
    """A check over all tested pages. ``state`` is ``fail`` where any page fails; ``detail`` and ``items`` are then
    those of the page that was tested last."""

    id: str
    title: str
    state: ToldState
    pass_: Count = field(name="pass")
    fail: Count
    detail: str | UnsetType | None = UNSET
    items: Items | UnsetType = UNSET


class DeviceSummary(Shape):
    """All tested pages on a device; ``passed`` of ``applicable`` are sums over them."""

    pages: Count
    passed: Count
    applicable: Count
    checks: list[SummaryCheck]
    checks_truncated: ChecksTruncated | UnsetType = UNSET


class AgenticSummary(Shape):
    """By device; null where no page was tested on it."""

    mobile: DeviceSummary | None
    desktop: DeviceSummary | None


class WaitingRun(Shape):
    """A re-run that has not ended."""

    job_id: str
    url: Address
    strategy: Strategy
    status: Literal["queued", "running"]
    queued_at: Timestamp


class AgenticList(Shape):
    """The last result of each tested page and device, newest first. ``summary`` is over all of them."""

    total: Count
    page: Count
    per: Annotated[Count, Meta(description="Pages in an answer.")]
    has_more: bool
    offset: Offset
    next_offset: NextOffset
    truncated: Truncated
    results: list[AgenticResult]
    summary: AgenticSummary
    running: list[WaitingRun]
    budget: TestBudget


class StartRun(Body):
    """The page that is to be tested."""

    url: Annotated[
        str,
        Meta(max_length=2_048, description="An address of the website.", extra_json_schema={"format": "uri"}),
    ]
    strategy: Strategy = "mobile"


class RunQueued(Shape):
    """The run that was queued. ``poll`` is where it can be followed."""

    queued: bool
    job_id: str
    status: Literal["queued"]
    url: Address
    strategy: Strategy
    budget: TestBudget
    poll: Address


class AgenticRun(Shape):
    """A re-run. ``error`` says why it failed."""

    job_id: str
    url: Address
    strategy: Strategy
    status: RunStatus
    queued_at: Timestamp
    started_at: Timestamp | None
    finished_at: Timestamp | None
    result: AgenticResult | None
    error: str | None
