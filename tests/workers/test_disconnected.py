"""A website whose search data or analytics property is disconnected: what followed from them is no task any more."""

from collections.abc import Iterator

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.issues import Issue
from chalicelib.operations import issues as operations
from chalicelib.operations import keyword_tasks, sources, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import issues, jobs
from chalicelib.store import websites as records
from chalicelib.store.blocks import EXPIRY_SECONDS
from chalicelib.store.transactions import commit
from chalicelib.workers import analytics_tasks, imports, search_import
from chalicelib.workers.audit import reading
from chalicelib.workers.keywords.publishing import DISCONNECTED
from local.standins.analytics import Analytics, Property, Visits
from tests import aws
from tests.judged import Found, Judged, judged, work
from tests.workers.audit.websites import html

pytestmark = pytest.mark.usefixtures("store", "loopback_allowed")

PAGES = {
    "/": html("The home page of a small website", "/tents", "/boots"),
    "/tents": html("Tents", "/"),
    "/boots": html("Boots", "/"),
}
NOW = [Found("family tents", "/tents", 0, 20, 2.0), Found("winter boots", "/boots", 0, 10, 12.0)]


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> Iterator[Judged]:
    """A website with tasks of its search data and of its analytics property."""
    monkeypatch.setattr(reading, "SECOND_TRY_AFTER_SECONDS", 0.01)
    visits = [Visits("/tents", 10, 10, 5), Visits("/boots", 20, 20, 9, sign_ups=4)]
    with judged(monkeypatch, PAGES, NOW) as found:
        measured = Analytics(found.standin.accounts, Property(lambda _: visits, hosts=["127.0.0.1"]))
        monkeypatch.setenv("ANALYTICS_DATA_URL", measured.url)
        forget_settings()
        given = measured.credentials()
        sources.connect_analytics(OPERATOR, found.website.id, name=given["property"], credentials=given["credentials"])
        work(found.website)
        yield found
        measured.stop()


def task(house: Judged, task_id: str) -> Issue:
    book = issues.load_state(house.website.id)
    issue = None if book is None else book.by_id(ids.issue_id(house.website.id, task_id))
    assert issue is not None
    return issue


def connect_search(house: Judged) -> None:
    given = house.standin.credentials()
    sources.connect_search(OPERATOR, house.website.id, name=given["property"], credentials=given["credentials"])


def test_disconnecting_search_data_resolves_only_tasks_based_on_it(house: Judged) -> None:
    assert house.actions().keys() == {"KW-001", "KW-002", "KW-008", "KW-012"}
    portfolio = f"/sites/{house.website.id}"
    waiting = house.api.get(portfolio).json["actions"]["open"]
    before = task(house, "KW-001")
    assert [page.url for page in issues.load_affected(house.website.id, before)] == [house.server.url("/tents")]
    sources.remove(OPERATOR, house.website.id, "search")
    work(house.website)
    assert house.actions().keys() == {"KW-012"}
    assert house.api.get(portfolio).json["actions"]["open"] == waiting - 3
    detail = house.detail("KW-001")
    assert (detail["status"], detail["summary"], detail["affectedPages"], detail["pages"], detail["suggestions"]) == (
        "resolved",
        DISCONNECTED,
        0,
        [],
        [],
    )
    clock.set_offset(clock.offset() + EXPIRY_SECONDS + 60)
    assert issues.load_affected(house.website.id, before) == [], "what was told of searches goes with them"


def test_tasks_can_return_with_a_new_connection(house: Judged) -> None:
    first = task(house, "KW-001")
    sources.remove(OPERATOR, house.website.id, "search")
    work(house.website)
    assert task(house, "KW-001").resolved_at is not None
    clock.set_offset(clock.offset() + 200)
    connect_search(house)
    work(house.website)
    back = task(house, "KW-001")
    assert (back.status, back.first_seen, back.affected_pages) == ("reopened", first.first_seen, 1)
    assert house.pages("KW-001").keys() == {"/tents"}


def test_disconnecting_analytics_resolves_only_tasks_based_on_it(house: Judged) -> None:
    before = {task_id: task(house, task_id) for task_id in ("KW-001", "KW-002", "KW-008")}
    sources.remove(OPERATOR, house.website.id, "analytics")
    work(house.website)
    assert house.actions().keys() == before.keys()
    assert {task_id: task(house, task_id) for task_id in before} == before
    gone = task(house, "KW-012")
    assert (gone.status, gone.summary, gone.affected_pages, gone.clicks_to_win) == ("resolved", DISCONNECTED, 0, None)
    job = jobs.get(house.website.id, "analytics_tasks")
    assert job is not None and job.ended and job.error == analytics_tasks.GONE


def test_an_ignored_task_whose_data_is_gone_is_resolved_when_it_is_unignored(house: Judged) -> None:
    task_id = ids.issue_id(house.website.id, "KW-002")
    operations.ignore(OPERATOR, house.website.id, task_id)
    sources.remove(OPERATOR, house.website.id, "search")
    work(house.website)
    assert (task(house, "KW-002").status, task(house, "KW-002").affected_pages) == ("ignored", 0)
    operations.unignore(OPERATOR, house.website.id, task_id)
    assert task(house, "KW-002").status == "resolved"


def test_tasks_that_were_resolved_before_keep_their_text(house: Judged) -> None:
    book, issue = issues.load_state(house.website.id), task(house, "KW-001")
    assert book is not None
    issue.status, issue.summary = "resolved", "0 of 2 pages."
    commit([issues.put_state(house.website.id, book.with_issue(issue), replaces=book.version)])
    sources.remove(OPERATOR, house.website.id, "search")
    work(house.website)
    assert task(house, "KW-001").summary == "0 of 2 pages."
    assert task(house, "KW-002").summary == DISCONNECTED


def test_disconnecting_also_ends_a_stalled_import(house: Judged, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "STALLED_TAKEOVERS", -1)
    sources.remove(OPERATOR, house.website.id, "search")
    (message,) = aws.messages("imports")
    aws.purge("imports")
    imports.handle(message, None)
    job = jobs.get(house.website.id, sources.job_id("search"))
    assert job is not None and job.ended and job.error == search_import.GONE
    monkeypatch.undo()
    work(house.website)
    assert "KW-001" not in house.actions()


def test_removing_the_website_removes_the_job(house: Judged) -> None:
    sources.remove(OPERATOR, house.website.id, "search")
    websites.remove(OPERATOR, house.website.id)
    for message in aws.messages("imports"):
        imports.handle(message, None)
    assert jobs.get(house.website.id, keyword_tasks.JOB_ID) is None
    assert records.get(house.website.workspace_id, house.website.id) is None
