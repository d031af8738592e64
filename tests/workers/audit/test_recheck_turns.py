"""When a recheck may start, when it gets the website's place, and when it ends."""

from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.operations import issues as issue_operations
from chalicelib.operations.errors import Refused
from chalicelib.store import crawls, issues
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper
from chalicelib.workers.audit import lease, recheck, window
from tests import aws
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.rechecking import (
    TITLE,
    issue_of,
    rechecked,
    run,
    start_recheck,
    stored_events,
    untitled_site,
)
from tests.workers.audit.websites import Runtime, audit, found, html, new_website, start, status_of, work

pytestmark = pytest.mark.usefixtures("audits_of_loopback")


def test_a_second_recheck_of_the_same_issue_is_refused() -> None:
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


def test_a_recheck_waits_for_the_running_audit() -> None:
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
def test_a_recheck_starts_even_if_the_crawl_lock_is_released_while_it_is_checked(
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


def test_a_recheck_overtaken_by_a_later_one_still_runs() -> None:
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


def test_a_waiting_recheck_ends_when_an_audit_resolves_the_issue_first() -> None:
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


@pytest.mark.parametrize("state", ["resolved", "ignored"])
def test_the_error_for_a_refused_recheck_names_the_state_of_the_issue(state: str) -> None:
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


def test_a_recheck_and_its_event_have_the_time_of_its_end() -> None:
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


def test_the_sweeper_does_not_restart_a_slow_recheck(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recheck renews its lease for nearly the whole time limit of the function."""
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
