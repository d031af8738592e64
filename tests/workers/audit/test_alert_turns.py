"""When alerts run, beside what, how they end before their time, and how long what they wrote is kept."""

from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import audits, websites
from chalicelib.operations import issues as issue_operations
from chalicelib.store import crawls, pages, targets
from chalicelib.workers import sweeper
from chalicelib.workers.audit import lease, recheck, window
from tests import aws
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.alerting import alerted, of, page_of, send, small_site, work
from tests.workers.audit.rechecking import events, issue_of, rechecked, tenths
from tests.workers.audit.websites import Runtime, audit, findings, found, html, new_website, start, status_of
from tests.workers.audit.websites import work as work_audit

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

TITLE = "SEO-ONP-001"


def handle_messages() -> None:
    waiting = aws.messages("recheck")
    aws.purge("recheck")
    for message in waiting:
        recheck.handle(message, Runtime())


def test_an_alert_waits_for_more_pages_before_it_starts() -> None:
    with WireServer(small_site()) as server:
        website = new_website(server)
        audit(website)
        send(website, server.url("/b"))
        handle_messages()
        (header,) = of(website)
        assert (header.status, header.fence) == ("queued", 0)
        send(website, server.url("/a"))
        assert work(website).pages_crawled == 2


def test_an_alert_waits_for_its_time_even_if_another_crawl_ends_before_it() -> None:
    with WireServer(small_site()) as server:
        website = new_website(server)
        audit(website)
        running = start(website)
        send(website, server.url("/b"))
        aws.purge("recheck")
        work_audit(running)
        assert aws.messages("recheck") == []


def test_an_alert_waits_for_the_running_audit() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        running = start(website)
        send(website, server.url("/b"))
        clock.set_offset(clock.offset() + 40)
        handle_messages()
        (header,) = of(website)
        assert header.status == "queued"
        sweeper.run()
        assert aws.messages("recheck") == [], "what waits for the place is in nobody's way"
        assert work_audit(running).status == "done"
        assert [message["crawlId"] for message in aws.messages("recheck")] == [header.id]
        site.pages["/b"] = html("Everything about the letter B", "/")
        assert work(website).status == "done"
    assert status_of(website, TITLE) == "resolved"


def test_an_alert_still_runs_if_a_later_recheck_ends_before_it() -> None:
    """The message of the alert comes late: a recheck requested after it has ended, and an audit is running."""
    with WireServer(small_site()) as server:
        website = new_website(server)
        audit(website)
        send(website, server.url("/b"))
        (late,) = aws.messages("recheck")
        aws.purge("recheck")
        clock.set_offset(clock.offset() + 40)
        assert rechecked(website).status == "done"
        aws.purge("recheck")
        running = start(website)
        recheck.handle(late, Runtime())
        work_audit(running)
        assert work(website).status == "done"


def test_alerts_of_a_website_run_one_after_another() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        send(website, server.url("/a"))
        clock.set_offset(clock.offset() + 40)
        messages: list[str] = []

        def another(_: Connection) -> str:
            if not messages:
                send(website, server.url("/b"))
                clock.set_offset(clock.offset() + 40)
                messages.extend(message["crawlId"] for message in aws.messages("recheck"))
                for message in aws.messages("recheck"):
                    recheck.handle(message, Runtime())
            return html("Everything about the letter A", "/")

        site.pages["/a"] = another
        handle_messages()
        first, second = of(website)
        assert messages == [second.id]
        assert (first.status, second.status, second.started_at) == ("done", "queued", None)
        assert work(website).id == second.id
    assert all(header.status == "done" for header in of(website))


def test_rechecks_and_audits_after_an_alert_start_from_the_results_of_the_alert() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        site.pages["/a"] = html(None, "/")
        alerted(website, server, "/a")
        assert found(website, TITLE) == ["/a", "/b"]
        site.pages["/b"] = html("Everything about the letter B", "/")
        rechecked(website)
        assert found(website, TITLE) == ["/a"]
        site.pages["/a"] = html("Everything about the letter A", "/")
        alert = alerted(website, server, "/a")
        assert status_of(website, TITLE) == "resolved"
        before, score = findings(website), tenths(website)
        assert audit(website).replaces == alert.id
    assert (findings(website), tenths(website)) == (before, score), "the audit sees what the alerts saw"


def test_rows_that_an_alert_replaced_expire_but_current_facts_do_not() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        first = audit(website)
        alert = alerted(website, server, "/b")
        record = page_of(website, server.url("/a"))
        clock.set_offset(clock.offset() + 2 * 86_400)
        assert pages.load_list(website.id, first.id) == []
        assert len(pages.load_list(website.id, alert.id)) == 3
        assert record is not None and record.facts is not None and record.row.facts_crawl == first.id
        assert page_of(website, server.url("/a")) == record


def test_an_alert_is_stored_for_thirty_days() -> None:
    with WireServer(small_site()) as server:
        website = new_website(server)
        first = audit(website)
        alert = alerted(website, server, "/b")
        clock.set_offset(clock.offset() + crawls.ALERT_KEPT_SECONDS - 60)
        assert crawls.get(website.id, alert.id) is not None
        clock.set_offset(clock.offset() + 120)
        assert crawls.get(website.id, alert.id) is None
        assert crawls.get(website.id, first.id) is not None
        record = page_of(website, server.url("/b"))
        assert record is not None and record.facts is not None and record.row.facts_crawl == alert.id


def test_results_outside_the_pages_of_an_alert_stay_until_the_next_audit() -> None:
    site = small_site()
    picture = '<img src="/gone.jpg" alt="A picture of what is gone" width="40" height="30">'
    site.pages["/"] = html("The home page of a small website", "/a", "/b", body=picture)
    with WireServer(site) as server:
        website = new_website(server)
        first = audit(website)
        assert [target.url for target in targets.load(first.id)] == [server.url("/gone.jpg")]
        alerted(website, server, "/", "/a", "/b")
        clock.set_offset(clock.offset() + 2 * 86_400)
        assert [target.url for target in targets.load(first.id)] == [server.url("/gone.jpg")]
        assert rechecked(website, "SEO-IMG-004").status == "done"
        audit(website)
        clock.set_offset(clock.offset() + 2 * 86_400)
        assert list(crawls.block_keys(first.id)) == []


def test_an_ignored_issue_stays_ignored() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        issue_operations.ignore(OPERATOR, website.id, ids.issue_id(website.id, TITLE))
        site.pages["/a"] = html(None, "/")
        alerted(website, server, "/a")
        issue = issue_of(website, TITLE)
    assert (issue.status, issue.affected_pages) == ("ignored", 2)
    assert events("issue.reopened") == []


def test_a_change_by_a_person_during_an_alert_is_kept() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)

        def ignored(_: Connection) -> str:
            if status_of(website, TITLE) == "open":
                issue_operations.ignore(OPERATOR, website.id, ids.issue_id(website.id, TITLE))
            return html(None, "/")

        site.pages["/a"] = ignored
        alerted(website, server, "/a")
    assert (status_of(website, TITLE), issue_of(website, TITLE).affected_pages) == ("ignored", 2)


def test_an_alert_runs_for_a_paused_website_but_not_for_a_removed_one() -> None:
    with WireServer(small_site()) as server:
        website = new_website(server)
        audit(website)
        send(website, server.url("/b"))
        websites.pause(OPERATOR, website.id)
        assert work(website).status == "done", "paused is only the weekly audit"
        send(website, server.url("/b"))
        (message,) = aws.messages("recheck")
        websites.remove(OPERATOR, website.id)
        clock.set_offset(clock.offset() + 40)
        recheck.handle(message, Runtime())
    kept = {f"WS#{website.workspace_id}", f"ACTS#{website.workspace_id}"}  # the workspace's, who did what among them
    assert [row for row in aws.rows("crawls") if row[0] not in kept] == [] == aws.rows("pages")


def test_a_cancelled_alert_changes_nothing() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before = findings(website)
        site.pages["/b"] = html("Everything about the letter B", "/")
        send(website, server.url("/b"))
        audits.cancel(website.id, of(website)[0].id, now=clock.now())
        header = work(website)
    assert (header.status, header.pages_crawled) == ("cancelled", 0)
    assert findings(website) == before


def test_a_cancellation_takes_effect_while_pages_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "RENEW_SECONDS", 0.0)
    monkeypatch.setattr(window, "WAKE_SECONDS", 0.01)
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        before = findings(website)

        def cancels(connection: Connection) -> None:
            audits.cancel(website.id, of(website)[0].id, now=clock.now())
            connection.hang()

        site.pages["/b"] = cancels
        header = alerted(website, server, "/b")
    assert (header.status, header.fence) == ("cancelled", 1)
    assert findings(website) == before


def test_a_slow_alert_renews_its_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "RENEW_SECONDS", 0.0)
    monkeypatch.setattr(window, "WAKE_SECONDS", 0.01)
    site = small_site()
    again: list[Any] = []

    def slow(connection: Connection) -> str:
        for _ in range(5):
            clock.set_offset(clock.offset() + 100)
            while of(website)[0].lease_until < clock.now() + lease.LEASE_SECONDS - 50:
                assert not connection.server.ending.wait(0.01)
            sweeper.run()
            again.extend(aws.messages("recheck"))
        return html("Everything about the letter B", "/")

    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        send(website, server.url("/b"))
        clock.set_offset(clock.offset() + 40)
        site.pages["/b"] = slow
        handle_messages()
        (header,) = of(website)
    assert again == []
    assert (header.status, header.fence) == ("done", 1)
