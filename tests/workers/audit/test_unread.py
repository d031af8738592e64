"""Pages that an audit did not read: none of their findings is resolved."""

from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.issues import OPEN_STATUSES, IssueBook
from chalicelib.domain.webhooks import bodies
from chalicelib.domain.webhooks.events import Event
from chalicelib.store import issues, keys, outbox, pages
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.websites import Site, audit, found, html, new_website, status_of

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

TITLE = "SEO-ONP-001"


def robots(text: str) -> Any:
    return ("200 OK", {"content_type": "text/plain"}, text.encode())


def site() -> Site:
    return Site(
        {
            "/": html("The home page of a small website", "/a", "/b"),
            "/a": html("Everything about the letter A", "/"),
            "/b": html(None, "/"),
        }
    )


def told(kind: str) -> list[Event]:
    found = [event for shard in keys.shards() for batch in outbox.pending(shard) for event in batch.events]
    for event in found:
        bodies.check(event.kind, event.fields)
    return [event for event in found if event.kind == kind]


def book_of(website: Website) -> IssueBook:
    book = issues.load_state(website.id)
    assert book is not None
    return book


def open_page_issues(website: Website) -> set[str]:
    return {one.rule_id for one in book_of(website).issues if one.status in OPEN_STATUSES and one.affected_chunks}


def page_of(website: Website, url: str) -> pages.PageRecord | None:
    current = stored.get(website.workspace_id, website.id)
    assert current is not None and current.summary is not None
    generation = current.summary.generation
    return pages.load_page(website.id, generation.crawl_id, generation.partitions, ids.page_id(website.id, url))


def test_an_audit_that_cannot_read_anything_resolves_no_issue() -> None:
    small = site()
    with WireServer(small) as server:
        website = new_website(server)
        audit(website)
        before, counts = open_page_issues(website), book_of(website).counts
        small.pages["/robots.txt"] = robots("User-agent: *\nDisallow: /\n")
        header = audit(website)
        during, standing = open_page_issues(website), book_of(website).counts
        blocked = status_of(website, "SEO-TEC-001")
        record = page_of(website, server.url("/b"))
        small.pages["/robots.txt"] = robots("User-agent: *\nDisallow:\n")
        audit(website)
        after = open_page_issues(website)
    assert (header.status, header.pages_crawled) == ("done", 0)
    assert TITLE in before and before <= during and blocked == "open"
    assert standing[TITLE] == counts[TITLE]
    assert record is not None and record.facts is not None and TITLE in record.row.rules
    assert record.row.not_indexable_reason == "robots_txt" and not record.row.indexable
    assert after == before
    assert [event.fields["issue"]["ruleId"] for event in told("issue.reopened")] == []
    assert {event.fields["issue"]["ruleId"] for event in told("issue.resolved")} <= {
        "SEO-TEC-001",
        "SEO-AEO-001",
        "SEO-AEO-002",
        "SEO-AEO-003",
        "SEO-TEC-012",
    }


def test_a_page_newly_disallowed_by_robots_txt_keeps_its_issue() -> None:
    small = site()
    with WireServer(small) as server:
        website = new_website(server)
        audit(website)
        counts = book_of(website).counts[TITLE]
        small.pages["/robots.txt"] = robots("User-agent: *\nDisallow: /b\n")
        audit(website)
        assert found(website, TITLE) == ["/b"] and book_of(website).counts[TITLE] == counts
        small.pages["/robots.txt"] = robots("")
        small.pages["/b"] = None
        audit(website)
    assert status_of(website, TITLE) == "resolved"
    assert book_of(website).counts[TITLE].affected == 0


@pytest.mark.parametrize("body", ["", "\n"])
def test_a_page_of_white_space_or_nothing_keeps_its_findings_and_gets_no_others(body: str) -> None:
    small = site()
    with WireServer(small) as server:
        website = new_website(server)
        audit(website)
        small.pages["/a"] = small.pages["/b"] = body
        audit(website)
        record = page_of(website, server.url("/a"))
    assert found(website, TITLE) == ["/b"]
    assert record is not None and record.facts is not None
    assert (record.facts.error, record.facts.bytes) == ("unreadable", 0)


def test_a_page_that_redirects_now_is_not_affected_by_an_issue_any_more() -> None:
    small = site()
    with WireServer(small) as server:
        website = new_website(server)
        audit(website)
        small.pages["/b"] = ("301 Moved Permanently", {"location": "/a"}, b"")
        audit(website)
    assert status_of(website, TITLE) == "resolved"


def test_a_disallowed_address_is_listed_as_a_page_and_is_found_by_its_id() -> None:
    small = site()
    small.pages["/robots.txt"] = robots("User-agent: *\nDisallow: /b\n")
    with WireServer(small) as server:
        website = new_website(server)
        audit(website)
        assert found(website, "SEO-TEC-012") == ["/b"]
        record = page_of(website, server.url("/b"))
    assert record is not None and record.facts is None
    assert (record.row.status, record.row.page_score, record.row.last_crawled) == (None, None, None)
    assert "SEO-TEC-012" in [finding.rule_id for finding in record.findings]


def test_the_time_of_an_audits_end_is_the_time_when_its_results_are_published() -> None:
    small = site()
    with WireServer(small) as server:
        website = new_website(server)
        header = audit(website)
    assert header.finished_at is not None and header.started_at is not None
    (finished,) = told("audit.finished")
    assert finished.at == header.finished_at == book_of(website).computed_at
    assert finished.fields["durationSeconds"] == int(header.finished_at) - int(header.started_at)


def test_the_event_of_a_failed_audit_has_the_current_score() -> None:
    small = site()

    def slow(_: Connection) -> Any:
        clock.set_offset(clock.offset() + 60)
        return ("503 Service Unavailable", {"retry_after": "0"}, b"")

    with WireServer(small) as server:
        website = new_website(server)
        audit(website)
        standing = len([one for one in book_of(website).issues if one.status in OPEN_STATUSES])
        small.pages["/"] = slow
        audit(website)
    failed = next(event for event in told("audit.finished") if event.fields["status"] == "failed")
    assert failed.fields["openIssues"] == standing and failed.fields["score"]["site"] is not None
    assert failed.fields["durationSeconds"] >= 60
    done = next(event for event in told("audit.finished") if event.fields["status"] == "done")
    assert done.fields["changes"] == {"new": standing, "resolved": 0, "reopened": 0}
    assert failed.fields["changes"] is None


def test_a_page_that_is_not_linked_any_more_is_requested_before_its_removal() -> None:
    small = site()
    with WireServer(small) as server:
        website = new_website(server)
        audit(website)
        small.pages["/"] = html("The home page of a small website", "/a")
        small.asked.clear()
        audit(website)
        assert "/b" in small.asked
        assert found(website, TITLE) == ["/b"]
        small.pages["/b"] = None
        audit(website)
    assert status_of(website, TITLE) == "resolved"
