"""The audit worker on small served websites: budgets, ends, what stays and what goes."""

import gc
from itertools import pairwise
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.webhooks.events import Event
from chalicelib.operations import audits
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawl_turns, crawls, issues, keys, outbox, places
from chalicelib.store import websites as stored
from chalicelib.store.context import request_id
from chalicelib.store.lanes import LANES
from chalicelib.workers import sweeper
from chalicelib.workers.audit import crawl, lease, probing, slices
from tests import aws
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.websites import (
    Runtime,
    Site,
    audit,
    found,
    html,
    listed,
    new_website,
    start,
    starts_of,
    status_of,
    work,
)

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

TITLE = "SEO-ONP-001"


def events() -> list[Event]:
    batches = [batch for shard in keys.shards() for batch in outbox.pending(shard)]
    return [event for batch in sorted(batches, key=lambda batch: batch.at) for event in batch.events]


def small_site(**changes: Any) -> Site:
    pages: dict[str, Any] = {
        "/": html("The home page of a small website", "/a", "/b"),
        "/a": html("Everything about the letter A", "/"),
        "/b": html(None, "/"),
    }
    return Site(pages | {f"/{name}": value for name, value in changes.items()})


def test_an_audit_reads_every_page_and_publishes_its_findings() -> None:
    with WireServer(small_site()) as server:
        website = new_website(server)
        header = audit(website)
    assert (header.status, header.stage, header.pages_crawled, header.partial_reason) == ("done", "finished", 3, None)
    assert listed(website) == ["/", "/a", "/b"]
    assert found(website, TITLE) == ["/b"]
    after = stored.get(website.workspace_id, website.id)
    assert after is not None and after.place is None and after.current_crawl == header.id
    assert after.summary is not None and after.summary.score is not None and after.summary.previous_audit is None
    (finished,) = events()
    assert finished.kind == "audit.finished"
    assert finished.fields["crawlId"] == header.id
    assert finished.fields["pagesCrawled"] == 3
    assert finished.fields["openIssues"] == header.issues_found


def test_a_fixed_page_resolves_its_issue_and_a_broken_one_reopens_it() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        site.pages["/b"] = html("Everything about the letter B", "/")
        audit(website)
        assert status_of(website, TITLE) == "resolved"
        site.pages["/b"] = html(None, "/")
        audit(website)
    assert status_of(website, TITLE) == "reopened"
    kinds = [event.kind for event in events() if event.fields.get("issue", {}).get("ruleId") == TITLE]  # type: ignore[attr-defined]
    assert kinds == ["issue.resolved", "issue.reopened"]


def test_a_page_that_does_not_answer_keeps_its_issue() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        site.pages["/b"] = ("500 Internal Server Error", {"content_type": "text/html"}, b"")
        audit(website)
        assert found(website, TITLE) == ["/b"]
        assert found(website, "SEO-TEC-003") == ["/b"]
        site.pages["/b"] = lambda connection: None  # accepts, says nothing, hangs up
        audit(website)
        assert found(website, TITLE) == ["/b"]
        site.pages["/b"] = None
        audit(website)
    assert found(website, TITLE) == []
    assert status_of(website, TITLE) == "resolved"


def test_an_audit_that_a_page_budget_ended_names_that_budget() -> None:
    with WireServer(small_site()) as server:
        website = new_website(server)
        own = audit(website, page_budget=2)
        plan = audit(website, page_budget=2, plan_limit=2)
        exact = audit(website, page_budget=3)
    assert (own.partial_reason, own.pages_crawled) == ("page_budget", 2)
    assert plan.partial_reason == "plan_page_budget"
    assert exact.partial_reason is None


def test_a_partial_audit_resolves_no_issue_of_unread_pages() -> None:
    with WireServer(small_site()) as server:
        website = new_website(server)
        audit(website)
        partial = audit(website, page_budget=2)
        assert partial.partial_reason == "page_budget"
    assert found(website, TITLE) == ["/b"]
    assert listed(website) == ["/", "/a", "/b"]


def test_unread_pages_are_carried_forward_for_four_weeks() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        clock.set_offset(29 * 24 * 3600)
        audit(website, page_budget=2)
    assert listed(website) == ["/", "/a"]
    assert status_of(website, TITLE) == "open"


def test_redirects_do_not_count_against_the_page_budget() -> None:
    moved = ("301 Moved Permanently", {"location": "/a"}, b"")
    site = Site({"/": html("The home page of a small website", "/1", "/2", "/3", "/a"), "/a": html("About A", "/")})
    site.pages |= {"/1": moved, "/2": moved, "/3": moved}
    with WireServer(site) as server:
        website = new_website(server)
        header = audit(website, page_budget=2)
    assert (header.pages_crawled, header.partial_reason) == (2, None)


def test_an_audit_ends_at_its_time_budget() -> None:
    def slow(connection: Connection) -> str:
        clock.set_offset(clock.offset() + 31 * 60)
        return html("The home page of a small website", "/a", "/b")

    with WireServer(small_site(**{"": slow})) as server:
        website = new_website(server)
        header = audit(website)
    assert header.partial_reason == "time_budget"
    assert header.status == "done"


def test_an_audit_of_an_unreachable_website_fails_and_changes_nothing() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before = stored.get(website.workspace_id, website.id)
        site.pages["/"] = ("503 Service Unavailable", {"retry_after": "0"}, b"")
        header = audit(website)
    assert header.status == "failed"
    assert header.error is not None and "server error (503)" in header.error
    after = stored.get(website.workspace_id, website.id)
    assert before is not None and after is not None
    assert after.packed_summary == before.packed_summary and after.place is None
    assert found(website, TITLE) == ["/b"]
    assert [event.fields["status"] for event in events()] == ["done", "failed"]


def test_a_failed_first_audit_leaves_no_score_and_no_issues() -> None:
    with WireServer(Site({})) as server:
        website = new_website(server)
    header = audit(website)
    assert header.status == "failed" and header.error is not None and "does not answer" in header.error
    after = stored.get(website.workspace_id, website.id)
    assert after is not None and after.summary is None and issues.load_state(website.id) is None


def test_a_robots_txt_with_a_server_error_fails_the_audit_with_a_reason() -> None:
    robots = ("500 Internal Server Error", {"content_type": "text/plain"}, b"")
    with WireServer(small_site(**{"robots.txt": robots})) as server:
        website = new_website(server)
        header = audit(website)
    assert header.status == "failed"
    assert header.error is not None and "robots.txt answers with a server error (500)" in header.error


@pytest.mark.parametrize(
    ("home", "robots", "said"),
    [
        ("http://10.0.0.1/", None, "http://10.0.0.1 does not answer (its address is not a public one)."),
        (None, "http://10.0.0.1/x", "/robots.txt leads to http://10.0.0.1/x, which does not answer (its address is"),
        (None, "/broken", "/broken, which answers with a server error (502) on 3 tries."),
    ],
    ids=["the home page", "robots.txt", "robots.txt and an error"],
)
def test_if_the_website_redirects_to_an_unreadable_address_the_error_names_it(
    home: str | None, robots: str | None, said: str
) -> None:
    def to(target: str) -> tuple[str, dict[str, str], bytes]:
        return "302 Found", {"location": target}, b""

    site = small_site(broken=("502 Bad Gateway", {"content_type": "text/plain"}, b""))
    if home is not None:
        site.pages["/"] = to(home)
    if robots is not None:
        site.pages["/robots.txt"] = to(robots)
    with WireServer(site) as server:
        header = audit(new_website(server))
    assert header.status == "failed" and header.error is not None and said in header.error


def test_an_unreadable_address_to_which_a_sitemap_redirects_is_reported() -> None:
    robots = ("200 OK", {"content_type": "text/plain"}, b"User-agent: *\nAllow: /\nSitemap: /map.xml\n")
    led = {"map.xml": ("302 Found", {"location": "http://10.0.0.1/map.xml"}, b""), "robots.txt": robots}
    with WireServer(small_site(**led)) as server:
        website = new_website(server)
        header = audit(website)
        ended = crawls.get(website.id, header.id)
        assert ended is not None
        facts = crawls.load_site_facts(header.id, ended.site_facts_fence)
    (file,) = facts.sitemaps
    why = "leads to http://10.0.0.1/map.xml, which does not answer (its address is not a public one)"
    assert (file.status, file.error) == (0, why)
    assert status_of(website, "SEO-SMP-002") == "open"


def test_an_audit_of_a_disallowed_website_reads_no_page() -> None:
    robots = ("200 OK", {"content_type": "text/plain"}, b"User-agent: *\nDisallow: /\n")
    site = small_site(**{"robots.txt": robots})
    with WireServer(site) as server:
        website = new_website(server)
        header = audit(website)
    assert (header.status, header.pages_crawled) == ("done", 0)
    assert status_of(website, "SEO-TEC-001") == "open"
    assert "/" not in site.asked


def test_disallowed_pages_are_known_but_never_read() -> None:
    robots = ("200 OK", {"content_type": "text/plain"}, b"User-agent: *\nDisallow: /b\n")
    site = small_site(**{"robots.txt": robots})
    with WireServer(site) as server:
        website = new_website(server)
        header = audit(website)
    assert "/b" not in site.asked
    assert (header.pages_crawled, header.pages_discovered, header.partial_reason) == (2, 3, None)
    assert listed(website) == ["/", "/a"]


def test_a_cancelled_queued_audit_ends_at_once() -> None:
    with WireServer(small_site()) as server:
        website = new_website(server)
        header = start(website)
        audits.cancel(website.id, header.id, now=clock.now())
        ended = work(header)
    assert (ended.status, ended.partial_reason, ended.pages_crawled) == ("cancelled", "cancelled", 0)
    after = stored.get(website.workspace_id, website.id)
    assert after is not None and after.place is None and after.summary is None
    with pytest.raises(Refused, match="already ended"):
        audits.cancel(website.id, header.id, now=clock.now())


def test_a_cancelled_running_audit_publishes_its_pages() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        header = start(website)

        def cancel(_: Connection) -> str:
            audits.cancel(website.id, header.id, now=clock.now())
            return html("Everything about the letter A", "/")

        site.pages["/a"] = cancel
        ended = work(header)
    assert (ended.status, ended.partial_reason) == ("cancelled", "cancelled")
    assert ended.pages_crawled >= 1
    assert "/" in listed(website)


def test_a_crawl_that_many_workers_continue_reads_each_address_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLICE_SECONDS", "0")
    monkeypatch.setenv("CRAWL_CONCURRENCY", "1")
    monkeypatch.setattr(slices, "WINDOW_PER_PLACE", 1)
    forget_settings()
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        header = audit(website)
    assert header.slice >= 2
    as_others = ["/"] * (1 + len(probing.AGENTS))  # as a browser and in the names of assistants
    assert [path for path in site.asked if path in ("/", "/a", "/b")] == ["/", *as_others, "/a", "/b"]


def test_a_crawl_message_queued_again_by_the_sweeper_keeps_the_request_id() -> None:
    with WireServer(small_site()) as server:
        website = new_website(server)
        token = request_id.set("req-of-the-start")
        try:
            start(website)
        finally:
            request_id.reset(token)
        (first,) = aws.messages("crawl")
        aws.purge("crawl")  # the message is lost
        clock.set_offset(clock.offset() + lease.LEASE_SECONDS + 1)
        sweeper.run()
        (again,) = aws.messages("crawl")
    assert first == again
    assert again["requestId"] == "req-of-the-start"


def test_an_audit_changes_garbage_collection_settings_only_while_it_runs() -> None:
    before = gc.get_threshold()
    during = []

    def page(_: Connection) -> str:
        during.append(gc.get_threshold())
        return html("Everything about the letter A", "/")

    with WireServer(small_site(a=page)) as server:
        audit(new_website(server))
    assert during[0][0] == crawl.OBJECTS_PER_COLLECTION
    assert gc.get_threshold() == before


def test_a_second_message_for_a_running_part_of_an_audit_does_nothing() -> None:
    with WireServer(small_site()) as server:
        website = new_website(server)
        header = start(website)
        (message,) = aws.messages("crawl")
        now = clock.now()
        place = places.start(website.workspace_id, website.id, header.id)
        claimed = crawl_turns.claim(header, now=now, lease_until=now + 60, place=place, lane=LANES["crawl"])
        assert claimed is not None
        crawl.handle(message, Runtime())
        assert crawls.get(website.id, header.id) == claimed


def test_a_moved_website_is_audited_at_its_new_address() -> None:
    with WireServer(small_site()) as target:
        moved = ("301 Moved Permanently", {"location": target.url("/", host="localhost")}, b"")
        with WireServer(Site({"/": moved})) as server:
            website = new_website(server)
            header = audit(website)
    assert (header.status, header.pages_crawled) == ("done", 3)
    after = stored.get(website.workspace_id, website.id)
    assert after is not None and after.host == f"localhost:{target.port}"


def test_the_crawl_delay_of_robots_txt_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    robots = ("200 OK", {"content_type": "text/plain"}, b"User-agent: *\nCrawl-delay: 0.2\n")
    starts = starts_of(0.2, monkeypatch)
    with WireServer(small_site(**{"robots.txt": robots})) as server:
        website = new_website(server)
        audit(website)
    (of_the_website,) = starts.values()  # one for discovery and for reading: no request follows at once between them
    assert len(of_the_website) > 2
    assert all(later - earlier > 0.19 for earlier, later in pairwise(of_the_website))


def test_a_score_change_of_two_points_sends_an_event() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        noindex = '<meta name="robots" content="noindex">'
        site.pages["/"] = html("The home page of a small website", "/a", "/b", head=noindex)
        audit(website)
    changed = [event for event in events() if event.kind == "score.changed"]
    assert len(changed) == 1
    fields = changed[0].fields
    assert fields["delta"] == pytest.approx(fields["to"] - fields["from"])  # type: ignore[operator]
    assert fields["delta"] <= -2  # type: ignore[operator]


def test_a_stopping_process_hands_the_audit_over_at_the_next_page(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopping(Runtime):
        left = 900_000

        def get_remaining_time_in_millis(self) -> int:
            return self.left

    runtime = Stopping()

    def page(_: Connection) -> str:
        runtime.left = 25_000
        return html("Everything about the letter A", *(f"/{number}" for number in range(40)))

    pages = {f"p{number}": html(f"Page {number}", f"/p{number + 1}") for number in range(20)}
    with WireServer(small_site(a=page, **pages)) as server:
        website = new_website(server)
        header = start(website)
        (message,) = aws.messages("crawl")
        aws.purge("crawl")
        crawl.handle(message, runtime)
        stopped = crawls.get(website.id, header.id)
        assert stopped is not None and not stopped.ended
        (next_message,) = aws.messages("crawl")
        assert next_message["slice"] == stopped.slice == message["slice"] + 1
        assert stopped.lease_until <= clock.now()
        runtime.left = 900_000
        crawl.handle(next_message, Runtime())
        ended = crawls.get(website.id, header.id)
    assert ended is not None and ended.status == "done"
