"""Previews of small websites that tests serve, worked off."""

from typing import Any

from chalicelib import clock
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.operations import previews
from chalicelib.store import previews as kept
from chalicelib.store import websites as stored
from chalicelib.store.previews import Stored
from chalicelib.store.secrets import Secret
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper
from chalicelib.workers.audit import crawl
from chalicelib.workers.audit.lease import LEASE_SECONDS
from tests import aws
from tests.workers.audit.websites import TURNS, Runtime


def start(website: Website, url: str, *, access: Secret | None = None, **asked: Any) -> CrawlHeader:
    """Start a preview of the website as it is stored now."""
    current = stored.get(website.workspace_id, website.id)
    assert current is not None
    settings = {"ignores_robots": False, "page_budget": None, **asked}
    return previews.start(current, 10_000, url, access=access, person_id=None, now=clock.now(), **settings)


def work(header: CrawlHeader) -> Stored:
    """Work the queue until the preview has ended and nothing waits."""
    for _ in range(TURNS):
        current = kept.load(header.site_id, header.id)
        assert current is not None
        waiting = aws.messages("crawl")
        aws.purge("crawl")
        if current.header.ended and not waiting:
            return current
        if not waiting:
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
            sweeper.run()
        for message in waiting:
            crawl.handle(message, Runtime())
    raise AssertionError("the preview does not end")
