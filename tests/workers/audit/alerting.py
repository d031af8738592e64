"""Alerts that tests send and work off."""

from typing import Any

from chalicelib import clock
from chalicelib.domain.audit.alert import GATHER_SECONDS
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.operations import alerts
from chalicelib.store import crawls
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper
from chalicelib.workers.audit import recheck
from tests import aws
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Runtime

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
            clock.set_offset(clock.offset() + recheck.LEASE_SECONDS + 1)
            sweeper.run()
        for message in waiting:
            recheck.handle(message, runtime or Runtime())
    raise AssertionError("the alerts do not end")


def alerted(website: Website, server: WireServer, *paths: str) -> CrawlHeader:
    """Send an alert of these paths and work it off."""
    assert send(website, *(server.url(path) for path in paths)) == len(set(paths))
    return work(website)
