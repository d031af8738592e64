"""Alerts: pages that changed, read again and judged by all page rules, and what becomes of issues, score and events."""

from typing import Any

import pytest

from chalicelib import clock
from chalicelib.store import crawls, issue_details, issues, kept_audits, pages
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers.audit.crawl import MARGIN_SECONDS
from tests.servers.wire import WireServer
from tests.workers.audit.alerting import alerted, page_of, send, small_site, summary_of, work
from tests.workers.audit.rechecking import events, gain, issue_of, stored_events, tenths
from tests.workers.audit.websites import Site, audit, findings, found, html, new_website, status_of

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

TITLE, H1, DESCRIPTION = "SEO-ONP-001", "SEO-ONP-015", "SEO-ONP-010"


def test_an_alert_about_a_fixed_page_resolves_its_issue_and_raises_the_score() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before, promised = tenths(website), gain(website, TITLE)
        site.pages["/b"] = html("Everything about the letter B", "/")
        header = alerted(website, server, "/b")
        record = page_of(website, server.url("/b"))
    assert (header.status, header.kind, header.pages_crawled, header.notes) == ("done", "recheck", 1, [])
    assert status_of(website, TITLE) == "resolved"
    assert promised > 0 and tenths(website) == before + promised
    assert [event["issue"]["id"] for event in events("issue.resolved")] == [issue_of(website, TITLE).id]
    assert record is not None and record.facts is not None
    assert record.row.title == record.facts.title == "Everything about the letter B"
    assert (record.row.facts_crawl, TITLE in record.row.rules) == (header.id, False)
    assert len(events("audit.finished")) == 1, "an alert is no audit"


def test_an_alert_keeps_the_list_of_missing_addresses() -> None:
    def missing() -> list[str]:
        stored = pages.load_missing(website.id, summary_of(website).generation.crawl_id)
        assert stored is not None
        return [one.missing.url.removeprefix(server.url("")) for one in stored]

    site = small_site()
    site.pages["/"] = html("The home page of a small website", "/a", "/b", "/old", "/older")
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        assert missing() == ["/old", "/older"]
        site.pages["/old"] = html("Everything about the old page", "/")
        alerted(website, server, "/old")
        assert missing() == ["/older"]
        del site.pages["/old"]
        alerted(website, server, "/old")
        assert missing() == ["/old", "/older"]


def test_an_alert_about_a_broken_page_opens_and_reopens_issues() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        site.pages["/b"] = html("Everything about the letter B", "/")
        alerted(website, server, "/b")
        best = tenths(website)
        site.pages["/b"] = html(None, "/").replace("<h1>A page</h1>", "")
        assert status_of(website, H1) is None
        alerted(website, server, "/b")
    assert (status_of(website, TITLE), status_of(website, H1)) == ("reopened", "open")
    log = issues.load_log(website.id, issue_of(website, TITLE).id)
    assert [(entry.kind, entry.pages) for entry in log] == [("reopened", 1), ("resolved", 1), ("found", 1)]
    assert [one.kind for one in kept_audits.scores(website.id)] == ["alert", "alert", "audit"]
    assert [one.score.site for one in kept_audits.scores(website.id)][:2] == [tenths(website), best]
    assert found(website, TITLE) == found(website, H1) == ["/b"]
    assert [event["issue"]["ruleId"] for event in events("issue.reopened")] == [TITLE]
    assert tenths(website) < best
    entry = summary_of(website).score
    assert entry is not None and entry.losses is not None
    assert sum(loss.points for loss in entry.losses) == 1_000 - entry.entry.site


def test_an_alert_without_a_change_stores_nothing_and_sends_no_event() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before, score, told = findings(website), tenths(website), len(stored_events())
        counts = _counts(website)
        alerted(website, server, "/", "/a", "/b")
        alerted(website, server, "/", "/a", "/b")
    assert (findings(website), tenths(website), len(stored_events())) == (before, score, told)
    assert _counts(website) == counts


def _counts(website: Website) -> dict[str, tuple[int, int]]:
    book = issues.load_state(website.id)
    assert book is not None
    return {rule_id: (count.applicable, count.affected) for rule_id, count in book.counts.items()}


def test_an_alert_counts_a_new_page_for_a_rule_only_if_the_rule_finds_a_fault_there() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before = _counts(website)
        site.pages["/c"] = html(None, "/")
        site.pages["/d"] = html("Everything about the letter D", "/")
        header = alerted(website, server, "/c", "/d")
        record = page_of(website, server.url("/d"))
    assert header.pages_crawled == 2
    assert found(website, TITLE) == ["/b", "/c"]
    assert before[TITLE] == (3, 1) and _counts(website)[TITLE] == (4, 2)
    assert record is not None and record.row.title == "Everything about the letter D"
    assert summary_of(website).generation.pages == len(pages.load_list(website.id, header.id))


@pytest.mark.parametrize(
    "answer",
    [None, ("410 Gone", {}, b""), ("301 Moved Permanently", {"location": "/a"}, b"")],
    ids=["404", "410", "301"],
)
def test_a_removed_page_is_no_longer_affected_by_any_issue(answer: Any) -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        assert "/b" in found(website, DESCRIPTION)
        site.pages["/b"] = answer
        alerted(website, server, "/b")
        record = page_of(website, server.url("/b"))
    assert status_of(website, TITLE) == "resolved"
    assert found(website, DESCRIPTION) == ["/", "/a"]
    assert record is not None and record.row.status in (301, 404, 410) and record.row.page_score is None


@pytest.mark.parametrize(
    "answer",
    [
        ("503 Service Unavailable", {"retry_after": "0"}, b""),
        ("403 Forbidden", {}, b"<html>who are you?</html>"),
    ],
    ids=["503", "403"],
)
def test_a_page_that_did_not_answer_keeps_its_findings(answer: Any) -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before, score = findings(website), tenths(website)
        site.pages["/b"] = answer
        site.pages["/a"] = html("Everything about the letter A, and more of it", "/")
        header = alerted(website, server, "/a", "/b")
        record = page_of(website, server.url("/b"))
    assert (findings(website), tenths(website)) == (before, score)
    assert record is not None and record.row.status == 200
    assert header.pages_crawled == 1
    assert header.notes == [
        "1 of 2 addresses could not be read: no answer, or forbidden by robots.txt. Their last known state is kept."
    ]


def test_a_newly_disallowed_page_is_not_read_and_keeps_its_findings() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before = findings(website)
        site.pages["/robots.txt"] = ("200 OK", {"content_type": "text/plain"}, b"User-agent: *\nDisallow: /b\n")
        site.pages["/b"] = html("Everything about the letter B", "/")
        site.asked.clear()
        header = alerted(website, server, "/b")
    assert findings(website) == before
    assert header.status == "done" and not any(path.startswith("/b") for path in site.asked)


def test_an_alert_for_an_unreachable_website_changes_nothing_and_fails() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before = findings(website)
        url = server.url("/b")
    assert send(website, url) == 1
    header = work(website)
    assert header.status == "failed" and "does not answer" in (header.error or "")
    assert findings(website) == before
    assert stored.get(website.workspace_id, website.id).place is None  # type: ignore[union-attr]
    assert crawls.get(website.id, header.id) == header


# -- what is read, and what is not ------------------------------------------------------------------------


def test_an_alert_requests_links_and_images_as_an_audit_does() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before = findings(website)
        broken = '<img src="/gone.jpg" alt="A picture of what is gone" width="40" height="30">'
        site.pages["/a"] = html("Everything about the letter A", "/", "/lost", body=broken)
        alerted(website, server, "/a")
        assert found(website, "SEO-LNK-001") == found(website, "SEO-IMG-004") == ["/a"]
        site.pages["/a"] = html("Everything about the letter A", "/")
        alerted(website, server, "/a")
    assert status_of(website, "SEO-LNK-001") == status_of(website, "SEO-IMG-004") == "resolved"
    assert findings(website) == before


def test_new_pages_are_added_only_up_to_the_page_limit() -> None:
    site = small_site()
    site.pages |= {f"/new{number}": html(f"A new page, number {number}", "/") for number in range(5)}
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        new = [server.url(f"/new{number}") for number in range(5)]
        send(website, *new, server.url("/b"), server.url("/a.pdf"), plan_limit=5)
        header = work(website)
        rows = {row.url for row in pages.load_list(website.id, header.id)}
    assert len(rows) == 5 and set(new[:2]) <= rows
    assert header.pages_discovered == header.pages_crawled == 3


def test_addresses_that_are_not_pages_change_nothing() -> None:
    site = small_site()
    site.pages["/feed"] = ("200 OK", {"content_type": "application/json"}, b"{}")
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before, score = findings(website), tenths(website)
        alerted(website, server, "/feed", "/not-there")
        assert (findings(website), tenths(website)) == (before, score)
        assert page_of(website, server.url("/feed")) is None


def test_an_alert_that_has_no_time_left_judges_nothing_and_has_a_note() -> None:
    class NoTime:
        def get_remaining_time_in_millis(self) -> int:
            return int(MARGIN_SECONDS * 1_000)

    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before = findings(website)
        site.pages["/b"] = html("Everything about the letter B", "/")
        send(website, server.url("/a"), server.url("/b"))
        header = work(website, NoTime())
        clock.set_offset(clock.offset() + 2 * 86_400)
        assert list(crawls.block_keys(header.id)) == [], "what was read in vain does not stay"
    assert (header.status, header.partial_reason, header.pages_crawled) == ("done", "time_budget", 0)
    assert header.notes[0].startswith("2 of 2 addresses could not be read: the time was over")
    assert findings(website) == before


def test_a_page_that_became_malformed_keeps_its_findings() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before = findings(website)
        site.pages["/a"] = lambda connection: connection.answer(
            b"<html><title>" + b"<b>" * 200_000, content_type="text/html", content_encoding="gzip"
        )
        site.pages["/b"] = html("Everything about the letter B", "/")
        header = alerted(website, server, "/a", "/b")
    assert (header.status, header.pages_crawled) == ("done", 1)
    assert status_of(website, TITLE) == "resolved"
    assert of_page("/a", findings(website)) == of_page("/a", before) != []


def of_page(path: str, found: dict[str, list[str]]) -> list[str]:
    return [rule_id for rule_id, listed in found.items() if path in listed]


def test_five_hundred_pages_fit_into_one_alert() -> None:
    names = [f"/p{number}" for number in range(500)]
    site = Site({"/": html("The home page of a large website", *names)} | {name: html(None, "/") for name in names})
    with WireServer(site) as server:
        website = new_website(server)
        audit(website, page_budget=600)
        for name in names[:400]:
            site.pages[name] = html(f"A title of its own for page {name[2:]}", "/")
        header = alerted(website, server, *names)
    assert (header.status, header.pages_crawled) == ("done", 500)
    assert issue_of(website, TITLE).affected_pages == 100


# -- suggestions --------------------------------------------------------------------------------------------


def suggested(website: Website, rule_id: str) -> dict[str, str | None]:
    """The suggestion for each listed page, by path."""
    detail = issue_details.load(website.id, issue_of(website, rule_id), offset=0, limit=100)
    assert [one.url for one in detail.suggestions] == [page.url for page in detail.affected]
    return {"/" + one.url.split("/", 3)[3]: one.suggested for one in detail.suggestions}


def test_a_new_page_gets_a_suggestion_and_the_others_keep_theirs() -> None:
    def about(letter: str) -> str:
        heading = f"<h1>Growing {letter} in cold gardens</h1>"
        words = f"<p>{letter} grows in cold gardens when it is planted in April and watered every evening.</p>"
        return html(None, "/", body=words).replace("<h1>A page</h1>", heading)

    site = small_site()
    site.pages["/b"] = about("Borage")
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before = suggested(website, TITLE)
        assert before["/b"] is not None and "Borage" in before["/b"]
        site.pages["/c"] = about("Chicory")
        alerted(website, server, "/c")
        after = suggested(website, TITLE)
        assert after["/b"] == before["/b"] and after["/c"] is not None and "Chicory" in after["/c"]
        site.pages["/d"] = about("Borage")
        alerted(website, server, "/d")
        texts = [text for text in suggested(website, TITLE).values() if text is not None]
    assert len(texts) == len(set(texts)), "no two pages are to have the same title"
