"""Topics: what a website is found for."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.search import Ctr, Position
from chalicelib.api.shapes.values import (
    AppLink,
    Clicks,
    Count,
    Day,
    Days,
    Impressions,
    NextOffset,
    Offset,
    Timestamp,
    Truncated,
)
from chalicelib.domain.search.strength import StrengthName
from chalicelib.domain.search.topics import NameFrom
from chalicelib.http.answers import Shape

Section = Annotated[str | None, Meta(description="The folder of the pages' addresses; null: they are in no folder.")]


class TopicPage(Shape):
    """A page of a topic, and its search figures. A page without impressions was not shown in search."""

    url: Annotated[str, Meta(description="The page's address.")]
    clicks: Clicks
    impressions: Impressions
    position: Position | None


class TopicQuery(Shape):
    """A query for which search showed the topic's pages."""

    query: Annotated[str, Meta(description="The search query.")]
    clicks: Clicks
    impressions: Impressions
    ctr: Ctr | None
    position: Position | None


class Topic(Shape):
    """A group of pages about the same thing."""

    id: Annotated[
        str,
        Meta(description="The topic's id. It stays the same as long as the section and the first words stay the same."),
    ]
    name: Annotated[str, Meta(description="Name of the topic.")]
    name_from: Annotated[NameFrom, Meta(description="The query with most clicks, the folder, or the title of a page.")]
    section: Section
    words: Annotated[
        list[str], Meta(description="Words with which people search for the pages, the most typical first.")
    ]
    page_count: Annotated[Count, Meta(description="Pages of the topic.")]
    pages_without_search_data: Annotated[
        Count, Meta(description="Pages of the topic that search results did not show.")
    ]
    pages: Annotated[list[TopicPage], Meta(description="The pages with the most clicks, at most 50.")]
    pages_truncated: Annotated[bool, Meta(description="Whether `pages` lists only some.")]
    clicks: Clicks
    impressions: Impressions
    ctr: Ctr | None
    position: Annotated[Position | None, Meta(description="Weighted by impressions.")]
    clicks_per28_days: Annotated[float, Meta(ge=0, description="Clicks of the period, converted to 28 days.")]
    strength: Annotated[
        StrengthName, Meta(description="`strong`: at least five clicks a page in 28 days; `weak`: fewer.")
    ]
    clicks_short: Annotated[
        float, Meta(ge=0, description="How many more clicks in 28 days would make the topic `strong`.")
    ]
    top_queries: Annotated[
        list[TopicQuery], Meta(description="The top queries of the days in `queriesWindow`, at most 10.")
    ]
    top_queries_truncated: (
        Annotated[bool, Meta(description="True if queries are left out because the answer would pass 5 MB.")]
        | UnsetType
    ) = UNSET


class Ungrouped(Shape):
    """Pages with search data whose group has fewer than `minPages` pages."""

    page_count: Annotated[Count, Meta(description="How many pages.")]
    clicks: Clicks
    impressions: Impressions
    pages: Annotated[list[TopicPage], Meta(description="The pages with the most clicks, at most 50.")]
    truncated: Annotated[bool, Meta(description="Whether pages are left out.")]


class UncoveredPage(Shape):
    """A page that the last audit found and that search did not show."""

    url: Annotated[str, Meta(description="The page's address.")]
    section: Section


class Uncovered(Shape):
    """Content pages without impressions whose group has fewer than `minPages` pages."""

    page_count: Annotated[Count, Meta(description="How many pages.")]
    pages: Annotated[list[UncoveredPage], Meta(description="200 at most.")]
    truncated: Annotated[bool, Meta(description="Whether `pages` lists only some.")]


class TopicsSearchData(Shape):
    """The data behind the topics."""

    final_through: Annotated[Day | None, Meta(description="The last day whose figures are final and stored.")]
    pages: Annotated[Count, Meta(description="Pages in the search data of the period.")]


class TopicList(Shape):
    """The topics that a website is found for."""

    period: Days
    queries_window: Annotated[Days | None, Meta(description="The days of the queries; null before there are any.")]
    sort: Annotated[
        Literal["clicks", "opportunity", "pages", "impressions"], Meta(description="What the topics are sorted by.")
    ]
    min_pages: Annotated[int, Meta(description="Fewest pages of a topic.")]
    search_data: TopicsSearchData
    pages_capped: Annotated[bool, Meta(description="Only the 20,000 pages with most impressions were grouped.")]
    total_topics: Annotated[Count, Meta(description="The number of all topics, listed or not.")]
    offset: Offset
    next_offset: NextOffset
    truncated: Truncated
    topics: Annotated[list[Topic], Meta(description="The topics.")]
    ungrouped: Ungrouped
    uncovered: Uncovered
    cached: Annotated[bool, Meta(description="Whether the topics come from the cache.")]
    computed_at: Annotated[Timestamp, Meta(description="When the topics were made.")]
    note: Annotated[str, Meta(description="How to read the figures.")]
    link: AppLink
