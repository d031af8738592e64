"""Sorts the topics that have enough pages to be listed, and collects the pages of all other topics."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from chalicelib.domain.search.strength import Strength, strength_of
from chalicelib.domain.search.topics import MOST_PAGES, Topic, TopicPage, Topics

MOST_UNCOVERED: Final = 200


class Listed(NamedTuple):
    """A topic and its strength."""

    topic: Topic
    strength: Strength


class Ungrouped(NamedTuple):
    """Pages that have search data but belong to topics with too few pages to be listed. Pages with most clicks come
    first.

    The fields are the number of these pages, the sums of their figures, and the first ``MOST_PAGES`` pages.
    """

    page_count: int
    clicks: int
    impressions: int
    pages: Sequence[TopicPage]


class Uncovered(NamedTuple):
    """Content pages that had no impressions and belong to topics with too few pages to be listed.

    The fields are the number of these pages and the first ``MOST_UNCOVERED`` of them, each with its section.
    """

    page_count: int
    pages: Sequence[tuple[str, str | None]]


class Lists(NamedTuple):
    topics: Sequence[Listed]
    ungrouped: Ungrouped
    uncovered: Uncovered


def lists(found: Topics, days: int, *, sort: str, min_pages: int) -> Lists:
    """Return the topics of at least ``min_pages`` pages, sorted, and the pages of all other topics. ``days``: the
    length of the period.

    A topic with fewer than ``min_pages`` pages also has fewer than ``MOST_PAGES``, so all of its pages are available
    here.
    """
    assert min_pages <= MOST_PAGES
    listed = [
        Listed(topic, strength_of(topic.page_count, topic.clicks, days))
        for topic in found.topics
        if topic.page_count >= min_pages
    ]
    listed.sort(key=lambda one: (*_ORDERS[sort](one), -one.topic.clicks, -one.topic.impressions, one.topic.id))
    small = [topic for topic in found.topics if topic.page_count < min_pages]
    return Lists(listed, _ungrouped(small), _uncovered(small))


def _ungrouped(small: Iterable[Topic]) -> Ungrouped:
    pages = [page for topic in small for page in topic.pages if page.impressions or page.clicks]
    pages.sort(key=lambda page: (-page.clicks, -page.impressions, page.url))
    return Ungrouped(
        len(pages),
        sum(page.clicks for page in pages),
        sum(page.impressions for page in pages),
        pages[:MOST_PAGES],
    )


def _uncovered(small: Iterable[Topic]) -> Uncovered:
    pages = sorted((page.url, topic.section or "") for topic in small for page in topic.pages if not page.impressions)
    return Uncovered(len(pages), [(url, section or None) for url, section in pages[:MOST_UNCOVERED]])


_ORDERS: Final[Mapping[str, Callable[[Listed], tuple[float, ...]]]] = {
    "clicks": lambda one: (-one.topic.clicks,),
    "opportunity": lambda one: (-one.strength.clicks_short,),
    "pages": lambda one: (-one.topic.page_count,),
    "impressions": lambda one: (-one.topic.impressions,),
}
SORTS: Final = tuple(_ORDERS)
