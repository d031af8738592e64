"""Landing pages of an analytics property."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.values import Address, Count, Day, Days, Timestamp
from chalicelib.domain.analytics.report import Channel
from chalicelib.http.answers import Shape

Amount = Annotated[float, Meta(description="In `currency`, two decimals.")]
Share = Annotated[float, Meta(ge=0, description="A fraction.")]


class EventCount(Shape):
    """Key events of one name."""

    name: str
    count: float


class LandingFigures(Shape, kw_only=True):
    """Results of visits that began on a page, or on all pages together, with their search performance."""

    sessions: Count
    engaged_sessions: Count
    engagement_rate: Share | None
    key_events: float
    conversion_rate: Annotated[Share | None, Meta(description="Share of sessions with a key event, a fraction.")]
    purchases: Annotated[Count | None, Meta(description="Null where the property measures none.")]
    purchase_revenue: Amount | None
    revenue: Annotated[Amount, Meta(description="Of all kinds, in `currency`.")]
    revenue_per_session: Amount | None
    clicks: Count | None
    impressions: Count | None
    ctr: Share | None
    position: float | None


class LandingPage(LandingFigures, kw_only=True):
    """A page on which visits began. ``url`` is null for what is no page, such as `(not set)`."""

    page: Annotated[str, Meta(description="Its path, as the property reports it.")]
    url: Address | None
    key_events_by_name: list[EventCount]
    key_events_truncated: (
        Annotated[bool, Meta(description="True where names are left out, because the answer would pass 5 MB.")]
        | UnsetType
    ) = UNSET


class LandingPageList(Shape, kw_only=True):
    """Landing pages with conversions and revenue, joined with search performance of the same paths and days."""

    period: Days
    channel: Channel
    property: Annotated[str, Meta(description="The number of the property.")]
    currency: Annotated[str | None, Meta(description="ISO 4217.")]
    purchases_metric: Annotated[str | None, Meta(description="What counts purchases; null: the property counts none.")]
    outcome_events: Annotated[list[EventCount], Meta(description="Key events of all rows, by name.")]
    outcome_events_truncated: (
        Annotated[bool, Meta(description="True where names are left out, because the answer would pass 5 MB.")]
        | UnsetType
    ) = UNSET
    totals: Annotated[LandingFigures, Meta(description="Of all rows; shares are made of sums.")]
    sort: str
    order: Literal["asc", "desc"]
    offset: Count
    limit: Annotated[int, Meta(ge=1)]
    total: Count
    next_offset: Count | None
    next_cursor: str | None
    rows: list[LandingPage]
    search_data: Literal["joined", "unavailable"]
    search_data_final_through: (
        Annotated[Day, Meta(description="The last day of search data, where the period ends after it.")] | UnsetType
    ) = UNSET
    cached: bool
    fetched_at: Timestamp
    note: str
    link: Address
