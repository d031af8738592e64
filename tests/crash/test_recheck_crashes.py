"""A recheck that is killed before or after any of its writes ends as if nothing had happened."""

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.operations import rechecks
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawls, issues, keys, outbox, pages, targets
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper
from chalicelib.workers.audit import reading, recheck
from chalicelib.workers.audit.lease import LEASE_SECONDS
from local import embedded
from tests import aws
from tests.crash.crashing import dies_at, killed_at
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Runtime, Site, audit, html, new_website

RULE = "SEO-ONP-001"
TURNS = 60


@pytest.fixture(autouse=True)
def settings(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setattr(reading, "SECOND_TRY_AFTER_SECONDS", 0.01)
    forget_settings()
    yield
    forget_settings()


def audited(server: WireServer, site: Site) -> Website:
    """A website with three untitled pages, of which one has been mended since and one is gone."""
    site.pages = {
        "/": html("The home page of a small website", "/a", "/b", "/c"),
        "/a": html(None, "/"),
        "/b": html(None, "/"),
        "/c": html(None, "/"),
    }
    website = new_website(server)
    audit(website)
    site.pages["/a"] = html("Everything about the letter A", "/")
    site.pages["/b"] = None
    return website


def ask(website: Website) -> CrawlHeader:
    current = stored.get(website.workspace_id, website.id)
    assert current is not None
    return rechecks.start(current, ids.issue_id(website.id, RULE), person_id=None, now=clock.now())


def work(header: CrawlHeader) -> None:
    """Work the queue until the recheck has ended, with the sweeper's help when messages were lost."""
    for _ in range(TURNS):
        current = crawls.get(header.site_id, header.id)
        assert current is not None
        waiting = aws.messages("recheck")
        aws.purge("recheck")
        if current.ended and not waiting:
            return
        if not waiting:
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
            sweeper.run()
        for message in waiting:
            recheck.handle(message, Runtime())
    raise AssertionError("the recheck does not end")


def outcome(server: WireServer, website: Website, header: CrawlHeader) -> dict[str, Any]:
    """Everything that a reader can see of the recheck, without times and ids that are made at random."""
    ended = crawls.get(website.id, header.id)
    after = stored.get(website.workspace_id, website.id)
    book = issues.load_state(website.id)
    assert ended is not None and after is not None and after.summary is not None and book is not None
    issue = book.by_id(ids.issue_id(website.id, RULE))
    assert issue is not None and issue.last_recheck is not None and after.place is None
    assert after.summary.score is not None and after.summary.last_audit is not None
    base = server.url("")
    rows = sorted(pages.load_list(website.id, after.summary.generation.crawl_id), key=lambda row: row.url)
    batches = [batch for shard in keys.shards() for batch in outbox.pending(shard)]
    return {
        "status": (ended.status, ended.stage, ended.pages_crawled),
        "issue": (issue.status, issue.affected_pages, issue.pending_recheck),
        "last": (issue.last_recheck.present, issue.last_recheck.checked, issue.last_recheck.passed),
        "affected": [page.url.removeprefix(base) for page in issues.load_affected(website.id, issue)],
        "pages": [(row.url.removeprefix(base), row.status, row.title, sorted(row.rules)) for row in rows],
        "score": after.summary.score.entry.site,
        "learned": [
            (one.url.removeprefix(base), one.status) for one in targets.load_known(after.summary.last_audit.id)
        ],
        "events": sorted(event.kind for batch in batches for event in batch.events),
    }


def test_a_worker_killed_at_any_write_gives_the_same_result() -> None:
    site = Site({})
    with WireServer(site) as server:
        website = audited(server, site)
        with killed_at(None) as counter:
            header = ask(website)
            work(header)
        undisturbed = outcome(server, website, header)
        assert undisturbed["issue"] == ("open", 1, None)
        assert undisturbed["last"] == (1, 3, False)
        assert undisturbed["affected"] == ["/c"]
        assert undisturbed["learned"] == [("/b", 404)]
        assert undisturbed["events"] == ["audit.finished", "recheck.failed"]

        # Asking is one transaction and a message: killed there, the recheck is asked for or it is not.
        asking = counter.operations.index("SendMessage") + 1
        for when in ("before", "after"):
            for number in range(asking, counter.count):
                embedded.clear()
                website = audited(server, site)
                header = ask(website)
                with dies_at(number - asking, when):  # type: ignore[arg-type]
                    work(header)
                work(header)
                assert outcome(server, website, header) == undisturbed, (when, number, counter.operations[number])
