"""Alerts: pages that changed, read again and judged by all page rules, and what becomes of issues, score and events."""

from typing import Any

import pytest

from chalicelib.domain import ids
from chalicelib.domain.audit.records import PageRecord
from chalicelib.domain.audit.summary import SiteSummary
from chalicelib.store import crawls, issues, pages
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from tests.servers.wire import WireServer
from tests.workers.audit.alerting import alerted
from tests.workers.audit.test_recheck import events, gain, issue_of, stored_events, tenths
from tests.workers.audit.websites import Site, audit, findings, found, html, new_website, status_of

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

TITLE, H1, DESCRIPTION = "SEO-ONP-001", "SEO-ONP-015", "SEO-ONP-010"


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


def page_of(website: Website, url: str) -> PageRecord | None:
    generation = summary_of(website).generation
    return pages.load_page(website.id, generation.crawl_id, generation.partitions, ids.page_id(website.id, url))


def test_a_page_that_was_mended_resolves_its_issue_and_moves_the_score_by_the_promised_gain() -> None:
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


def test_a_page_that_was_broken_opens_an_issue_and_reopens_another() -> None:
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
    assert found(website, TITLE) == found(website, H1) == ["/b"]
    assert [event["issue"]["ruleId"] for event in events("issue.reopened")] == [TITLE]
    assert tenths(website) < best
    entry = summary_of(website).score
    assert entry is not None and entry.losses is not None
    assert sum(loss.points for loss in entry.losses) == 1_000 - entry.entry.site


def test_what_did_not_change_changes_nothing_and_is_told_to_nobody() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before, score, told = findings(website), tenths(website), len(stored_events())
        counts = {rule: count for rule, count in _counts(website).items()}
        alerted(website, server, "/", "/a", "/b")
        alerted(website, server, "/", "/a", "/b")
    assert (findings(website), tenths(website), len(stored_events())) == (before, score, told)
    assert _counts(website) == counts


def _counts(website: Website) -> dict[str, tuple[int, int]]:
    book = issues.load_state(website.id)
    assert book is not None
    return {rule_id: (count.applicable, count.affected) for rule_id, count in book.counts.items()}


def test_the_population_is_frozen_but_for_new_pages_that_show_an_issue() -> None:
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
def test_a_page_that_has_left_is_affected_by_nothing_any_more(answer: Any) -> None:
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
def test_a_page_that_did_not_answer_stays_as_it_was(answer: Any) -> None:
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
        "1 address was not read: did not answer, or may not be read. What is known of them stands."
    ]


def test_a_page_that_robots_txt_has_come_to_forbid_is_not_read_and_stays() -> None:
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


def test_a_website_that_does_not_answer_leaves_everything_and_says_so() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before = findings(website)
        url = server.url("/b")
    from tests.workers.audit.alerting import send, work

    assert send(website, url) == 1
    header = work(website)
    assert header.status == "failed" and "does not answer" in (header.error or "")
    assert findings(website) == before
    assert stored.get(website.workspace_id, website.id).place is None  # type: ignore[union-attr]
    assert crawls.get(website.id, header.id) == header
