"""Alerts that tests send and work off, and the pages that they leave."""

from typing import Any

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.alert import GATHER_SECONDS
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.audit.summary import SiteSummary
from chalicelib.operations import alerts
from chalicelib.store import crawls, pages
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper
from chalicelib.workers.audit import recheck
from chalicelib.workers.audit.lease import LEASE_SECONDS
from tests import aws
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Runtime, Site, html

TURNS = 60


def send(website: Website, *urls: str, plan_limit: int = 10_000) -> int:
    """An alert of these pages, as the website is stored now."""
    current = stored.get(website.workspace_id, website.id)
    assert current is not None
    return alerts.changed_pages(current, urls, plan_limit=plan_limit, person_id=None, now=clock.now())


def of(website: Website) -> list[CrawlHeader]:
    """The website's alerts, oldest first."""
    newest = [header for header in crawls._newest_rechecks(website.id) if header.alert]
    return newest[::-1]


def work(website: Website, runtime: Any = None) -> CrawlHeader:
    """Work the queue until all alerts have ended, with the sweeper's help when messages were lost. Gives the last."""
    clock.set_offset(clock.offset() + GATHER_SECONDS + 5)
    for _ in range(TURNS):
        found = of(website)
        waiting = aws.messages("recheck")
        aws.purge("recheck")
        if not waiting:
            if all(header.ended for header in found):
                return found[-1]
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
            sweeper.run()
        for message in waiting:
            recheck.handle(message, runtime or Runtime())
    raise AssertionError("the alerts do not end")


def alerted(website: Website, server: WireServer, *paths: str) -> CrawlHeader:
    """Send an alert of these paths and work it off."""
    assert send(website, *(server.url(path) for path in paths)) == len(set(paths))
    return work(website)


def small_site() -> Site:
    """Three pages, one of them without a title."""
    return Site(
        {
            "/": html("The home page of a small website", "/a", "/b"),
            "/a": html("Everything about the letter A", "/"),
            "/b": html(None, "/"),
        }
    )


def summary_of(website: Website) -> SiteSummary:
    current = stored.get(website.workspace_id, website.id)
    assert current is not None and current.summary is not None and current.place is None
    assert current.current_crawl == current.summary.generation.crawl_id
    return current.summary


def page_of(website: Website, url: str) -> pages.PageRecord | None:
    generation = summary_of(website).generation
    return pages.load_page(website.id, generation.crawl_id, generation.partitions, ids.page_id(website.id, url))
