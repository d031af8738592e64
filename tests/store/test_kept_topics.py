"""Topics that are kept: whole or not at all, for an hour; and how often they may be worked out."""

import pytest

from chalicelib import clock
from chalicelib.domain.search.topics import Topic, TopicPage, Topics
from chalicelib.store import blocks, items, kept_topics, keys
from chalicelib.store.kept_topics import Kept
from tests.topics import today


def topic(name: str) -> Topic:
    pages = tuple(TopicPage(f"https://acme.example/{name}/{n}", n, 10 * n, 50 * n) for n in range(5))
    return Topic(f"topic_{name}", name, "queries", None, (name,), 5, 1, 10, 100, 500, pages, ())


def kept(*names: str) -> Kept:
    return Kept(Topics(tuple(map(topic, names)), 7, False), clock.now(), None, today())


def test_a_cached_answer_is_returned_unchanged(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MAX_BLOCK_BYTES", 300)
    one = kept(*(f"name {number}" for number in range(20)))
    kept_topics.keep("q", one)
    assert kept_topics.load("q") == one
    assert kept_topics.load("another") is None


def test_a_cached_answer_expires_after_an_hour(store: None) -> None:
    kept_topics.keep("q", kept("boots"))
    clock.set_offset(clock.offset() + kept_topics.KEPT_SECONDS + 1)
    assert kept_topics.load("q") is None


def test_an_empty_list_of_topics_is_cached_too(store: None) -> None:
    kept_topics.keep("q", kept())
    found = kept_topics.load("q")
    assert found is not None and found.topics.topics == ()


def test_one_of_two_answers_cached_at_the_same_time_is_complete(store: None) -> None:
    kept_topics.keep("q", kept("boots", "tents"))
    kept_topics.keep("q", kept("maps"))
    found = kept_topics.load("q")
    assert found is not None
    assert [one.name for one in found.topics.topics] == ["maps"]


def test_a_cached_answer_with_a_missing_block_is_not_used(store: None) -> None:
    kept_topics.keep("q", kept("boots"))
    header = items.get("ops", *keys.kept_topics("q"))
    assert header is not None
    items.batch_write(deletes=[("ops", *keys.kept_topics_block("q", header["token"], 0))])
    assert kept_topics.load("q") is None


def test_topics_of_a_website_are_computed_at_most_twice_a_minute(store: None) -> None:
    now = 1_800_000_030.0
    assert [kept_topics.may_compute("site_1", now) for _ in range(3)] == [True, True, False]
    assert kept_topics.may_compute("site_2", now)
    assert kept_topics.seconds_left(now) == 30
    assert kept_topics.may_compute("site_1", now + 30)
    assert kept_topics.seconds_left(1_800_000_000.0) == 60
