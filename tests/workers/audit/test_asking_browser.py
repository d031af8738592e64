"""The browser's view of an audit's pages: asked for once everything is read, waited for, and gone on without."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors import rendering as connector
from chalicelib.connectors.errors import Unavailable
from chalicelib.connectors.page_source import Source
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.operations import audits
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawls, jobs, rendered
from chalicelib.workers import agentic, rendering, sweeper
from chalicelib.workers.audit import asking_browser, crawl
from tests import aws
from tests.crash.crashing import Killed, each_step, killed_at, points
from tests.servers.wire import WireServer
from tests.workers.audit import websites
from tests.workers.audit.websites import Runtime, Site, found, html, new_website, start

NEEDS_SCRIPTS = "SEO-TEC-025"
CHANGED = "SEO-TEC-035"
WORDS = "<main>" + "<p>Alderfell makes tents for walkers, and mends them for as long as they last.</p>" * 30 + "</main>"
TURNS = 60
pytestmark = pytest.mark.usefixtures("audits_of_loopback")


class Browser:
    """Stands in for the browser: what it makes of a path. ``error``: it does not start."""

    def __init__(self, made: dict[str, str], error: str | None = None) -> None:
        self.made = made
        self.error = error
        self.asked: list[str] = []

    def render(self, urls: Sequence[str], seconds: float, keep: Callable[[], None]) -> Iterator[Source]:
        if self.error is not None:
            raise Unavailable(self.error)
        for url in urls:
            keep()
            path = "/" + url.split("/", 3)[3]
            self.asked.append(path)
            if path in self.made:
                yield Source(url, url, 200, self.made[path], True)


@pytest.fixture
def site() -> Site:
    """A home page, an application that scripts fill, and a page that they leave alone."""
    return Site(
        {
            "/": html("The home page of a small website", "/app", "/text", body=WORDS),
            "/app": html("An application", "/"),
            "/text": html(
                "A page of text", "/", body=f"<article><ul><li>One</ul><table><tr><td>1</table>{WORDS}</article>"
            ),
        }
    )


@pytest.fixture
def browser(site: Site, monkeypatch: pytest.MonkeyPatch) -> Browser:
    """A browser that is connected: scripts bring the application's words and another title."""
    found = Browser({path: str(page) for path, page in site.pages.items()})
    found.made["/app"] = html("An application for tents", "/", "/text", body=WORDS)
    monkeypatch.setenv("CHROME_PATH", "chromium")
    monkeypatch.setattr(connector, "connected", lambda: found)
    forget_settings()
    return found


def rendered_paths(site_id: str) -> list[str]:
    sample = rendered.load(site_id)
    return [] if sample is None else sorted("/" + page.url.split("/", 3)[3] for page in sample.pages)


def work(header: CrawlHeader, *, answers: bool = True) -> CrawlHeader:
    """Work the queues until the audit has ended; without ``answers`` nobody takes the browser's job."""
    for _ in range(TURNS):
        current = crawls.get(header.site_id, header.id)
        assert current is not None
        if current.ended:
            return current
        waiting = [*aws.messages("crawl"), *(aws.messages("agentic") if answers else [])]
        aws.purge("crawl")
        aws.purge("agentic")
        if not waiting:
            clock.set_offset(clock.offset() + asking_browser.WAIT_SECONDS + 1)
            sweeper.run()
        for message in waiting:
            handled(message)
    raise AssertionError("the audit does not end")


def handled(message: dict[str, Any]) -> None:
    if "crawlId" in message:
        crawl.handle(message, Runtime())
    else:
        agentic.handle(message, None)


def the_job(header: CrawlHeader) -> Any:
    return jobs.get(header.site_id, f"render.{header.id}")


def test_an_audit_judges_pages_as_a_browser_renders_them(site: Site, browser: Browser) -> None:
    with WireServer(site) as server:
        website = new_website(server)
        ended = work(start(website))
    assert ended.status == "done" and browser.asked[0] == "/"
    assert found(website, NEEDS_SCRIPTS) == ["/app"]
    assert found(website, CHANGED) == ["/app"]
    assert rendered_paths(website.id) == ["/", "/app", "/text"]
    assert the_job(ended).error is None


def test_an_audit_waiting_for_the_browser_occupies_no_worker(site: Site, browser: Browser) -> None:
    with WireServer(site) as server:
        website = new_website(server)
        header = start(website)
        for message in aws.messages("crawl"):
            crawl.handle(message, Runtime())
        aws.purge("crawl")
        waiting = crawls.get(website.id, header.id)
        assert waiting is not None and waiting.stage == "analysing" and not waiting.ended
        assert waiting.render_job == f"render.{header.id}"
        clock.set_offset(clock.offset() + asking_browser.WAIT_SECONDS - 60)
        sweeper.run()
        assert aws.messages("crawl") == []
        assert work(header).status == "done"


def test_without_an_answer_of_the_browser_the_audit_continues_after_10_minutes(site: Site, browser: Browser) -> None:
    with WireServer(site) as server:
        website = new_website(server)
        began = clock.now()
        ended = work(start(website), answers=False)
        assert ended.status == "done" and clock.now() - began >= asking_browser.WAIT_SECONDS
        assert found(website, NEEDS_SCRIPTS) == [] and rendered.load(website.id) is None
        # The job is taken up late: nobody waits any more.
        handled({"siteId": website.id, "jobId": f"render.{ended.id}", "kind": "render"})
    assert browser.asked == [] and the_job(ended).error == rendering.NOT_WAITED_FOR


def test_a_browser_that_does_not_start_causes_no_delay(site: Site, browser: Browser) -> None:
    browser.error = "The browser did not start."
    with WireServer(site) as server:
        website = new_website(server)
        began = clock.now()
        ended = work(start(website))
    assert ended.status == "done" and clock.now() - began < asking_browser.WAIT_SECONDS
    assert the_job(ended).error == browser.error and rendered.load(website.id) is None


def test_without_a_renderer_no_page_is_rendered(site: Site) -> None:
    with WireServer(site) as server:
        website = new_website(server)
        ended = websites.work(start(website))
    assert ended.status == "done" and ended.render_job is None and the_job(ended) is None


def test_pages_that_moved_or_cannot_be_rendered_are_skipped(
    site: Site, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = browser.render

    def moving(urls: Sequence[str], seconds: float, keep: Callable[[], None]) -> Iterator[Source]:
        for source in real(urls, seconds, keep):
            if source.url.endswith("/text"):
                yield source._replace(final_url=source.url + "/elsewhere")
            elif source.url.endswith("/app"):
                yield source._replace(status=503)
            else:
                yield source._replace(final_url=source.url + "#top")

    monkeypatch.setattr(browser, "render", moving)
    with WireServer(site) as server:
        website = new_website(server)
        work(start(website))
    assert rendered_paths(website.id) == ["/"]
    assert found(website, NEEDS_SCRIPTS) == []


def test_the_next_audit_renders_the_same_page_again_and_resolves_its_issue(site: Site, browser: Browser) -> None:
    with WireServer(site) as server:
        website = new_website(server)
        work(start(website))
        site.pages["/app"] = browser.made["/app"]
        clock.set_offset(clock.offset() + 86_400)
        browser.asked.clear()
        work(start(website))
    assert "/app" in browser.asked
    assert found(website, NEEDS_SCRIPTS) == found(website, CHANGED) == []


def test_a_cancellation_takes_effect_after_the_wait_for_the_browser(site: Site, browser: Browser) -> None:
    with WireServer(site) as server:
        website = new_website(server)
        header = start(website)
        for message in aws.messages("crawl"):
            crawl.handle(message, Runtime())
        aws.purge("crawl")
        audits.cancel(website.id, header.id, now=clock.now())
        assert work(header).status == "cancelled"


@pytest.mark.calm("workers of two queues run in turn, and one of them is killed; an outage would be everybody's")
@each_step
def test_an_audit_killed_at_any_write_still_ends_correctly(step: int, site: Site, browser: Browser) -> None:
    with WireServer(site) as server:
        with killed_at(None) as counted:
            website = new_website(server)
            before = counted.count
            work(start(website))
        total = counted.count - before
        for point in points(total, step)[-12:]:
            websites.reset()
            website = new_website(server)
            header = start(website)
            try:
                with killed_at(point.number, point.when):
                    work(header)
            except Killed:
                pass
            assert work(header).status == "done", point
            # Killed before the sample was stored, the audit may have gone on without.
            assert found(website, NEEDS_SCRIPTS) in ([], ["/app"]), point
            sample = rendered.load(website.id)
            assert sample is None or len(sample.pages) == 3, point
            assert (found(website, NEEDS_SCRIPTS) == ["/app"]) is (sample is not None), point
