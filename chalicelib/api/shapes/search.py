"""Shapes of search performance."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.values import Address, Count, Day, Days
from chalicelib.http.answers import Shape

Ctr = Annotated[float, Meta(ge=0, description="Clicks an impression, a fraction; null without impressions.")]
Position = Annotated[float, Meta(ge=0, description="Average over all impressions; null without any.")]


class SearchRow(Shape, kw_only=True):
    """The search performance of a query, a page, a query with a page, or a day. The dimension decides which of the
    three members are present."""

    query: str | UnsetType = UNSET
    page: str | UnsetType = UNSET
    date: Day | UnsetType = UNSET
    clicks: Count
    impressions: Count
    ctr: Ctr | None
    position: Position | None


class SearchFilters(Shape):
    """The filters of the request; null without one."""

    country: str | None
    device: Literal["mobile", "desktop", "tablet"] | None
    page: str | None


class SearchRows(Shape):
    """Rows of search performance, and the cursor of those that follow."""

    period: Days
    dimension: Literal["query", "page", "query_page", "date"]
    search_type: Literal["web", "image"]
    filters: SearchFilters
    window: Annotated[Days | None, Meta(description="The days that pairs of query and page cover, for these alone.")]
    rows: list[SearchRow]
    next_cursor: str | None
    note: str


class SearchFigures(Shape):
    """Clicks and impressions, and what is worked out of them."""

    clicks: Count
    impressions: Count
    ctr: Ctr | None
    position: Position | None


class SearchChange(Shape):
    """The figures less those of the period before; null where either is not known."""

    clicks: int
    impressions: int
    ctr: float | None
    position: float | None


class SearchSummary(Shape):
    """The latest days of web search, against as many days before."""

    period: Days | None
    previous_period: Days | None
    totals: SearchFigures | None
    previous: SearchFigures | None
    change: SearchChange | None
    top_pages: list[SearchRow]
    top_queries: list[SearchRow]
    days: list[SearchRow]
    final_through: Annotated[Day | None, Meta(description="The last day whose figures are final and stored.")]
    note: str
    link: Address
