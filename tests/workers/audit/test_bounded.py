"""Pages that would keep a reader busy for minutes: their time is limited, and the audit goes on."""

import asyncio
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.targets import Target
from chalicelib.net.fetch import Answer
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawls
from chalicelib.workers.audit import bounded
from chalicelib.workers.audit.bounded import TooHard, is_hard, read_html
from chalicelib.workers.audit.checking import TargetChecker
from chalicelib.workers.audit.page_process import fill
from chalicelib.workers.audit.reading import PageReader, Politeness, page_facts
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Site, audit, found, html, listed, new_website

ROOT = Path(__file__).resolve().parents[3]
URL = "https://demo.test/page"
HOST = "demo.test"
TITLE = "SEO-ONP-001"
# The parser nests these boxes: their end tags stand in scripts. It takes time in proportion to the square: about
# thirty seconds where the limit is five, so that a machine of several times the speed comes to the limit too.
HARD = b"<svg><p>" + b"<div><script></div></script>" * 120_000
LARGE = b"<html lang=en><title>Everything</title>" + b'<p>A word and a <a href="/b">link</a></p>' * 12_000


def transport_facts() -> PageFacts:
    return PageFacts(url=URL, status=200, is_html=True, content_type="text/html")


def children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def no_child_is_left() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG) == (0, 0) and False
    except ChildProcessError:
        return True


def test_an_ordinary_page_is_parsed_in_the_same_process() -> None:
    before = children_seconds()
    body = html("A page", "/a", "/b", body="<p>Some words</p>" * 2_000).encode()
    facts = asyncio.run(read_html(transport_facts(), body, {}, HOST))
    assert (facts.title, len(facts.links)) == ("A page", 2)
    assert children_seconds() == before and not is_hard(body)


def test_a_large_page_is_parsed_in_another_process_with_the_same_result() -> None:
    before = children_seconds()
    headers = {"content-type": "text/html; charset=utf-8", "link": '</c>; rel="canonical"'}
    facts = asyncio.run(read_html(transport_facts(), LARGE, headers, HOST))
    here = transport_facts()
    fill(here, LARGE, headers, HOST)
    assert facts == here and facts.title == "Everything" and facts.canonicals
    assert children_seconds() > before and no_child_is_left()


def test_parsing_that_takes_too_long_is_stopped_while_others_continue() -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.02)
            turns += 1

    async def run() -> None:
        counting = asyncio.create_task(count())
        with pytest.raises(TooHard):
            await read_html(transport_facts(), HARD, {}, HOST)
        counting.cancel()

    before = children_seconds()
    asyncio.run(run())
    assert turns > 20
    assert 3 < children_seconds() - before < 9
    assert no_child_is_left()


def largest_child() -> int:
    """How much memory the largest child that has ended took, in KiB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def give_up_what_fills_the_memory() -> int:
    with pytest.raises(TooHard):
        asyncio.run(read_html(transport_facts(), b"<p>" * 3_300_000, {}, HOST))
    assert no_child_is_left()
    return largest_child()


def test_parsing_that_uses_too_much_memory_is_stopped() -> None:
    # In a process of its own: a child counts with the memory of whoever started it, and this process may be large.
    code = f"from {__name__} import give_up_what_fills_the_memory as run; print(run())"
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(ended.stdout) < 500 * 1024
    assert no_child_is_left()


def test_cancelling_stops_the_parsing_process() -> None:
    async def run() -> None:
        task = asyncio.create_task(read_html(transport_facts(), HARD, {}, HOST))
        await asyncio.sleep(1.0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    before = children_seconds()
    asyncio.run(run())
    assert children_seconds() - before < 4 and no_child_is_left()


def test_an_exception_in_parsing_is_recorded_only_for_its_page(caplog: pytest.LogCaptureFixture) -> None:
    answer = Answer("no address", status=200, headers={"content-type": "text/html"}, body=b"<p>x")
    facts = asyncio.run(page_facts("no address", answer, HOST))  # links cannot be resolved against it
    assert (facts.status, facts.error, facts.is_html, facts.title) == (200, "unreadable", True, None)
    assert [record.__dict__["url"] for record in caplog.records if record.levelname == "ERROR"] == ["no address"]


def test_an_exception_in_a_request_is_recorded_for_its_address() -> None:
    broken: object = None  # in place of a fetcher: every use of it raises

    async def run() -> None:
        page = await PageReader(broken, HOST, Politeness(1)).read(URL)  # type: ignore[arg-type]
        assert (page.url, page.status, page.error) == (URL, 0, "unreadable")
        checker = TargetChecker(broken, HOST, Politeness(1))  # type: ignore[arg-type]
        own = await checker.check(Target(URL, "image"))
        other = await checker.check(Target("https://other.test/", "link"))
        assert (own.own_host, own.error, own.image) == (True, "unreadable", True)
        assert (other.own_host, other.error, other.image) == (False, "unreadable", False)

    asyncio.run(run())


class TestInAnAudit:
    @pytest.fixture(autouse=True)
    def settings(self, store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
        forget_settings()
        yield
        forget_settings()

    def test_an_unparsable_page_keeps_its_issues_and_lowers_the_coverage(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(bounded, "WALL_SECONDS", 0.5)
        site = Site({"/": html("Home", "/a", "/hard"), "/a": html(None, "/"), "/hard": html(None, "/")})
        with WireServer(site) as server:
            website = new_website(server)
            audit(website)
            assert found(website, TITLE) == ["/a", "/hard"]
            site.pages["/hard"] = HARD.decode()
            header = audit(website)
        assert (header.status, header.pages_crawled, header.partial_reason) == ("done", 3, None)
        pages = {facts.url: facts for _, block in crawls.load_facts(header.id) for facts in block}
        hard = next(facts for url, facts in pages.items() if url.endswith("/hard"))
        assert (hard.status, hard.error, hard.is_html, hard.bytes) == (200, "too_hard", True, len(HARD))
        assert listed(website) == ["/", "/a", "/hard"]
        assert found(website, TITLE) == ["/a", "/hard"]  # nobody has read that it is gone
