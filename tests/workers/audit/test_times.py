"""Times are those of the website: slow pages are asked again, one at a time with nothing else running."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.page.facts import SLOW_MS, PageFacts
from chalicelib.net.fetch import Fetcher
from chalicelib.operations import audits
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawls
from chalicelib.workers.audit import after_reading
from chalicelib.workers.audit.reading import Politeness, time_alone
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.rechecking import issue_of, rechecked
from tests.workers.audit.websites import Site, audit, found, html, new_website, start, work

SLOW = "SEO-PRF-004"


@pytest.fixture(autouse=True)
def settings(slow_answers: None, store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("CRAWL_CONCURRENCY", "16")
    forget_settings()
    yield
    forget_settings()


class Slow(Site):
    """A website of numbered pages that takes its time: for some paths by itself, for all of them one after another."""

    def __init__(self, count: int, *, each: float = 0.0, by_path: dict[str, float] | None = None) -> None:
        names = [f"/{number}" for number in range(count)]
        pages: dict[str, Any] = {"/": html("The home page of a slow website", *names)}
        super().__init__(pages | {name: html(f"The page {name} of a slow website", "/") for name in names})
        self.each, self.by_path = each, by_path or {}
        self.busy, self.one_at_a_time = 0, threading.Lock()
        self.beside: dict[str, list[int]] = {}  # how many others were waiting when an address was asked for

    def __call__(self, connection: Connection) -> None:
        self.beside.setdefault(connection.path, []).append(self.busy)
        self.busy += 1
        try:
            if self.each:
                with self.one_at_a_time:
                    time.sleep(self.each)
            time.sleep(self.by_path.get(connection.path, 0.0))
        finally:
            self.busy -= 1
        super().__call__(connection)

    def asked_again(self) -> list[str]:
        return [path for path, times in self.beside.items() if path[1:].isdigit() and len(times) > 1]


def facts_of(header: CrawlHeader) -> dict[str, PageFacts]:
    return {"/" + facts.url.split("/", 3)[3]: facts for _, block in crawls.load_facts(header.id) for facts in block}


def test_a_server_is_not_reported_slow_because_it_handles_requests_one_by_one() -> None:
    site = Slow(24, each=0.1)
    with WireServer(site) as server:
        website = new_website(server)
        facts = facts_of(audit(website))
    crowded = [path for path, page in facts.items() if page.crowded_ms is not None]
    assert len(crowded) > 5, "at sixteen at once it takes 1.6 s"
    assert found(website, SLOW) == []
    assert all((page.ttfb_ms or 0) <= SLOW_MS for page in facts.values())
    # Of those that were not asked again nothing is known, and nothing is said.
    assert {path for path, page in facts.items() if page.ttfb_ms is None} == set(crowded) - set(site.asked_again())


def test_only_pages_that_are_slow_when_requested_alone_are_reported() -> None:
    site = Slow(20, by_path=dict.fromkeys(("/3", "/7", "/19"), 0.9))
    with WireServer(site) as server:
        website = new_website(server)
        facts = facts_of(audit(website))
    assert found(website, SLOW) == ["/19", "/3", "/7"]
    assert [(facts[path].ttfb_ms or 0) >= 900 for path in ("/19", "/3", "/7")] == [True] * 3
    assert all(site.beside[path][1] == 0 for path in ("/19", "/3", "/7")), "nothing else was asked meanwhile"


def test_only_the_slowest_pages_are_timed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(after_reading, "MOST_TIMED", 2)
    site = Slow(6, by_path={"/1": 0.9, "/2": 1.2, "/3": 1.5, "/4": 0.9})
    with WireServer(site) as server:
        website = new_website(server)
        header = audit(website)
    facts = facts_of(header)
    assert found(website, SLOW) == ["/2", "/3"] and header.times_asked == 2
    assert [facts[path].ttfb_ms for path in ("/1", "/4")] == [None, None]
    assert sorted(site.asked_again()) == ["/2", "/3"]


def test_each_slow_page_is_timed_again_once_even_if_many_workers_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLICE_SECONDS", "0")
    forget_settings()
    again: list[str] = []

    async def timed(fetcher: Fetcher, url: str, politeness: Politeness) -> int | None:
        again.append("/" + url.split("/", 3)[3])
        return await time_alone(fetcher, url, politeness)

    monkeypatch.setattr(after_reading, "time_alone", timed)
    site = Slow(5, by_path=dict.fromkeys(("/1", "/2", "/4"), 0.9))
    with WireServer(site) as server:
        website = new_website(server)
        header = audit(website)
    assert header.slice > 3
    assert found(website, SLOW) == ["/1", "/2", "/4"]
    assert sorted(again) == ["/1", "/2", "/4"]


def test_a_page_does_not_count_as_slow_if_its_second_answer_is_different() -> None:
    site = Slow(3, by_path={"/1": 0.9})

    def once(connection: Connection) -> Any:
        if len(site.beside["/1"]) > 1:
            return ("503 Service Unavailable", {"content_type": "text/html"}, b"")
        return html("The page 1 of a slow website", "/")

    site.pages["/1"] = once
    with WireServer(site) as server:
        website = new_website(server)
        header = audit(website)
    assert found(website, SLOW) == [] and header.times_asked == 1
    assert facts_of(header)["/1"].ttfb_ms is None


def test_a_cancellation_takes_effect_between_two_timed_requests() -> None:
    site = Slow(6, by_path={"/1": 0.9, "/2": 0.9, "/3": 1.5})

    def cancel(connection: Connection) -> Any:
        if len(site.beside["/3"]) > 1:
            audits.cancel(website.id, header.id, now=clock.now())
        return html("The page 3 of a slow website", "/")

    site.pages["/3"] = cancel
    with WireServer(site) as server:
        website = new_website(server)
        header = start(website)
        ended = work(header)
    assert (ended.status, ended.partial_reason) == ("cancelled", "cancelled")
    assert site.asked_again() == ["/3"]


def test_a_recheck_times_slow_pages_without_other_requests() -> None:
    site = Slow(6, by_path={"/1": 0.9, "/2": 0.9})
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        assert found(website, SLOW) == ["/1", "/2"]
        site.by_path = {"/2": 0.9}
        rechecked(website, SLOW)
        assert found(website, SLOW) == ["/2"]
        site.by_path, site.each = {}, 0.2
        rechecked(website, SLOW)
    assert issue_of(website, SLOW).status == "resolved"
