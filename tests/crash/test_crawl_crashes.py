"""An audit that is killed before or after any of its writes ends as if nothing had happened."""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.watched import Seen, Watched
from chalicelib.domain.search.periods import ending
from chalicelib.operations import accounts, audits, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawl_turns, crawls, issues, kept_audits, keys, outbox, pages, places, watched
from chalicelib.store import websites as stored
from chalicelib.store.lanes import LANES
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper
from chalicelib.workers.audit import checking, crawl, publishing
from chalicelib.workers.audit.lease import LEASE_SECONDS
from local import embedded
from tests import aws, stored_search
from tests.crash.crashing import Killed, before_each_write, dies_at, each_step, killed_at, points
from tests.domain.search.naive import Told
from tests.servers.wire import Connection, WireServer

TURNS = 200
WINDOW = ending(stored_search.today(), 28)


class Runtime:
    def get_remaining_time_in_millis(self) -> int:
        return 900_000


def site(connection: Connection) -> None:
    """Eight pages: some without a title or a description, one that redirects, one that is gone, one in no sitemap, and
    one that only search data knows.

    They link another host, and one names a canonical address there.
    """
    path = connection.path
    base = f"http://127.0.0.1:{connection.server.port}"
    if path == "/robots.txt":
        connection.answer(f"Sitemap: {base}/sitemap.xml\n".encode(), content_type="text/plain")
    elif path == "/sitemap.xml":
        locs = "".join(f"<url><loc>{base}/{name}</loc></url>" for name in ("", "a", "b", "gone"))
        connection.answer(
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>'.encode(),
            content_type="application/xml",
        )
    elif path == "/old":
        connection.answer(b"", "301 Moved Permanently", location="/c")
    elif path in ("/", "/a", "/b", "/c", "/searched"):
        title = "" if path == "/b" else f"<title>The page about {path} and what it is for</title>"
        elsewhere = f"http://localhost:{connection.server.port}"
        targets = ("/", "/a", "/old", "/gone", f"{elsewhere}/c")
        links = "".join(f'<a href="{target}">To {target}</a>' for target in targets)
        canonical = f'<link rel=canonical href="{elsewhere}/none">' if path == "/a" else ""
        body = f"<!doctype html><html lang=en><head>{title}{canonical}</head><body><h1>{path}</h1>{links}</body></html>"
        connection.answer(body.encode(), content_type="text/html; charset=utf-8")
    else:
        connection.answer(b"not here", "404 Not Found", content_type="text/html")


@pytest.fixture
def served(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[WireServer]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setattr(checking, "GAP_ELSEWHERE_SECONDS", 0.0)
    monkeypatch.setenv("SLICE_SECONDS", "0")  # one address a slice: every kind of write comes several times
    forget_settings()
    with WireServer(site) as server:
        yield server
    forget_settings()


def start(server: WireServer) -> tuple[Website, str]:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    website = websites.add(OPERATOR, workspace.id, server.url())
    of_day = [Told(server.url(path), 1, 10, 2.0) for path in ("/searched", "/a")]
    stored_search.put_rows(website, "page", {WINDOW.last: of_day}, WINDOW)
    # The home page and its crawlers were otherwise when they were seen last.
    home = ids.page_id(website.id, server.url("/"))
    commit([watched.put(website.id, Watched({home: Seen(200, True, "What it was called")}, {"GPTBot": False}))])
    started = audits.start(website, 1000, page_budget=None, person_id=None, through_api=False, now=clock.now())
    return website, started.header.id


def take_messages() -> list[dict[str, Any]]:
    """Receive everything that waits in the crawl queue; whoever is killed afterwards has lost it."""
    found = aws.messages("crawl")
    aws.purge("crawl")
    return found


def work(website: Website, crawl_id: str) -> None:
    """Work the queue until the audit has ended, with the sweeper's help when messages were lost."""
    for _ in range(TURNS):
        header = crawls.get(website.id, crawl_id)
        assert header is not None
        waiting = take_messages()
        if header.ended and not waiting:
            return
        if not waiting:
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
            assert sweeper.run() >= 1
            continue
        for message in waiting:
            crawl.handle(message, Runtime())
    raise AssertionError("the audit does not end")


def outcome(server: WireServer, website: Website, crawl_id: str) -> dict[str, Any]:
    """Everything that a reader can see of the audit, without times and ids that are made at random."""
    header = crawls.get(website.id, crawl_id)
    after = stored.get(website.workspace_id, website.id)
    book = issues.load_state(website.id)
    assert header is not None and after is not None and after.summary is not None and book is not None
    assert after.place is None and after.current_crawl == crawl_id and after.summary.score is not None
    base, seen = server.url(""), watched.load(website.id)
    rows = sorted(pages.load_list(website.id, crawl_id), key=lambda row: row.url)
    events = [
        (event.kind, event.fields.get("status"))
        for shard in keys.shards()
        for batch in outbox.pending(shard)
        for event in batch.events
    ]
    return {
        "status": (header.status, header.stage, header.partial_reason, header.pages_crawled, header.pages_discovered),
        "coverage": header.coverage,
        "pages": [(row.url.removeprefix(base), row.status, row.title, row.page_score, row.inlinks) for row in rows],
        "issues": {
            issue.rule_id: (
                issue.status,
                sorted(page.url.removeprefix(base) for page in issues.load_affected(website.id, issue)),
            )
            for issue in book.issues
        },
        "counts": {rule_id: (count.applicable, count.affected) for rule_id, count in book.counts.items()},
        "score": (after.summary.score.entry.site, after.summary.score.entry.health, after.summary.score.entry.aeo),
        "events": events,
        "kept": kept(website, crawl_id, base),
        "watched": ([one.title for one in seen.pages.values()], seen.crawlers),
    }


def kept(website: Website, crawl_id: str, base: str) -> dict[str, Any]:
    """What is kept of the audit, which the store holds once."""
    (listed,) = kept_audits.newest(website.id, 10)
    header = kept_audits.load(website.id, [crawl_id])[crawl_id]
    (found,) = kept_audits.load_pages(website.id, [header])
    assert listed.id == crawl_id and listed.score == header.score and found is not None
    return {
        "issues": [(one.rule_id, one.status, one.affected_pages) for one in header.issues],
        "pages": sorted((one.url.removeprefix(base), one.status, one.title, tuple(one.rules)) for one in found),
    }


@each_step
def test_a_worker_killed_at_any_write_gives_the_same_result(served: WireServer, step: int) -> None:
    website, crawl_id = start(served)
    with killed_at(None) as counter:
        work(website, crawl_id)
    undisturbed = outcome(served, website, crawl_id)
    assert undisturbed["status"][:3] == ("done", "finished", None)
    assert undisturbed["events"] == [("audit.finished", "done"), ("page.changed", None), ("crawlers.changed", None)]
    assert undisturbed["watched"][1]["GPTBot"] is True
    assert undisturbed["issues"]["SEO-ONP-001"] == ("open", ["/b"])
    assert undisturbed["issues"]["SEO-TEC-034"] == ("open", ["/a"])
    assert undisturbed["issues"]["SEO-LNK-003"][1] == ["/b", "/searched"]
    assert counter.count > 20

    for number, when in points(counter.count, step):
        embedded.clear()
        website, crawl_id = start(served)
        with dies_at(number, when):
            work(website, crawl_id)
        work(website, crawl_id)
        assert outcome(served, website, crawl_id) == undisturbed, (when, number, counter.operations[number])


def test_readers_see_the_stages_of_a_crawl_in_their_order(served: WireServer) -> None:
    website, crawl_id = start(served)
    stages: list[str] = []

    def look() -> None:
        header = crawls.get(website.id, crawl_id)
        assert header is not None
        if header.stage not in stages[-1:]:
            stages.append(header.stage)

    with before_each_write(look):
        work(website, crawl_id)
    look()
    assert stages == ["queued", "discovering", "crawling", "analysing", "scoring", "finished"]


def test_a_worker_that_lost_its_lease_reports_no_stage(served: WireServer) -> None:
    website, crawl_id = start(served)
    header = crawls.get(website.id, crawl_id)
    assert header is not None
    place = places.start(website.workspace_id, website.id, crawl_id)
    first = crawl_turns.claim(header, now=clock.now(), lease_until=clock.now(), place=place, lane=LANES["crawl"])
    assert first is not None
    clock.set_offset(clock.offset() + 1)
    second = crawl_turns.claim(first, now=clock.now(), lease_until=clock.now() + 60, place=None, lane=LANES["crawl"])
    assert second is not None
    with pytest.raises(crawls.FenceLost):
        publishing.tell_scoring(first)
    publishing.tell_scoring(second)
    shown = crawls.get(website.id, crawl_id)
    assert shown == msgspec.structs.replace(second, stage="scoring")


@pytest.mark.deep
def test_the_result_is_the_same_if_a_second_worker_is_killed_at_any_write(served: WireServer) -> None:
    website, crawl_id = start(served)
    with killed_at(None) as counter:
        work(website, crawl_id)
    undisturbed = outcome(served, website, crawl_id)

    for number, when in points(counter.count, 3):
        for second in range(3):  # the claim, the first checkpoint, and the write after it
            embedded.clear()
            website, crawl_id = start(served)
            with dies_at(number, when):
                work(website, crawl_id)
            with contextlib.suppress(Killed), killed_at(second, "after"):
                work(website, crawl_id)
            work(website, crawl_id)
            assert outcome(served, website, crawl_id) == undisturbed, (when, number, second)


@each_step
def test_two_workers_on_the_same_part_of_a_crawl_give_the_same_result_as_one(served: WireServer, step: int) -> None:
    website, crawl_id = start(served)
    with killed_at(None) as counter:
        work(website, crawl_id)
    undisturbed = outcome(served, website, crawl_id)

    for number in range(0, counter.count, step):
        embedded.clear()
        website, crawl_id = start(served)

        def overtake(website: Website = website, crawl_id: str = crawl_id) -> None:
            # The first worker stands still until its lease is over, and another one does all the work.
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
            sweeper.run()
            second = threading.Thread(target=work, args=(website, crawl_id))
            second.start()
            second.join()

        with killed_at(number, "before", instead=overtake):
            work(website, crawl_id)
        assert outcome(served, website, crawl_id) == undisturbed, (number, counter.operations[number])


@pytest.mark.calm("the write after the claim is counted")
def test_a_crawl_without_progress_fails_after_three_takeovers(served: WireServer) -> None:
    website, crawl_id = start(served)
    for _ in range(crawl.STALLED_TAKEOVERS):
        take_messages()
        message = {"workspaceId": website.workspace_id, "siteId": website.id, "crawlId": crawl_id, "slice": 0}
        with dies_at(1, "before"):  # the write after the claim
            crawl.handle(message, Runtime())
        clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
    sweeper.run()
    work(website, crawl_id)
    header = crawls.get(website.id, crawl_id)
    assert header is not None and header.status == "failed"
    assert header.error == "The audit was restarted three times and made no progress."
    after = stored.get(website.workspace_id, website.id)
    assert after is not None and after.place is None and after.summary is None
