"""Landing pages of an analytics property."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.values import (
    Address,
    AppLink,
    Clicks,
    Count,
    Day,
    Days,
    Impressions,
    NextCursor,
    NextOffset,
    Offset,
    Timestamp,
    Total,
)
from chalicelib.domain.analytics.report import Channel
from chalicelib.http.answers import Shape

Amount = Annotated[float, Meta(description="An amount in `currency`, with two decimals.")]
Share = Annotated[float, Meta(ge=0, description="A fraction.")]


class EventCount(Shape):
    """How often one key event happened."""

    name: Annotated[str, Meta(description="Name of the key event.")]
    count: Annotated[float, Meta(description="How often it happened.")]


class LandingFigures(Shape, kw_only=True):
    """Results of visits that began on a page (in totals: on any page), and its search performance."""

    sessions: Annotated[Count, Meta(description="Visits.")]
    engaged_sessions: Annotated[Count, Meta(description="Visits that analytics counts as engaged.")]
    engagement_rate: Share | None
    key_events: Annotated[float, Meta(description="Conversions: key events of the visits.")]
    conversion_rate: Annotated[Share | None, Meta(description="Share of sessions with a key event, a fraction.")]
    purchases: Annotated[Count | None, Meta(description="The number of purchases; null: the property measures none.")]
    purchase_revenue: Amount | None
    revenue: Annotated[Amount, Meta(description="Revenue of all kinds, in `currency`.")]
    revenue_per_session: Amount | None
    clicks: Clicks | None
    impressions: Impressions | None
    ctr: Share | None
    position: Annotated[float | None, Meta(description="Average position in search; null: not known.")]


class LandingPage(LandingFigures, kw_only=True):
    """The page on which visits began. ``url`` is null for a value that is not an address, such as `(not set)`."""

    page: Annotated[str, Meta(description="The path of the page, as the property reports it.")]
    url: Annotated[Address | None, Meta(description="Address of the page.")]
    key_events_by_name: Annotated[list[EventCount], Meta(description="The key events by name.")]
    key_events_truncated: (
        Annotated[bool, Meta(description="True if key events are left out because the answer would pass 5 MB.")]
        | UnsetType
    ) = UNSET


class LandingPageList(Shape, kw_only=True):
    """Landing pages with conversions, revenue and search performance."""

    period: Days
    channel: Annotated[Channel, Meta(description="Which visits are counted.")]
    property: Annotated[str, Meta(description="The number of the property.")]
    currency: Annotated[str | None, Meta(description="ISO 4217.")]
    purchases_metric: Annotated[
        str | None, Meta(description="The metric that counts purchases; null: the property counts none.")
    ]
    outcome_events: Annotated[list[EventCount], Meta(description="Key events of all rows, by name.")]
    outcome_events_truncated: (
        Annotated[bool, Meta(description="True if key events are left out because the answer would pass 5 MB.")]
        | UnsetType
    ) = UNSET
    totals: Annotated[LandingFigures, Meta(description="The figures of all rows. Rates are computed from sums.")]
    sort: Annotated[str, Meta(description="The member by which the rows are sorted.")]
    order: Annotated[Literal["asc", "desc"], Meta(description="Ascending or descending.")]
    offset: Offset
    limit: Annotated[int, Meta(description="Most rows of an answer.", ge=1)]
    total: Total
    next_offset: NextOffset
    next_cursor: NextCursor
    rows: Annotated[list[LandingPage], Meta(description="A row for each landing page.")]
    search_data: Annotated[Literal["joined", "unavailable"], Meta(description="Whether search performance was added.")]
    search_data_final_through: (
        Annotated[Day, Meta(description="The last day of search data, if the period ends later.")] | UnsetType
    ) = UNSET
    cached: Annotated[bool, Meta(description="Whether the figures come from the cache.")]
    fetched_at: Annotated[Timestamp, Meta(description="When analytics was read.")]
    note: Annotated[str, Meta(description="How to read the figures.")]
    link: AppLink
