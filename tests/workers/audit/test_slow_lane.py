"""Audits of a website that does not answer in time: they go on in the slow lane."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from chalicelib import clock
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawl_turns, crawls
from chalicelib.store.lanes import LANES
from chalicelib.store.transactions import commit
from chalicelib.workers.audit import crawl, recheck, window
from tests import aws
from tests.servers.wire import WireServer
from tests.workers.audit.rechecking import start_recheck
from tests.workers.audit.websites import Runtime, Site, audit, html, new_website, start


@pytest.fixture(autouse=True)
def short_times(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setattr(window, "WAKE_SECONDS", 0.05)
    monkeypatch.setitem(LANES, "crawl", replace(LANES["crawl"], patience=0.3))  # type: ignore[index]
    forget_settings()
    yield
    forget_settings()


def test_a_website_that_never_answers_is_marked_slow_and_its_audit_frees_the_worker() -> None:
    with WireServer(lambda connection: connection.hang()) as server:
        header = start(new_website(server))
        (message,) = aws.messages("crawl")
        crawl.handle(message, Runtime())
        given_back, slow = crawl_turns.find(header.site_id, header.id, LANES["crawl"])
        assert given_back is not None and slow
        assert (given_back.status, given_back.lease_until, given_back.stalled) == ("running", 0.0, 0)
        assert (given_back.lane, given_back.slot) == (None, None)
        (again,) = aws.messages("crawl-slow")
        assert again["slice"] == given_back.slice
        crawl.handle(again, Runtime())
        after = crawls.get(header.site_id, header.id)
        assert after is not None and after.fence == given_back.fence, "the fast lane does not claim it again"


def test_a_slow_website_that_answers_again_returns_to_the_fast_queue() -> None:
    with WireServer(Site({"/": html("Home", "/a"), "/a": html("A", "/")})) as server:
        website = new_website(server)
        commit([LANES["crawl"].remember(website.id, "audit", clock.now())])
        header = start(website)
        (message,) = aws.messages("crawl")
        crawl.handle(message, Runtime())
        (again,) = aws.messages("crawl-slow")
        crawl.handle_slow(again, Runtime())
        ended, slow = crawl_turns.find(header.site_id, header.id, LANES["crawl"])
    assert ended is not None and ended.status == "done" and not slow


def test_a_website_with_a_crawl_delay_is_not_treated_as_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    short = replace(LANES["recheck"], patience=2.4)
    monkeypatch.setitem(LANES, "recheck", short)  # type: ignore[index]
    pages = [f"/{number}" for number in range(14)]
    site = Site({"/": html("Home", *pages), **{page: html(None, "/") for page in pages}})
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        aws.purge("recheck")
        site.pages["/robots.txt"] = ("200 OK", {"Content-Type": "text/plain"}, b"User-agent: *\nCrawl-delay: 0.25\n")
        header = start_recheck(website)
        (message,) = aws.messages("recheck")
        asked = len(site.asked)
        began = clock.monotonic()
        recheck.handle(message, Runtime())
        assert clock.monotonic() - began > short.patience
        ended, slow = crawl_turns.find(header.site_id, header.id, LANES["recheck"])
        assert ended is not None and ended.status == "done" and not slow
        assert sum(path.startswith("/1?") for path in site.asked[asked:]) <= 1, "each page was asked for once"
    assert aws.messages("recheck-slow") == []
