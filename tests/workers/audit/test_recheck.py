"""Rechecks: the listed pages of one issue, read again, and what becomes of issue, score and events."""

from typing import Any

import pytest

from chalicelib.domain import ids
from chalicelib.store import crawls, issues, kept_audits, pages
from chalicelib.store import websites as stored
from chalicelib.workers.audit import recheck
from tests import aws
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.rechecking import (
    TITLE,
    events,
    gain,
    issue_of,
    rechecked,
    run,
    start_recheck,
    tenths,
    untitled_site,
)
from tests.workers.audit.websites import Runtime, Site, audit, found, html, new_website, status_of

pytestmark = pytest.mark.usefixtures("audits_of_loopback")


def test_fixing_every_page_resolves_the_issue_and_gives_the_promised_gain() -> None:
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
    log = issues.load_log(website.id, issue.id)
    assert [(entry.kind, entry.pages) for entry in log] == [("resolved", 3), ("rechecked", 0), ("found", 3)]
    scores = [(one.kind, one.crawl_id == header.id, one.score.site) for one in kept_audits.scores(website.id)]
    assert scores == [("recheck", True, before + promised), ("audit", False, before)]
    (resolved,) = events("issue.resolved")
    assert (resolved["issue"]["pages"], resolved["issue"]["pagesBefore"]) == (0, 3) and resolved["crawlId"] == header.id
    assert events("recheck.failed") == []


def test_a_recheck_removes_fixed_pages_and_keeps_broken_ones() -> None:
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


def test_a_page_that_does_not_answer_stays_listed_and_counted() -> None:
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
    assert issue.last_recheck.note is not None and "1 page could not be read" in issue.last_recheck.note
    assert found(website, TITLE) == ["/d"]


@pytest.mark.parametrize("body", ["", " \r\n\t\x0c", "\ufeff\n", "\ufeff \n".encode("utf-16-le")])
def test_an_empty_answer_resolves_no_issue(body: str | bytes) -> None:
    rule_id = "SEO-IMG-001"
    pictured = {f"/{name}": html(f"Letter {name}", "/", body='<img src="/a.png">') for name in "bcd"}
    site = Site({"/": html("Home", *pictured), **pictured})
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before = tenths(website)
        for name in "bcd":
            site.pages[f"/{name}"] = body
        rechecked(website, rule_id)
    issue = issue_of(website, rule_id)
    assert issue.last_recheck is not None and not issue.last_recheck.passed
    assert (issue.status, found(website, rule_id)) == ("open", ["/b", "/c", "/d"])
    assert tenths(website) <= before and events("issue.resolved") == []


def test_an_empty_page_that_forwards_by_its_header_resolves_its_issue() -> None:
    site = untitled_site()
    forwards = ("200 OK", {"Content-Type": "text/html", "Refresh": "0; url=/a"}, b"")
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        for name in "bcd":
            site.pages[f"/{name}"] = forwards
        rechecked(website)
    assert issue_of(website, TITLE).status == "resolved"


def test_a_removed_page_is_not_affected_by_its_issue_any_more() -> None:
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


def test_a_recheck_updates_the_page_list_and_the_findings_of_each_page() -> None:
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


def test_a_rechecked_duplicate_is_compared_with_the_whole_website() -> None:
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
def test_a_repaired_dead_link_is_resolved(rule_id: str, listed: str, mended: dict[str, str]) -> None:
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


def test_a_restored_image_is_resolved() -> None:
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


def test_a_recheck_bypasses_caches_if_the_website_accepts_it() -> None:
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


def test_a_recheck_of_an_unreachable_website_keeps_the_issue() -> None:
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


def test_an_issue_about_the_website_is_rechecked_on_home_page_and_files() -> None:
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


def test_an_issue_that_needs_every_page_stays_open_with_a_reason() -> None:
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
