"""Speed of a website: lab results, measurements of real visitors, and the day's tests."""

from typing import Annotated, Literal

from msgspec import Meta

from chalicelib.api.shapes.values import (
    AppLink,
    Count,
    NextOffset,
    Offset,
    PageUrl,
    Template,
    Timestamp,
    Truncated,
)
from chalicelib.domain.audit.inputs import LEAST_RUNS, Source
from chalicelib.domain.speed.records import MOST_RUNS
from chalicelib.http.answers import Shape

Milliseconds = Annotated[float, Meta(ge=0, description="Milliseconds.")]
LayoutShift = Annotated[float, Meta(ge=0, description="Cumulative layout shift.")]
Day = Annotated[str, Meta(extra_json_schema={"format": "date"})]


class SiteField(Shape):
    """Measurements of real visitors of the whole website over 28 days, 75th percentile."""

    available: Annotated[bool, Meta(description="Whether the provider has data of enough visits.")]
    reason: Annotated[str | None, Meta(description="Why there is no data; null: there is data.")]
    lcp_ms: Milliseconds | None
    inp_ms: Milliseconds | None
    cls: LayoutShift | None
    period_end: Annotated[Day | None, Meta(description="The last of the 28 days; null: not known.")]
    collected_at: Annotated[Timestamp, Meta(description="When the data was read from the provider.")]


class SiteFieldData(Shape):
    """Measurements of real visitors of the whole website, by device. Null: not requested from the provider yet."""

    phone: SiteField | None
    desktop: SiteField | None


class Lab(Shape):
    """Medians of the last runs within 28 days. All are measured on a phone, except ``desktopLcpMs``. Null: not
    measured.
    """

    lcp_ms: Milliseconds | None
    cls: LayoutShift | None
    runs: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_RUNS,
            description=f"Number of runs on a phone. Findings need {LEAST_RUNS} or more.",
        ),
    ]
    desktop_lcp_ms: Milliseconds | None


class PageField(Shape):
    """Measurements of real visitors on phones over 28 days, 75th percentile: of the page or, if it has too few visits,
    of the website."""

    scope: Annotated[Literal["page", "site"], Meta(description="The page, or the whole website.")]
    lcp_ms: Milliseconds | None
    inp_ms: Milliseconds | None
    cls: LayoutShift | None
    period_end: Annotated[Day | None, Meta(description="The last of the 28 days; null: not known.")]


class FindingsUse(Shape):
    """The source of each value that findings use; null if unknown. ``field_site`` is used only if the page is slow in
    the lab too. The source of ``inp`` is never ``lab``, since a lab cannot measure INP."""

    lcp: Annotated[Source | None, Meta(description="The source for largest contentful paint.")]
    cls: Annotated[Source | None, Meta(description="The source for cumulative layout shift.")]
    inp: Annotated[Source | None, Meta(description="The source for interaction to next paint.")]


class TestedPage(Shape):
    """A page that was tested."""

    url: PageUrl
    template: Template
    tested_at: Annotated[Timestamp, Meta(description="When the page was tested.")]
    lighthouse_version: Annotated[str, Meta(description="Version of Lighthouse.")]
    lab: Lab
    field: PageField | None
    findings_use: FindingsUse


class TestBudget(Shape):
    """The limit of speed tests for a UTC day."""

    per_day: Annotated[Count, Meta(description="Tests allowed in a day.")]
    used_today: Annotated[Count, Meta(description="Tests used today.")]
    left: Annotated[Count, Meta(description="Tests that remain today.")]
    next_free_at: Annotated[Timestamp | None, Meta(description="When the next test is possible; null: now.")]


class Performance(Shape):
    """Speed of the website: lab results and measurements of real visitors."""

    site: SiteFieldData
    pages: Annotated[list[TestedPage], Meta(description="The page that was tested last comes first.")]
    total: Annotated[Count, Meta(description="The number of all tested pages, listed or not.")]
    offset: Offset
    next_offset: NextOffset
    truncated: Truncated
    budget: TestBudget
    note: Annotated[str | None, Meta(description="How to read the figures; null: no remarks.")]
    link: AppLink
