"""The time limit of an audit counts the time that workers have it, over all its slices, and not the time it waits."""

from collections.abc import Iterator

import pytest

from chalicelib import clock
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawls, items
from chalicelib.workers.audit import crawl
from tests import aws
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.websites import Runtime, Site, html, new_website, start

MINUTE = 60.0


@pytest.fixture(autouse=True)
def one_page_a_slice(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("CRAWL_CONCURRENCY", "1")
    monkeypatch.setattr(crawl, "TURN_SECONDS", 0.0)
    forget_settings()
    yield
    forget_settings()


def pass_minutes(minutes: float) -> None:
    clock.set_offset(clock.offset() + minutes * MINUTE)


def site_of(pages: int, minutes_a_page: float = 0.0) -> Site:
    def page(connection: Connection) -> str:
        pass_minutes(minutes_a_page)
        return html(f"Everything about {connection.path}", "/")

    names = [f"/p{number}" for number in range(pages)]
    return Site({"/": html("The home page of a small website", *names)} | dict.fromkeys(names, page))


def slices(header: CrawlHeader, minutes_between: float) -> tuple[CrawlHeader, int]:
    """Work the audit to its end, with time between its slices. Returns it, and the number of its slices."""
    count = 0
    while (message := aws.next_message("crawl")) is not None:
        crawl.handle(message, Runtime())
        count += 1
        pass_minutes(minutes_between)
    ended = crawls.get(header.site_id, header.id)
    assert ended is not None and ended.ended
    return ended, count


def test_the_time_limit_does_not_include_waiting_for_a_worker() -> None:
    with WireServer(site_of(5)) as server:
        header, count = slices(start(new_website(server)), minutes_between=31.0)
    assert count > 1, "it waited longer than its time limit"
    assert (header.status, header.partial_reason, header.pages_crawled) == ("done", None, 6)


def test_the_time_limit_of_an_audit_covers_the_time_of_all_its_workers_together() -> None:
    with WireServer(site_of(5, minutes_a_page=11.0)) as server:
        header, count = slices(start(new_website(server)), minutes_between=0.0)
    assert count > 1
    assert (header.status, header.partial_reason) == ("done", "time_budget")
    assert header.pages_crawled < 6


def test_the_time_limit_also_applies_to_an_audit_started_by_an_earlier_release() -> None:
    with WireServer(site_of(5)) as server:
        header = start(new_website(server))
        message = aws.next_message("crawl")
        assert message is not None
        crawl.handle(message, Runtime())
        without_member(header)
        pass_minutes(31.0)
        ended, _ = slices(header, minutes_between=0.0)
    assert (ended.status, ended.partial_reason, ended.pages_crawled) == ("done", None, 6)


def without_member(header: CrawlHeader) -> None:
    """Let the stored row lack what a former release did not write."""
    items.update(crawls.TABLE, *crawls.header_key(header), "REMOVE worked_seconds")
