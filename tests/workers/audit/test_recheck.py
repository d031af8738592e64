"""Rechecks: the listed pages of one issue, read again, and what becomes of issue, score and events."""

from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.actions import Work, ranked
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.audit.score import Standing
from chalicelib.domain.webhooks import bodies
from chalicelib.domain.webhooks.events import Event
from chalicelib.operations import issues as issue_operations
from chalicelib.operations import rechecks
from chalicelib.operations.errors import Refused
from chalicelib.rules import registry
from chalicelib.store import crawls, issues, keys, outbox, pages
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper
from chalicelib.workers.audit import lease, recheck, window
from tests import aws
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.websites import Runtime, Site, audit, found, html, new_website, start, status_of, work

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

TITLE = "SEO-ONP-001"
TURNS = 50


def untitled_site() -> Site:
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
    book = issues.load_state(website.id)
    assert book is not None
    issue = book.by_id(ids.issue_id(website.id, rule_id))
    assert issue is not None
    return issue


def start_recheck(website: Website, rule_id: str = TITLE) -> CrawlHeader:
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
    return run(start_recheck(website, rule_id))


def stored_events() -> list[Event]:
    return [event for shard in keys.shards() for batch in outbox.pending(shard) for event in batch.events]


def events(kind: str) -> list[dict[str, Any]]:
    found = stored_events()
    for event in found:
        bodies.check(event.kind, event.fields)
    return [event.fields for event in found if event.kind == kind]


def tenths(website: Website) -> int:
    current = stored.get(website.workspace_id, website.id)
    assert current is not None and current.summary is not None and current.summary.score is not None
    return current.summary.score.entry.site


def gain(website: Website, rule_id: str) -> int:
    book = issues.load_state(website.id)
    assert book is not None
    work = {rule.id: Work(rule.severity, rule.effort_divisor) for rule in registry.RULES}
    actions = ranked(book.issues, Standing(registry.shares(book.counts), book.measured), work)
    found = next(action.gain for action in actions if action.issue.rule_id == rule_id)
    assert found is not None
    return found


def test_when_every_page_is_mended_the_issue_is_resolved_and_the_score_moves_by_the_promised_gain() -> None:
    site = untitled_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        for name in "bcd":
            site.pages[f"/{name}"] = html(f"Everything about the letter {name.upper()}", "/")
        promised, before = gain(website, TITLE), tenths(website)
        header = rechecked(website)
    assert (header.status, header.kind, header.stage) == ("done", "recheck", "finished")
    issue = issue_of(website, TITLE)
    assert issue.status == "resolved"
    assert issue.last_recheck is not None
    last = issue.last_recheck
    assert (last.present, last.checked, last.passed, last.not_rechecked) == (0, 3, True, 0)
    assert last.crawl_id == header.id
    assert promised > 0
    assert tenths(website) == before + promised
    (resolved,) = events("issue.resolved")
    assert resolved["issue"]["pages"] == 3 and resolved["crawlId"] == header.id
    assert events("recheck.failed") == []


def test_a_page_that_is_still_broken_stays_and_the_mended_ones_go() -> None:
    site = untitled_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        site.pages["/b"] = html("Everything about the letter B", "/")
        before = tenths(website)
        rechecked(website)
    issue = issue_of(website, TITLE)
    assert (issue.status, issue.affected_pages, issue.pending_recheck) == ("open", 2, None)
    assert issue.last_recheck is not None
    assert (issue.last_recheck.present, issue.last_recheck.checked, issue.last_recheck.passed) == (2, 3, False)
    assert found(website, TITLE) == ["/c", "/d"]
    assert tenths(website) >= before
    (failed,) = events("recheck.failed")
    assert failed["reason"] == "still_present" and failed["recheck"] == {"present": 2, "checked": 3}


def test_a_page_that_does_not_answer_stays_listed_and_is_counted() -> None:
    site = untitled_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        site.pages["/b"] = html("Everything about the letter B", "/")
        site.pages["/c"] = html("Everything about the letter C", "/")
        site.pages["/d"] = ("503 Service Unavailable", {"retry_after": "0"}, b"")
        rechecked(website)
    issue = issue_of(website, TITLE)
    assert issue.status == "open"
    assert issue.last_recheck is not None
    assert issue.last_recheck.passed is None
    assert (issue.last_recheck.present, issue.last_recheck.checked, issue.last_recheck.not_rechecked) == (0, 2, 1)
    assert issue.last_recheck.note is not None and "1 page did not answer" in issue.last_recheck.note
    assert found(website, TITLE) == ["/d"]


def test_a_page_that_is_gone_no_longer_counts() -> None:
    site = untitled_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        site.pages["/b"] = None
        site.pages["/c"] = ("301 Moved Permanently", {"location": "/a"}, b"")
        site.pages["/d"] = html("Everything about the letter D", "/")
        rechecked(website)
    issue = issue_of(website, TITLE)
    assert issue.status == "resolved"
    assert issue.last_recheck is not None and issue.last_recheck.checked == 3


def test_the_pages_list_and_findings_follow_the_recheck() -> None:
    site = untitled_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        site.pages["/b"] = html("Everything about the letter B", "/")
        header = rechecked(website)
        current = stored.get(website.workspace_id, website.id)
        assert current is not None and current.summary is not None
        generation = current.summary.generation
        page_id = ids.page_id(website.id, server.url("/b"))
        record = pages.load_page(website.id, generation.crawl_id, generation.partitions, page_id)
    assert record is not None and record.facts is not None
    assert record.row.title == record.facts.title == "Everything about the letter B"
    assert record.row.facts_crawl == header.id
    assert TITLE not in record.row.rules
    assert TITLE not in [finding.rule_id for finding in record.findings]
    assert "SEO-ONP-010" in record.row.rules  # what other rules say stays


def test_a_duplicate_is_judged_in_the_light_of_the_whole_website() -> None:
    twin = html("The same title on two pages of it", "/")
    site = Site({"/": html("The home page of a small website", "/a", "/b"), "/a": twin, "/b": twin})
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        assert found(website, "SEO-ONP-002") == ["/a", "/b"]
        rechecked(website, "SEO-ONP-002")
        assert issue_of(website, "SEO-ONP-002").status == "open"
        site.pages["/b"] = html("A title of its own for this page", "/")
        rechecked(website, "SEO-ONP-002")
    assert issue_of(website, "SEO-ONP-002").status == "resolved"


@pytest.mark.parametrize(
    ("rule_id", "listed", "mended"),
    [
        ("SEO-LNK-001", "/", {"/lost": html("What was lost is found again", "/")}),
        ("SEO-TEC-004", "/lost", {"/": html("The home page of a small website", "/a")}),
    ],
    ids=["its target came back", "nobody links it any more"],
)
def test_a_dead_link_is_resolved_when(rule_id: str, listed: str, mended: dict[str, str]) -> None:
    site = Site({"/": html("The home page of a small website", "/a", "/lost"), "/a": html("About the letter A", "/")})
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        assert found(website, rule_id) == [listed]
        site.pages |= mended
        rechecked(website, rule_id)
    issue = issue_of(website, rule_id)
    assert issue.status == "resolved"
    assert issue.last_recheck is not None and issue.last_recheck.linking_pages == 1


def test_an_image_that_was_put_back_is_resolved() -> None:
    pictures = (
        '<img src="/images/a.jpg" alt="A" width="4" height="3"><img src="/images/b.jpg" alt="B" width="4" height="3">'
    )
    site = Site(
        {
            "/": html("The home page of a small website", "/a"),
            "/a": html("Everything about the letter A", "/", body=pictures),
            "/images/b.jpg": ("200 OK", {"content_type": "image/jpeg"}, b"jpeg"),
        }
    )
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before = issue_of(website, "SEO-IMG-004")
        still = rechecked(website, "SEO-IMG-004")
        shown = issue_of(website, "SEO-IMG-004").last_recheck
        site.pages["/images/a.jpg"] = site.pages["/images/b.jpg"]
        rechecked(website, "SEO-IMG-004")
    assert (before.status, before.affected_pages, still.status) == ("open", 1, "done")
    assert shown is not None and (shown.present, shown.checked, shown.passed) == (1, 1, False)
    assert issue_of(website, "SEO-IMG-004").status == "resolved"


def test_pages_are_read_past_caches_where_the_website_tolerates_it() -> None:
    def cached(connection: Connection) -> Any:
        return html("Fresh from the source, not the cache", "/") if "?" in connection.path else html(None, "/")

    site = Site({"/": html("The home page of a small website", "/b"), "/b": html(None, "/")})
    original = site.__call__

    def serve(connection: Connection) -> None:
        if connection.path.startswith("/b?fresh="):
            assert connection.header("Cache-Control") == "no-cache"
            connection.answer(cached(connection).encode(), content_type="text/html")
        else:
            original(connection)

    with WireServer(serve) as server:
        website = new_website(server)
        audit(website)
        assert found(website, TITLE) == ["/b"]
        rechecked(website)
    assert issue_of(website, TITLE).status == "resolved"


def test_the_same_issue_twice_is_already_queued() -> None:
    with WireServer(untitled_site()) as server:
        website = new_website(server)
        audit(website)
        header = start_recheck(website)
        assert issue_of(website, TITLE).status == "recheck_queued"
        with pytest.raises(Refused) as refused:
            start_recheck(website)
        assert refused.value.code == "already_queued"
        run(header)
        assert status_of(website, TITLE) == "open"
        run(start_recheck(website))


def test_a_recheck_waits_for_the_audit_that_runs_and_starts_when_the_place_is_free() -> None:
    site = untitled_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        running = start(website)
        waiting = start_recheck(website)
        for message in aws.messages("recheck"):
            recheck.handle(message, Runtime())
        aws.purge("recheck")
        header = crawls.get(website.id, waiting.id)
        assert header is not None and header.status == "queued"
        work(running)
        (message,) = aws.messages("recheck")
        assert message["crawlId"] == waiting.id
        ended = run(waiting)
    assert ended.status == "done"


@pytest.mark.parametrize("moment", ["before the place is looked at", "after that"])
def test_a_recheck_that_finds_the_place_held_takes_it_when_it_is_freed_at_that_moment(
    monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    get = stored.get
    with WireServer(untitled_site()) as server:
        website = new_website(server)
        audit(website)
        running = start(website)
        header = start_recheck(website)

        def freed_meanwhile(workspace_id: str, site_id: str) -> Website | None:
            monkeypatch.setattr(stored, "get", get)
            found = get(workspace_id, site_id) if moment == "after that" else None
            work(running)  # it ends, and nobody waits for its place yet
            return found or get(workspace_id, site_id)

        (message,) = aws.messages("recheck")
        monkeypatch.setattr(stored, "get", freed_meanwhile)
        recheck.handle(message, Runtime())
    ended = crawls.get(website.id, header.id)
    assert ended is not None and ended.status == "done"


def test_a_recheck_that_a_later_one_has_overtaken_is_not_forgotten() -> None:
    with WireServer(untitled_site()) as server:
        website = new_website(server)
        audit(website)
        book = issues.load_state(website.id)
        assert book is not None
        other = next(one.rule_id for one in book.issues if one.rule_id != TITLE and one.affected_chunks)
        first, later = start_recheck(website), start_recheck(website, other)
        message = next(one for one in aws.messages("recheck") if one["crawlId"] == later.id)
        aws.purge("recheck")
        recheck.handle(message, Runtime())
        assert [one["crawlId"] for one in aws.messages("recheck")] == [first.id]
        assert run(first).status == "done"
        assert crawls.oldest_waiting_recheck(website.id) is None


def test_an_audit_that_resolves_the_issue_first_leaves_the_recheck_nothing_to_do() -> None:
    site = untitled_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        running = start(website)
        waiting = start_recheck(website)
        for name in "bcd":
            site.pages[f"/{name}"] = html(f"Everything about the letter {name.upper()}", "/")
        work(running)
        ended = run(waiting)
    assert ended.status == "done"
    issue = issue_of(website, TITLE)
    assert (issue.status, issue.pending_recheck) == ("resolved", None)


def test_a_website_that_does_not_answer_leaves_the_issue_and_says_so() -> None:
    with WireServer(untitled_site()) as server:
        website = new_website(server)
        audit(website)
        header = start_recheck(website)
    ended = run(header)
    assert ended.status == "failed" and ended.error is not None and "does not answer" in ended.error
    issue = issue_of(website, TITLE)
    assert (issue.status, issue.affected_pages) == ("open", 3)
    assert issue.last_recheck is not None and issue.last_recheck.passed is None
    assert issue.last_recheck.note == ended.error
    (failed,) = events("recheck.failed")
    assert failed["reason"] == "error"
    current = stored.get(website.workspace_id, website.id)
    assert current is not None and current.place is None


@pytest.mark.parametrize("state", ["resolved", "ignored"])
def test_what_cannot_be_rechecked_says_which(state: str) -> None:
    from chalicelib.domain.accounts.rights import OPERATOR

    site = untitled_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        if state == "resolved":
            for name in "bcd":
                site.pages[f"/{name}"] = html(f"Everything about the letter {name.upper()}", "/")
            rechecked(website)
        else:
            issue_operations.ignore(OPERATOR, website.id, ids.issue_id(website.id, TITLE))
        with pytest.raises(Refused) as refused:
            start_recheck(website)
    assert refused.value.code == "cannot_recheck"
    assert state in refused.value.message


def test_an_issue_of_the_website_as_a_whole_is_rechecked_by_its_home_page_and_files() -> None:
    site = untitled_site()
    rule_id = "SEO-SMP-001"
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before = tenths(website)
        rechecked(website, rule_id)
        still = issue_of(website, rule_id)
        promised = gain(website, rule_id)
        site.pages["/sitemap.xml"] = (
            "200 OK",
            {"content_type": "application/xml"},
            f"<urlset><url><loc>{server.url('/a')}</loc></url></urlset>",
        )
        rechecked(website, rule_id)
    assert (still.status, still.affected_pages) == ("open", 1) and still.last_recheck is not None
    assert (still.last_recheck.present, still.last_recheck.checked) == (1, 1)
    after = issue_of(website, rule_id)
    assert (after.status, after.affected_pages, after.evidence) == ("resolved", 0, None)
    assert tenths(website) == before + promised
    assert [event["issue"]["id"] for event in events("issue.resolved")] == [after.id]


def test_an_issue_that_needs_every_page_stays_and_says_why() -> None:
    site = untitled_site()
    canonical = '<link rel="canonical" href="/">'
    for name in ["", *"abcd"]:
        site.pages["/" + name] = html(
            f"The page {name} of a small website", *(f"/{one}" for one in "abcd"), head=canonical
        )
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        assert status_of(website, "SEO-TEC-020") == "open"
        rechecked(website, "SEO-TEC-020")
    issue = issue_of(website, "SEO-TEC-020")
    assert issue.status == "open" and issue.last_recheck is not None
    assert issue.last_recheck.passed is None and "every page" in (issue.last_recheck.note or "")


def test_the_end_of_a_recheck_is_its_end() -> None:
    site = untitled_site()

    def later(_: Connection) -> str:
        clock.set_offset(clock.offset() + 30)
        return html("Everything about the letter B", "/")

    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        site.pages["/b"] = later
        header = rechecked(website)
    last = issue_of(website, TITLE).last_recheck
    assert header.started_at is not None and header.finished_at is not None and last is not None
    assert header.finished_at - header.started_at >= 30 and last.at == header.finished_at
    (told,) = [event for event in stored_events() if event.kind == "recheck.failed"]
    assert told.at == header.finished_at


def test_a_slow_recheck_is_not_begun_anew_by_the_sweeper(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lease is renewed as the minutes pass, for nearly the function's whole time."""
    monkeypatch.setattr(lease, "RENEW_SECONDS", 0.0)
    monkeypatch.setattr(window, "WAKE_SECONDS", 0.01)
    site = untitled_site()
    messages: list[Any] = []

    def slow(connection: Connection) -> str:
        for _ in range(9):
            clock.set_offset(clock.offset() + 100)
            renewed(connection)
            sweeper.run()
            messages.extend(aws.messages("recheck"))
        return html("Everything about the letter B", "/")

    def renewed(connection: Connection) -> None:
        """Wait until the worker has renewed its lease at the present time."""
        while True:
            running = crawls.get(website.id, header.id)
            assert running is not None
            if running.lease_until >= clock.now() + lease.LEASE_SECONDS - 50:
                return
            assert not connection.server.ending.wait(0.01)

    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        header = start_recheck(website)
        (message,) = aws.messages("recheck")
        aws.purge("recheck")
        site.pages["/b"] = slow
        recheck.handle(message, Runtime())
        ended = crawls.get(website.id, header.id)
    assert messages == []
    assert ended is not None and (ended.status, ended.fence) == ("done", 1)
    assert found(website, TITLE) == ["/c", "/d"]


def test_five_hundred_pages_are_rechecked_in_one_job() -> None:
    names = [f"/p{number}" for number in range(500)]
    site = Site({"/": html("The home page of a large website", *names)} | {name: html(None, "/") for name in names})
    with WireServer(site) as server:
        website = new_website(server)
        audit(website, page_budget=600)
        assert issue_of(website, TITLE).affected_pages == 500
        for name in names[:400]:
            site.pages[name] = html(f"A title of its own for page {name[2:]}", "/")
        header = start_recheck(website)
        (message,) = aws.messages("recheck")
        recheck.handle(message, Runtime())
        ended = crawls.get(website.id, header.id)
    assert ended is not None and (ended.status, ended.pages_crawled) == ("done", 500)
    assert issue_of(website, TITLE).affected_pages == 100
