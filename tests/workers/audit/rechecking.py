"""Rechecks that tests start and work off, and what they look at afterwards."""

from typing import Any

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.actions import Work, ranked
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.audit.score import Standing
from chalicelib.domain.webhooks import bodies
from chalicelib.domain.webhooks.events import Event
from chalicelib.operations import rechecks
from chalicelib.rules import registry
from chalicelib.store import crawls, issues, keys, outbox
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper
from chalicelib.workers.audit import recheck
from tests import aws
from tests.workers.audit.websites import Runtime, Site, html

TITLE = "SEO-ONP-001"
TURNS = 50


def untitled_site() -> Site:
    """Five pages, three of them without a title."""
    return Site(
        {
            "/": html("The home page of a small website", "/a", "/b", "/c", "/d"),
            "/a": html("Everything about the letter A", "/"),
            "/b": html(None, "/"),
            "/c": html(None, "/"),
            "/d": html(None, "/"),
        }
    )


def issue_of(website: Website, rule_id: str) -> Issue:
    """The issue of this rule, which there must be."""
    book = issues.load_state(website.id)
    assert book is not None
    issue = book.by_id(ids.issue_id(website.id, rule_id))
    assert issue is not None
    return issue


def start_recheck(website: Website, rule_id: str = TITLE) -> CrawlHeader:
    """Queues it, as the website is stored now."""
    current = stored.get(website.workspace_id, website.id)
    assert current is not None
    issue_id = ids.issue_id(website.id, rule_id)
    return rechecks.start(current, issue_id, person_id=None, now=clock.now())


def run(header: CrawlHeader) -> CrawlHeader:
    """Work the recheck queue until this recheck has ended."""
    for _ in range(TURNS):
        current = crawls.get(header.site_id, header.id)
        assert current is not None
        if current.ended:
            return current
        waiting = aws.messages("recheck")
        aws.purge("recheck")
        if not waiting:
            clock.set_offset(clock.offset() + 300)
            sweeper.run()
        for message in waiting:
            recheck.handle(message, Runtime())
    raise AssertionError("the recheck does not end")


def rechecked(website: Website, rule_id: str = TITLE) -> CrawlHeader:
    """Starts a recheck and works it off."""
    return run(start_recheck(website, rule_id))


def stored_events() -> list[Event]:
    """All that were written and not yet delivered, oldest first within a shard."""
    return [event for shard in keys.shards() for batch in outbox.pending(shard) for event in batch.events]


def events(kind: str) -> list[dict[str, Any]]:
    """The members of those of this kind; all are held against the shape of theirs."""
    found = stored_events()
    for event in found:
        bodies.check(event.kind, event.fields)
    return [event.fields for event in found if event.kind == kind]


def tenths(website: Website) -> int:
    """The score as it is shown, in tenths of a point."""
    current = stored.get(website.workspace_id, website.id)
    assert current is not None and current.summary is not None and current.summary.score is not None
    return current.summary.score.entry.site


def gain(website: Website, rule_id: str) -> int:
    """The promised gain of fixing this rule's issue, in tenths of a point."""
    book = issues.load_state(website.id)
    assert book is not None
    work = {rule.id: Work(rule.severity, rule.effort_divisor) for rule in registry.RULES}
    actions = ranked(book.issues, Standing(registry.shares(book.counts, book.aside()), book.measured), work)
    found = next(action.gain for action in actions if action.issue.rule_id == rule_id)
    assert found is not None
    return found
