"""Topics: which pages belong together, what they are called, and that the same data always says the same."""

import random
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.crawl.urls import normalise
from chalicelib.domain.search import topics as subject
from chalicelib.domain.search.addresses import page_key
from chalicelib.domain.search.topics import CrawledPage, Pair, SearchedPage, Topic, Topics, topics
from chalicelib.suggestions.words import split_words
from tests.lengths import examples

SITE = "https://shop.example"


def searched(path: str, clicks: int = 10, impressions: int = 100, position: int = 5) -> SearchedPage:
    return SearchedPage(SITE + path, clicks, impressions, position * impressions)


def pair(query: str, path: str, clicks: int = 5, impressions: int = 50) -> Pair:
    return Pair(query, SITE + path, clicks, impressions, impressions * 4)


def crawled(path: str, title: str | None = None, *, content: bool = True) -> CrawledPage:
    return CrawledPage(SITE + path, title, content)


def made(
    pages: Sequence[SearchedPage] = (), pairs: Sequence[Pair] = (), known: Sequence[CrawledPage] = ()
) -> dict[str, Topic]:
    found = topics(pages, pairs, known, ["Shop"])
    assert len({topic.name for topic in found.topics}) == len(found.topics) or known
    return {topic.name: topic for topic in found.topics}


SHOP_PAGES = [
    searched("/boots", 50, 900),
    searched("/boots/fell", 20, 300),
    searched("/boots/corrie", 10, 200),
    searched("/guides/pitch-a-tent", 40, 500),
    searched("/guides/tent-repair", 15, 400),
    searched("/guides/stove-fuel", 5, 90),
    searched("/guides/gas-stove-test", 4, 80),
    searched("/about", 1, 30),
]
SHOP_PAIRS = [
    pair("hiking boots", "/boots", 30, 700),
    pair("leather hiking boots", "/boots/fell", 12, 200),
    pair("waterproof boots", "/boots/corrie", 6, 150),
    pair("pitch a tent", "/guides/pitch-a-tent", 20, 300),
    pair("tent repair", "/guides/tent-repair", 9, 250),
    pair("shop tents", "/guides/tent-repair", 99, 250),
    pair("gas stove fuel", "/guides/stove-fuel", 3, 60),
    pair("best gas stove", "/guides/gas-stove-test", 2, 50),
    pair("shop", "/about", 500, 600),
]


def test_a_section_searched_with_one_common_word_is_one_topic() -> None:
    boots = made(SHOP_PAGES, SHOP_PAIRS)["hiking boots"]
    assert (boots.name_from, boots.section, boots.page_count) == ("queries", "boots", 3)
    assert (boots.clicks, boots.impressions, boots.positions) == (80, 1_400, 7_000)
    assert boots.words[:2] == ("boots", "hiking")
    assert [page.url for page in boots.pages] == [SITE + path for path in ("/boots", "/boots/fell", "/boots/corrie")]
    assert [query.query for query in boots.queries] == ["hiking boots", "leather hiking boots", "waterproof boots"]


def test_a_section_with_several_subjects_is_split_by_its_queries() -> None:
    found = made(SHOP_PAGES, SHOP_PAIRS)
    assert [page.url.rpartition("/")[2] for page in found["pitch a tent"].pages] == ["pitch-a-tent", "tent-repair"]
    assert found["gas stove fuel"].page_count == 2


def test_a_query_that_contains_the_website_name_does_not_name_a_topic() -> None:
    assert made(SHOP_PAGES, SHOP_PAIRS).keys().isdisjoint({"shop", "shop tents"})


def test_a_topic_name_contains_no_stop_words() -> None:
    pages = [searched("/a/one"), searched("/a/two")]
    pairs = [pair("the how to", "/a/one", 90), pair("rope knots", "/a/one"), pair("knots", "/a/two")]
    assert list(made(pages, pairs)) == ["knots"] or list(made(pages, pairs)) == ["rope knots"]


def test_a_page_without_queries_joins_a_topic_by_its_title_and_address() -> None:
    known = [crawled("/guides/tent-repair-kit", "Repair a tent by yourself"), crawled("/guides/maps", "Reading maps")]
    found = made(SHOP_PAGES, SHOP_PAIRS, known)
    tents = found["pitch a tent"]
    assert (tents.page_count, tents.pages_without_data) == (3, 1)
    assert tents.pages[-1] == subject.TopicPage(SITE + "/guides/tent-repair-kit", 0, 0, 0)
    assert (found["guides"].name_from, found["guides"].page_count) == ("section", 1)


def test_a_page_excluded_from_search_counts_only_if_search_has_shown_it() -> None:
    known = [crawled("/guides/tent-old", "Tent", content=False), crawled("/about", "About us", content=False)]
    found = topics(SHOP_PAGES, SHOP_PAIRS, known, ["Shop"])
    assert sum(topic.page_count for topic in found.topics) == len(SHOP_PAGES)
    assert "About us" in {topic.name for topic in found.topics}


def test_a_topic_of_one_page_without_folder_and_queries_is_named_by_title_or_address() -> None:
    found = topics([searched("/contact"), searched("/terms-of-sale")], [], [crawled("/contact", "Talk to us")])
    assert {(topic.name, topic.name_from) for topic in found.topics} == {
        ("Talk to us", "page"),
        ("terms of sale", "page"),
    }


def test_several_addresses_of_one_page_are_summed() -> None:
    pages = [
        SearchedPage("http://shop.example/tents", 1, 10, 20),
        SearchedPage("https://www.shop.example/tents/", 2, 30, 90),
        SearchedPage("https://shop.example/tents#sizes", 4, 5, 5),
    ]
    (topic,) = topics(pages, [], []).topics
    assert topic.pages == (subject.TopicPage("https://www.shop.example/tents/", 7, 45, 115),)
    (topic,) = topics(pages, [], [crawled("/tents", "Tents")]).topics
    assert topic.pages[0].url == SITE + "/tents"


def test_the_same_folder_in_two_languages_gives_separate_topics() -> None:
    pages = [searched(f"/{language}/blog/p{n}") for language in ("de", "fr") for n in range(3)]
    pairs = [pair("camping", f"/{language}/blog/p{n}") for language in ("de", "fr") for n in range(3)]
    found = topics(pages, pairs, [])
    assert [topic.page_count for topic in found.topics] == [3, 3]
    assert {topic.section for topic in found.topics} == {"blog"}
    assert len({topic.id for topic in found.topics}) == 2


def test_lists_are_limited_but_counts_are_complete() -> None:
    pages = [searched(f"/tents/t{n}", clicks=n) for n in range(70)]
    pairs = [pair(f"tent model {n} x{n}", f"/tents/t{n}", clicks=n) for n in range(70)]
    found = topics(pages, pairs, [])
    largest = max(found.topics, key=lambda topic: topic.page_count)
    assert largest.page_count == 70
    assert len(largest.pages) == subject.MOST_PAGES
    assert len(largest.queries) == subject.MOST_QUERIES
    assert largest.pages[0].clicks == 69
    assert largest.clicks == sum(range(70))


def test_above_the_limit_only_pages_with_the_most_impressions_are_grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "MOST_GROUPED", 5)
    pages = [searched(f"/tents/t{n}", clicks=100 - n, impressions=100 + n) for n in range(8)]
    found = topics(pages, [], [crawled("/tents/t0"), crawled("/tents/new")])
    assert found.capped
    assert found.searched == 8
    urls = {page.url for topic in found.topics for page in topic.pages}
    assert urls == {SITE + f"/tents/t{n}" for n in range(3, 8)} | {SITE + "/tents/new"}
    assert not topics(pages[:5], [], []).capped


def test_without_data_there_are_no_topics() -> None:
    assert topics([], [], []) == Topics((), 0, False)


PATHS = st.sampled_from(
    ["", "/about", *(f"/{folder}/{name}" for folder in ("tents", "boots", "de/zelte") for name in "abcdef")]
)
ASKED = "tent,family tent,tents for two,hiking boots,boots leather,zelte,zelt kaufen,the,shop,shop boots,帐篷推荐,帐篷"
QUERIES = st.sampled_from(ASKED.split(","))
NUMBERS = st.integers(0, 500)
PAGES = st.lists(
    st.builds(searched, PATHS, NUMBERS, NUMBERS, st.integers(1, 50)), max_size=15, unique_by=lambda row: row.url
)
PAIRS = st.lists(
    st.builds(pair, QUERIES, PATHS, NUMBERS, NUMBERS), max_size=25, unique_by=lambda row: (row.query, row.url)
)
KNOWN = st.lists(
    st.builds(lambda path, title, content: crawled(path, title, content=content), PATHS, QUERIES, st.booleans()),
    max_size=10,
    unique_by=lambda row: row.url,
)


@settings(max_examples=examples(60))
@given(PAGES, PAIRS, KNOWN, st.randoms(use_true_random=False))
def test_the_order_of_the_data_does_not_change_topics_and_no_click_is_lost(
    pages: list[SearchedPage], pairs: list[Pair], known: list[CrawledPage], draw: random.Random
) -> None:
    found = topics(pages, pairs, known, ["shop"])
    again = topics(
        draw.sample(pages, len(pages)), draw.sample(pairs, len(pairs)), draw.sample(known, len(known)), ["shop"]
    )
    assert again == found
    assert sum(topic.clicks for topic in found.topics) == sum(row.clicks for row in pages)
    assert sum(topic.impressions for topic in found.topics) == sum(row.impressions for row in pages)
    assert sum(topic.positions for topic in found.topics) == sum(row.positions for row in pages)
    keys = {page_key(row.url) for row in pages} | {page_key(row.url) for row in known if row.content}
    assert sum(topic.page_count for topic in found.topics) == len(keys)
    assert {page_key(page.url) for topic in found.topics for page in topic.pages} == keys
    assert len({topic.id for topic in found.topics}) == len(found.topics)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=Topics) == found


def website(pages: int, pairs: int, seed: int = 5) -> tuple[list[SearchedPage], list[Pair], list[CrawledPage]]:
    draw = random.Random(seed)
    words = [f"{part}{end}" for part in "tent boot stove rope map lamp pan mat".split() for end in range(60)]
    paths = [f"/{draw.choice('abcdefgh')}/{draw.choice('xyz')}/{draw.choice(words)}-{n}" for n in range(pages)]
    rows = [searched(path, draw.randrange(50), 1 + draw.randrange(900)) for path in paths]
    asked = [pair(" ".join(draw.sample(words, 3)), draw.choice(paths), draw.randrange(9)) for _ in range(pairs)]
    known = [crawled(path, " ".join(draw.sample(words, 4)).title()) for path in paths[: pages // 2]]
    return rows, asked, known


def reading(stored: bytes) -> int:
    """One pass over the data as it is stored: every address is normalised and taken apart, every text folded and split
    into words."""
    rows, asked, known = msgspec.msgpack.decode(stored, type=tuple[list[SearchedPage], list[Pair], list[CrawledPage]])
    urls = [*(row.url for row in rows), *(row.url for row in asked), *(row.url for row in known)]
    texts = [*(row.query for row in asked), *(row.title or "" for row in known)]
    return sum(len(urlsplit(normalise(url) or url).path.split("/")) for url in urls) + sum(
        len(split_words(text)) for text in texts
    )


def test_topics_of_20000_pages_take_at_most_ten_times_as_long_as_reading_them() -> None:
    data = website(20_000, 5_000)
    stored = msgspec.msgpack.encode(data)
    passes, making = [], []
    for _ in range(3):
        began = time.thread_time()
        reading(stored)
        passes.append(time.thread_time() - began)
        began = time.thread_time()
        topics(*data)
        making.append(time.thread_time() - began)
    assert min(making) <= 10 * min(passes), (making, passes)


def test_a_query_that_matches_most_pages_of_a_topic_names_the_topic() -> None:
    rows = [searched(f"/tents/{name}") for name in ("eider", "skarn", "ember")] + [searched("/maps/fell")]
    shown = [
        pair("eider porch cord", "/tents/eider", 90),  # most clicks, and about one page alone
        pair("family tents", "/tents/eider", 4),
        pair("family tents", "/tents/skarn", 3),
        pair("family tents", "/tents/ember", 3),
        pair("fell map", "/maps/fell"),
    ]
    assert set(made(rows, shown)) >= {"family tents"}


def test_among_equivalent_queries_the_shortest_one_names_the_topic() -> None:
    rows = [searched("/tents/eider"), searched("/tents/eider-two"), searched("/maps/fell")]
    shown = [
        pair("best eider", "/tents/eider", 6),
        pair("eider", "/tents/eider", 2),
        pair("how to use eider", "/tents/eider-two", 5),
        pair("pole", "/tents/eider-two", 7),
        pair("pole", "/tents/eider", 1),
        pair("fell map", "/maps/fell"),
    ]
    assert {topic.name for topic in topics(rows, shown, ()).topics if topic.page_count == 2} == {"eider"}
