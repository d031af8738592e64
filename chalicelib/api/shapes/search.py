"""Shapes of search performance."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.values import AppLink, Clicks, Day, Days, Impressions, NextCursor
from chalicelib.http.answers import Shape

Ctr = Annotated[float, Meta(ge=0, description="Clicks per impression, as a fraction; null: no impressions.")]
Position = Annotated[float, Meta(ge=0, description="Average over all impressions; null: no impressions.")]


class SearchRow(Shape, kw_only=True):
    """The search performance of a query, a page, a pair of both, or a day, depending on `dimension`."""

    query: Annotated[str, Meta(description="The search query.")] | UnsetType = UNSET
    page: Annotated[str, Meta(description="Address of the page.")] | UnsetType = UNSET
    date: Annotated[Day, Meta(description="The day.")] | UnsetType = UNSET
    clicks: Clicks
    impressions: Impressions
    ctr: Ctr | None
    position: Position | None


class SearchFilters(Shape):
    """The filters of the request; null if it has none."""

    country: Annotated[str | None, Meta(description="Three letters, such as `deu`.")]
    device: Annotated[Literal["mobile", "desktop", "tablet"] | None, Meta(description="Kind of device.")]
    page: Annotated[str | None, Meta(description="Address of the page.")]


class SearchRows(Shape):
    """Rows of search performance, and the cursor of the next rows."""

    period: Days
    dimension: Annotated[Literal["query", "page", "query_page", "date"], Meta(description="What each row stands for.")]
    search_type: Annotated[Literal["web", "image"], Meta(description="Web search, or image search.")]
    filters: SearchFilters
    window: Annotated[
        Days | None,
        Meta(description="Days for which pairs of query and page are stored; null for other rows."),
    ]
    rows: Annotated[list[SearchRow], Meta(description="The rows, most clicks first; days by date.")]
    next_cursor: NextCursor
    note: Annotated[str, Meta(description="How to read the figures.")]


class SearchFigures(Shape):
    """Clicks and impressions, and the figures computed from them."""

    clicks: Clicks
    impressions: Impressions
    ctr: Ctr | None
    position: Position | None


class SearchChange(Shape):
    """The figures minus those of the period before; null if one is unknown."""

    clicks: Annotated[int, Meta(description="Difference of clicks.")]
    impressions: Annotated[int, Meta(description="Difference of impressions.")]
    ctr: Annotated[float | None, Meta(description="Difference of the click rates.")]
    position: Annotated[float | None, Meta(description="Difference of the positions; a negative value is better.")]


class SearchSummary(Shape):
    """Web search in the latest days, compared with as many days before."""

    period: Days | None
    previous_period: Days | None
    totals: SearchFigures | None
    previous: SearchFigures | None
    change: SearchChange | None
    top_pages: Annotated[list[SearchRow], Meta(description="Pages with most clicks.")]
    top_queries: Annotated[list[SearchRow], Meta(description="Queries with most clicks.")]
    days: Annotated[list[SearchRow], Meta(description="A row for each day.")]
    final_through: Annotated[Day | None, Meta(description="The last day whose figures are final and stored.")]
    note: Annotated[str, Meta(description="How to read the figures.")]
    link: AppLink
