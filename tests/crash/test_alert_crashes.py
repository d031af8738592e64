"""An alert that is killed before or after any of its writes, when it is sent or while it is worked off, ends as if
nothing had happened: nothing lost, nothing counted or told twice."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import issues, keys, outbox, pages, watched
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper
from chalicelib.workers.audit import reading
from chalicelib.workers.audit.lease import LEASE_SECONDS
from local import embedded
from tests import aws
from tests.crash.crashing import Killed, dies_at, each_step, killed_at, points
from tests.servers.wire import WireServer
from tests.workers.audit import alerting
from tests.workers.audit.websites import Site, audit, html, new_website

TITLE, DESCRIPTION = "SEO-ONP-001", "SEO-ONP-010"


@pytest.fixture(autouse=True)
def settings(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setattr(reading, "SECOND_TRY_AFTER_SECONDS", 0.01)
    forget_settings()
    yield
    forget_settings()


def audited(server: WireServer, site: Site) -> Website:
    """A website with untitled pages, of which one has been mended since, one is gone, and one is new. One that was fine
    has lost its heading."""
    site.pages = {
        "/": html("The home page of a small website", "/a", "/b", "/c"),
        "/a": html(None, "/"),
        "/b": html(None, "/"),
        "/c": html("Everything about the letter C", "/"),
    }
    website = websites.watch(OPERATOR, new_website(server).id, server.url("/a"))
    audit(website)
    site.pages["/a"] = html("Everything about the letter A", "/")
    site.pages["/b"] = None
    site.pages["/c"] = html("Everything about the letter C", "/").replace("<h1>", "<p>")
    site.pages["/new"] = html(None, "/")
    return website


def send(server: WireServer, website: Website) -> None:
    alerting.send(website, *(server.url(path) for path in ("/a", "/b", "/c", "/new")))


def outcome(server: WireServer, website: Website) -> dict[str, Any]:
    """Everything that a reader can see, without times and ids that are made at random."""
    (alert,) = alerting.of(website)
    after, book = stored.get(website.workspace_id, website.id), issues.load_state(website.id)
    assert after is not None and after.summary is not None and after.place is None and book is not None
    assert after.summary.score is not None and after.current_crawl == after.summary.generation.crawl_id == alert.id
    base = server.url("")
    rows = sorted(pages.load_list(website.id, alert.id), key=lambda row: row.url)
    found = pages.load_findings(website.id, alert.id)
    batches = [batch for shard in keys.shards() for batch in outbox.pending(shard)]
    return {
        "status": (alert.status, alert.stage, alert.pages_crawled, alert.notes),
        "issues": {
            issue.rule_id: (issue.status, issue.affected_pages, issue.applicable_pages) for issue in book.issues
        },
        "listed": {
            issue.rule_id: [page.url.removeprefix(base) for page in issues.load_affected(website.id, issue)]
            for issue in book.issues
        },
        "pages": [(row.url.removeprefix(base), row.status, row.title, row.rules, row.page_score) for row in rows],
        "findings": {row.url: [one.rule_id for one in found.get(row.id, ())] for row in rows}.values(),
        "score": (after.summary.score.entry.site, after.summary.critical_issues, after.summary.measured),
        "events": sorted((event.kind, str(event.fields.get("issue"))) for batch in batches for event in batch.events),
        "watched": sorted(str(page.title) for page in watched.load(website.id).pages.values()),
        "left": [sk for _, sk in aws.rows("crawls") if sk == "ASKED"],
    }


def without_ids(seen: dict[str, Any]) -> dict[str, Any]:
    return {
        **seen,
        "findings": [*seen["findings"]],
        "events": [kind for kind, _ in seen["events"]],
    }


@each_step
def test_a_worker_killed_at_any_write_gives_the_same_result(step: int) -> None:
    site = Site({})
    with WireServer(site) as server:
        website = audited(server, site)
        with killed_at(None) as counter:
            send(server, website)
            sent = counter.count
            alerting.work(website)
        undisturbed = without_ids(outcome(server, website))
        assert undisturbed["status"][0] == "done" and undisturbed["left"] == []
        assert undisturbed["listed"][TITLE] == ["/new"] and undisturbed["listed"]["SEO-ONP-015"] == ["/c"]
        assert undisturbed["events"].count("score.changed") == 0
        assert undisturbed["events"].count("page.changed") == 1

        for point in points(counter.count, step):
            embedded.clear()
            clock.set_offset(0)
            website = audited(server, site)
            if point.number < sent:  # asking again is the connector's part
                with contextlib.suppress(Killed), killed_at(*point):
                    send(server, website)
                send(server, website)
                alerting.work(website)
            else:
                send(server, website)
                with dies_at(point.number - sent, point.when):
                    alerting.work(website)
                alerting.work(website)
            assert without_ids(outcome(server, website)) == undisturbed, (point, counter.operations[point.number])


def test_a_worker_without_its_lease_does_not_disturb_the_next_worker() -> None:
    """At each of its writes the first worker pauses until a second worker has finished the alert."""
    site = Site({})
    with WireServer(site) as server:
        website = audited(server, site)
        send(server, website)
        with killed_at(None) as counter:
            alerting.work(website)
        undisturbed = without_ids(outcome(server, website))
        for number in range(1, counter.count):  # from the claim on
            embedded.clear()
            clock.set_offset(0)
            website = audited(server, site)
            send(server, website)

            def another() -> None:
                clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
                sweeper.run()
                alerting.work(website)  # noqa: B023 - called at once

            with killed_at(number, instead=another):
                alerting.work(website)
            assert without_ids(outcome(server, website)) == undisturbed, (number, counter.operations[number])
