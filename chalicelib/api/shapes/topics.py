"""Topics: what a website is found for."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.search import Ctr, Position
from chalicelib.api.shapes.values import Address, Count, Day, Days, NextOffset, Offset, Timestamp, Truncated
from chalicelib.domain.search.strength import StrengthName
from chalicelib.domain.search.topics import NameFrom
from chalicelib.http.answers import Shape

Section = Annotated[str | None, Meta(description="The folder of the pages' addresses; null for pages in none.")]


class TopicPage(Shape):
    """A page of a topic, and what search brought it. Without impressions it was not shown."""

    url: str
    clicks: Count
    impressions: Count
    position: Position | None


class TopicQuery(Shape):
    """A query that the topic's pages were shown for."""

    query: str
    clicks: Count
    impressions: Count
    ctr: Ctr | None
    position: Position | None


class Topic(Shape):
    """Pages that belong together. ``nameFrom``: the query with most clicks, the folder, or the title of a page."""

    id: Annotated[str, Meta(description="Stays as long as section and first words do.")]
    name: str
    name_from: NameFrom
    section: Section
    words: Annotated[list[str], Meta(description="Words that the pages are searched for with, first what says most.")]
    page_count: Count
    pages_without_search_data: Annotated[Count, Meta(description="Of these, pages that were not shown.")]
    pages: Annotated[list[TopicPage], Meta(description="Those with most clicks, 50 at most.")]
    pages_truncated: bool
    clicks: Count
    impressions: Count
    ctr: Ctr | None
    position: Annotated[Position | None, Meta(description="Weighted by impressions.")]
    clicks_per28_days: Annotated[float, Meta(ge=0, description="As if the period had 28 days.")]
    strength: Annotated[
        StrengthName, Meta(description="`strong`: at least five clicks a page in 28 days; `weak`: fewer.")
    ]
    clicks_short: Annotated[float, Meta(ge=0, description="Further clicks in 28 days that `strong` needs.")]
    top_queries: Annotated[list[TopicQuery], Meta(description="Of the days in `queriesWindow`, 10 at most.")]
    top_queries_truncated: (
        Annotated[bool, Meta(description="True where queries are left out, because the answer would pass 5 MB.")]
        | UnsetType
    ) = UNSET


class Ungrouped(Shape):
    """Pages with search data in groups of fewer than `minPages` pages."""

    page_count: Count
    clicks: Count
    impressions: Count
    pages: Annotated[list[TopicPage], Meta(description="Those with most clicks, 50 at most.")]
    truncated: Annotated[bool, Meta(description="Whether pages are left out.")]


class UncoveredPage(Shape):
    """A page that the last audit found, and search did not show."""

    url: str
    section: Section


class Uncovered(Shape):
    """Crawled content pages without impressions in groups of fewer than `minPages` pages."""

    page_count: Count
    pages: Annotated[list[UncoveredPage], Meta(description="200 at most.")]
    truncated: bool


class TopicsSearchData(Shape):
    """The data behind the topics."""

    final_through: Annotated[Day | None, Meta(description="The last day whose figures are final and stored.")]
    pages: Annotated[Count, Meta(description="Pages in the search data of the period.")]


class TopicList(Shape):
    """The topics that a website is found for."""

    period: Days
    queries_window: Annotated[Days | None, Meta(description="The days of the queries; null before there are any.")]
    sort: Literal["clicks", "opportunity", "pages", "impressions"]
    min_pages: int
    search_data: TopicsSearchData
    pages_capped: Annotated[bool, Meta(description="Only the 20,000 pages with most impressions were grouped.")]
    total_topics: Count
    offset: Offset
    next_offset: NextOffset
    truncated: Truncated
    topics: list[Topic]
    ungrouped: Ungrouped
    uncovered: Uncovered
    cached: bool
    computed_at: Timestamp
    note: str
    link: Address
