"""Topics beside a naive grouping: the same pages together, the same sums, and the same pages left over."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.search.topic_lists import lists
from chalicelib.domain.search.topics import MOST_PAGES, CrawledPage, Pair, SearchedPage, Topic, Topics, topics
from tests.domain.search import naive_topics as naive
from tests.domain.search.naive_topics import NAME, WEBSITES, Group, WholeSite
from tests.lengths import examples

DAYS = 28
Sums = tuple[str | None, int, int, int, int, int, tuple[str, ...]]


def found(site: WholeSite) -> Topics:
    return topics(
        [SearchedPage(*row[:4]) for row in site.searched],
        [Pair(row.query, *row[:4]) for row in site.pairs],
        [CrawledPage(*known) for known in site.crawled],
        [NAME],
    )


def sums_of_topic(topic: Topic) -> Sums:
    return (
        topic.section,
        topic.page_count,
        topic.pages_without_data,
        topic.clicks,
        topic.impressions,
        topic.positions,
        tuple(naive.key(page.url) for page in topic.pages),
    )


def sums_of_group(group: Group) -> Sums:
    pages = sorted(group.pages, key=lambda page: page.rank)
    return (
        group.section,
        len(pages),
        sum(page.impressions == 0 for page in pages),
        sum(page.clicks for page in pages),
        sum(page.impressions for page in pages),
        sum(page.positions for page in pages),
        tuple(page.key for page in pages[:MOST_PAGES]),
    )


def sortable(sums: Sums) -> tuple[object, ...]:
    return (sums[0] or "", *sums[1:])


@settings(max_examples=examples(400))
@given(WEBSITES)
def test_topics_are_the_same_as_if_every_pair_of_pages_is_compared(site: WholeSite) -> None:
    told = sorted(map(sums_of_topic, found(site).topics), key=sortable)
    assert told == sorted(map(sums_of_group, naive.groups(site)), key=sortable)


@pytest.mark.parametrize("pages", [50, 51])
def test_a_folder_with_more_than_fifty_pages_is_split_by_subfolders(pages: int) -> None:
    paths = [f"tents/{'family/' if number < 20 else ''}x{number}" for number in range(pages)]
    rows = [naive.Row(f"https://{naive.HOST}/{path}", 1, 9, 30) for path in paths]
    site = WholeSite(rows, [row._replace(query="tent") for row in rows[:15]] + [rows[16]._replace(query="boot")], [])
    told = sorted(map(sums_of_topic, found(site).topics), key=sortable)
    assert told == sorted(map(sums_of_group, naive.groups(site)), key=sortable)
    assert {topic[0] for topic in told} == ({"tents"} if pages == 50 else {"tents", "tents/family"})


@settings(max_examples=examples(100))
@given(WEBSITES, st.integers(1, 6))
def test_pages_of_too_small_groups_are_listed_as_ungrouped(site: WholeSite, min_pages: int) -> None:
    told = lists(found(site), DAYS, sort="clicks", min_pages=min_pages)
    every = naive.groups(site)
    small = [(page, group.section) for group in every if len(group.pages) < min_pages for page in group.pages]
    shown = sorted((page for page, _ in small if page.impressions), key=lambda page: page.rank)
    assert (told.ungrouped.page_count, told.ungrouped.clicks, told.ungrouped.impressions) == (
        len(shown),
        sum(page.clicks for page in shown),
        sum(page.impressions for page in shown),
    )
    ranks = [(-page.clicks, -page.impressions) for page in shown]
    assert [(-page.clicks, -page.impressions) for page in told.ungrouped.pages] == ranks[:MOST_PAGES]
    assert {naive.key(page.url) for page in told.ungrouped.pages} <= {page.key for page in shown}
    hidden = sorted((page.key, section) for page, section in small if not page.impressions)
    assert told.uncovered.page_count == len(hidden)
    assert sorted((naive.key(url), section) for url, section in told.uncovered.pages) == hidden
    assert sorted(one.topic.page_count for one in told.topics) == sorted(
        len(group.pages) for group in every if len(group.pages) >= min_pages
    )


@settings(max_examples=examples(100))
@given(WEBSITES, st.integers(0, 2**32))
def test_the_order_of_rows_changes_neither_topics_nor_sums(site: WholeSite, seed: int) -> None:
    draw = random.Random(seed)
    told = found(site)
    assert found(WholeSite(*(draw.sample(part, len(part)) for part in site))) == told  # type: ignore[arg-type]
    assert len({topic.id for topic in told.topics}) == len(told.topics)
    for member in ("clicks", "impressions", "positions"):
        assert sum(getattr(topic, member) for topic in told.topics) == sum(
            getattr(row, member) for row in site.searched
        )
