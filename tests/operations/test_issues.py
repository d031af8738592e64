"""Ignoring issues and taking them back: who may, from which states, and what the website's summary says afterwards."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import botocore.client
import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.domain.audit.ignoring import Ignored
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.summary import SiteSummary
from chalicelib.operations import issues as operations
from chalicelib.operations import rechecks
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import issues
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers.audit import reading, recheck
from tests import aws
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.websites import Runtime, Site, audit, html, new_website

TITLE = "SEO-ONP-001"
HOME = html("The home page of a small website", "/a", "/b", "/c")


@pytest.fixture(autouse=True)
def settings(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setattr(reading, "SECOND_TRY_AFTER_SECONDS", 0.01)
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


@pytest.fixture
def site() -> Site:
    """Three pages below the home page, none with a title."""
    return Site({"/": HOME, **{path: html(None, "/") for path in ("/a", "/b", "/c")}})


@pytest.fixture
def website(site: Site) -> Iterator[Website]:
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        yield website


def mend(site: Site) -> None:
    for path in ("/a", "/b", "/c"):
        site.pages[path] = html(f"Everything there is to know about {path}", "/")


def title_issue(website: Website) -> Issue:
    book = issues.load_state(website.id)
    assert book is not None
    issue = book.by_id(ids.issue_id(website.id, TITLE))
    assert issue is not None
    return issue


def summary(website: Website) -> SiteSummary:
    current = stored.get(website.workspace_id, website.id)
    assert current is not None and current.summary is not None
    return current.summary


def shown(website: Website) -> tuple[int, int, int]:
    """What the summary says of open issues: all, those to work on, those of the category On page."""
    found = summary(website)
    assert found.score is not None
    (on_page,) = [part.open_issues for part in found.score.categories if part.category == "ONP"]
    return len(found.issue_first_seen), len(found.action_first_seen), on_page


def ignore(website: Website) -> Issue:
    return operations.ignore(OPERATOR, website.id, title_issue(website).id)


def unignore(website: Website) -> Issue:
    return operations.unignore(OPERATOR, website.id, title_issue(website).id)


def refusal(operation: Callable[..., object], *arguments: Any) -> str:
    with pytest.raises(Refused) as caught:
        operation(*arguments)
    assert caught.value.message.endswith(".")
    return caught.value.code


@contextlib.contextmanager
def just_before_the_write(happens: Callable[[], object]) -> Iterator[None]:
    """Something happens at the moment when the next transaction is about to be written."""
    inner = botocore.client.BaseClient._make_api_call

    def wrapped(self: botocore.client.BaseClient, operation: str, request: dict[str, Any]) -> Any:
        if operation == "TransactWriteItems":
            botocore.client.BaseClient._make_api_call = inner
            happens()
        return inner(self, operation, request)

    botocore.client.BaseClient._make_api_call = wrapped
    try:
        yield
    finally:
        botocore.client.BaseClient._make_api_call = inner


def test_ignoring_an_issue_removes_it_from_the_counts_until_it_is_unignored(website: Website) -> None:
    before, score = shown(website), summary(website).score
    assert ignore(website).status == "ignored"
    assert shown(website) == tuple(count - 1 for count in before)
    assert unignore(website).status == "open"
    assert shown(website) == before
    assert summary(website).score == score


def test_an_ignored_issue_still_counts_in_the_score(website: Website) -> None:
    before = summary(website).score
    ignore(website)
    audit(website)
    after = summary(website).score
    assert before is not None and after is not None
    assert (after.entry.site, after.entry.health, after.entry.aeo) == (
        *(before.entry.site, before.entry.health, before.entry.aeo),
    )


def test_the_pages_of_an_ignored_issue_are_kept_current(site: Site, website: Website) -> None:
    ignore(website)
    site.pages["/b"] = html("Everything there is to know about /b", "/")
    header = audit(website)
    issue = title_issue(website)
    assert (issue.status, issue.affected_pages, issue.affected_crawl) == ("ignored", 2, header.id)
    assert [page.url[-2:] for page in issues.load_affected(website.id, issue)] == ["/a", "/c"]


def test_pages_of_an_ignored_issue_are_kept_if_an_audit_does_not_reach_them(site: Site, website: Website) -> None:
    ignore(website)
    clock.set_offset(40 * 86_400.0)  # too old to be carried forward
    header = audit(website, page_budget=1)
    assert header.partial_reason == "page_budget"
    issue = title_issue(website)
    assert (issue.status, issue.affected_pages) == ("ignored", 3)
    assert len(issues.load_affected(website.id, issue)) == 3


def test_unignoring_a_fixed_issue_resolves_it(site: Site, website: Website) -> None:
    ignore(website)
    mend(site)
    clock.set_offset(3_600.0)
    audit(website)
    assert (title_issue(website).status, title_issue(website).affected_pages) == ("ignored", 0)
    counts = shown(website)
    issue = unignore(website)
    assert issue.status == "resolved" and issue.resolved_at == pytest.approx(clock.now(), abs=60)
    assert shown(website) == counts
    site.pages["/a"] = html(None, "/")
    audit(website)
    assert title_issue(website).status == "reopened"


def test_an_issue_ignored_until_a_date_is_open_after_that_date(website: Website) -> None:
    before, issue_id, until = shown(website), title_issue(website).id, clock.now() + 7 * 86_400
    first = operations.ignore(OPERATOR, website.id, issue_id, "The relaunch removes it.", until)
    assert first.ignored is not None
    assert first.ignored == Ignored(first.ignored.at, None, "The relaunch removes it.", until)
    assert shown(website) == tuple(count - 1 for count in before)
    clock.set_offset(7 * 86_400 - 60)
    assert title_issue(website).status == "ignored"
    clock.set_offset(7 * 86_400 + 60)
    assert (title_issue(website).status, title_issue(website).ignored) == ("open", None)
    assert shown(website) == before
    audit(website)
    assert title_issue(website).status == "open"
    assert shown(website) == before, "the audit stores what was read"
    entry = operations.history(OPERATOR, website.id, issue_id)[0]
    assert (entry.kind, entry.reason, entry.until) == ("ignored", "The relaunch removes it.", until)


def test_a_fixed_issue_is_resolved_when_its_ignore_date_passes(site: Site, website: Website) -> None:
    until = clock.now() + 86_400
    operations.ignore(OPERATOR, website.id, title_issue(website).id, None, until)
    mend(site)
    clock.set_offset(3_600.0)
    audit(website)
    counts = shown(website)
    clock.set_offset(2 * 86_400.0)
    assert (title_issue(website).status, title_issue(website).resolved_at) == ("resolved", until)
    assert shown(website) == counts


def test_a_past_or_distant_date_is_refused(website: Website) -> None:
    issue_id = title_issue(website).id
    for until in (clock.now() - 1, clock.now() + 6 * 366 * 86_400):
        assert refusal(operations.ignore, OPERATOR, website.id, issue_id, "Why", until) == "bad_until"
    assert title_issue(website).status == "open"


@pytest.mark.parametrize(
    ("state", "operation"),
    [("recheck_queued", "ignore"), ("resolved", "ignore"), ("ignored", "ignore"), ("open", "unignore")],
)
def test_ignoring_or_unignoring_in_the_wrong_state_is_refused(
    state: str, operation: str, site: Site, website: Website
) -> None:
    if state == "recheck_queued":
        ask_for_recheck(website)
    elif state == "resolved":
        mend(site)
        audit(website)
    elif state == "ignored":
        ignore(website)
    counts = shown(website)
    assert refusal(getattr(operations, operation), OPERATOR, website.id, title_issue(website).id) == "wrong_state"
    assert (title_issue(website).status, shown(website)) == (state, counts)


def test_a_person_without_the_right_cannot_ignore_an_issue(website: Website) -> None:
    issue = title_issue(website)
    viewer = Actor(website.workspace_id, "usr_1", "client_viewer")
    assert refusal(operations.ignore, viewer, website.id, issue.id) == "not_allowed"
    assert refusal(operations.ignore, Actor("wsp_other", "usr_1", "owner"), website.id, issue.id) == "not_found"
    assert refusal(operations.ignore, OPERATOR, website.id, "iss_none") == "not_found"
    assert refusal(operations.unignore, OPERATOR, "site_none", issue.id) == "not_found"
    assert title_issue(website).status == "open"


def test_ignoring_an_issue_while_an_audit_is_published_loses_neither(site: Site, website: Website) -> None:
    site.pages["/b"] = html("Everything there is to know about /b", "/")
    published: list[str] = []
    with just_before_the_write(lambda: published.append(audit(website).id)):
        assert ignore(website).status == "ignored"
    assert summary(website).generation.crawl_id == published[0]
    issue = title_issue(website)
    assert (issue.status, issue.affected_pages, issue.affected_crawl) == ("ignored", 2, published[0])


def test_an_issue_ignored_by_two_people_at_the_same_time_is_ignored_once(website: Website) -> None:
    before = shown(website)
    with just_before_the_write(lambda: ignore(website)):
        assert refusal(operations.ignore, OPERATOR, website.id, title_issue(website).id) == "wrong_state"
    assert shown(website) == tuple(count - 1 for count in before)


def test_ignoring_an_issue_is_one_transaction(website: Website) -> None:
    with aws.counted_calls() as calls:
        ignore(website)
    assert calls["TransactWriteItems"] == 1


def ask_for_recheck(website: Website) -> None:
    current = stored.get(website.workspace_id, website.id)
    assert current is not None
    rechecks.start(current, title_issue(website).id, person_id=None, now=clock.now())


def test_an_issue_ignored_during_its_recheck_stays_ignored(site: Site, website: Website) -> None:
    ask_for_recheck(website)
    mend(site)
    audit(website)  # resolves it first
    for path in ("/a", "/b", "/c"):
        site.pages[path] = html(None, "/")
    audit(website)
    assert (title_issue(website).status, title_issue(website).pending_recheck is None) == ("reopened", False)
    mend(site)

    def ignored_meanwhile(connection: Connection) -> str:
        ignore(website)
        site.pages["/a"] = html("Everything there is to know about /a", "/")
        return str(site.pages["/a"])

    site.pages["/a"] = ignored_meanwhile
    for message in aws.messages("recheck"):
        recheck.handle(message, Runtime())
    issue = title_issue(website)
    assert (issue.status, issue.pending_recheck) == ("ignored", None)
    assert unignore(website).status == "open", "nobody has judged that it is gone"


def history(website: Website) -> list[tuple[str, int | None]]:
    """What happened to the issue, oldest first, and on how many pages."""
    return [(entry.kind, entry.pages) for entry in reversed(issues.load_log(website.id, title_issue(website).id))]


def test_the_timeline_shows_audits_rechecks_and_actions_of_people(site: Site, website: Website) -> None:
    ask_for_recheck(website)
    site.pages["/b"] = html("Everything there is to know about /b", "/")
    for message in aws.messages("recheck"):
        recheck.handle(message, Runtime())
    mend(site)
    audit(website)
    site.pages["/a"] = html(None, "/")
    audit(website)
    person = Actor(website.workspace_id, "usr_1", "owner")
    issue_id = title_issue(website).id
    operations.ignore(person, website.id, issue_id, "It is\u202e meant \nso." + "x" * 900)
    unignore(website)
    assert history(website) == [
        ("found", 3),
        ("rechecked", 2),
        ("resolved", 2),
        ("reopened", 1),
        ("ignored", None),
        ("unignored", None),
    ]
    taken_back, ignored, _, _, seen, _ = issues.load_log(website.id, issue_id)
    assert (ignored.by, taken_back.by, taken_back.reason) == ("usr_1", None, None)
    assert ignored.reason is not None and ignored.reason.startswith("It is meant so.xxx") and len(ignored.reason) == 500
    assert (seen.present, seen.checked) == (2, 3)


def test_a_refused_action_leaves_no_timeline_entry(website: Website) -> None:
    assert refusal(operations.unignore, OPERATOR, website.id, title_issue(website).id) == "wrong_state"
    assert history(website) == [("found", 3)]


def test_unignoring_a_fixed_issue_adds_unignored_and_resolved_to_its_timeline(site: Site, website: Website) -> None:
    ignore(website)
    mend(site)
    audit(website)
    unignore(website)
    assert [kind for kind, _ in history(website)] == ["found", "ignored", "unignored", "resolved"]
