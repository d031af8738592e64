"""Killed at any write, keyword tasks end as if nothing had happened."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from chalicelib import clock
from chalicelib.connectors import google
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.issues import is_keyword_task
from chalicelib.operations import accounts, keyword_tasks, sources, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import issues, jobs
from chalicelib.store import sources as credentials
from chalicelib.store import websites as records
from chalicelib.store.secrets import Secret
from chalicelib.store.sources import SourceCredentials
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from chalicelib.workers import imports
from chalicelib.workers.jobs import LEASE_SECONDS
from local import embedded
from local.standins.analytics import Analytics, Property, Visits
from local.standins.google import GoogleAccounts
from tests import webhooks
from tests.api import seed
from tests.crash.crashing import Killed, each_step, killed_at, points
from tests.topics import Shown, connect, imported, today

TURNS = 10
Result = tuple[list[tuple[str, str, int, float | None, list[str]]], int]


def website() -> Website:
    """A website whose job is to begin; a task of the data before is resolved by it."""
    embedded.clear()
    workspace = accounts.create_workspace(OPERATOR, "Acme", "enterprise")
    site = websites.add(OPERATOR, workspace.id, "https://shop.example", name="Acme")
    seed.audited(site)
    connect(site)
    last = today() - timedelta(3)
    old = [Shown("boots", "https://shop.example/page-00001", 0, 30, 2.0)]
    imported(site, {last - timedelta(number): old for number in range(28)})
    begin(site)
    work(site)
    new = [Shown("tents", "https://shop.example/page-00000", 0, 30, 2.0)]
    imported(site, {last - timedelta(number): new for number in range(28)})
    begin(site)
    return site


def begin(site: Website) -> None:
    _, begins = keyword_tasks.begin(site.id, site.workspace_id, clock.now())
    commit([begins])


def work(site: Website) -> None:
    for _ in range(TURNS):
        job = jobs.get(site.id, keyword_tasks.JOB_ID)
        assert job is not None
        if job.ended:
            return
        imports.handle({"siteId": site.id, "jobId": job.id, "kind": job.kind}, None)
        clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
    raise AssertionError("the job does not end")


def result(site: Website) -> Result:
    book, record = issues.load_state(site.id), records.get(site.workspace_id, site.id)
    assert book is not None and record is not None and record.summary is not None
    found = [
        (
            issue.rule_id,
            issue.status,
            issue.affected_pages,
            issue.clicks_to_win,
            [page.url for page in issues.load_affected(site.id, issue)],
        )
        for issue in book.issues
        if is_keyword_task(issue.rule_id)
    ]
    return sorted(found), len(record.summary.action_first_seen)


@each_step
def test_each_keyword_task_is_created_once_if_a_worker_is_killed(store: None, step: int) -> None:
    site = website()
    with killed_at(None) as counted:
        work(site)
    expected = result(site)
    assert {(task, status) for task, status, *_ in expected[0]} >= {("KW-001", "open")}
    for point in points(counted.count, step):
        site = website()
        try:
            with killed_at(*point):
                work(site)
        except Killed:
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
        work(site)
        assert result(site) == expected, point


def disconnected() -> Website:
    """A website with tasks, whose search data were disconnected a moment ago."""
    site = website()
    work(site)
    sealed = credentials.seal(Secret("{}"), site.workspace_id, site.id, "search")
    known = SourceCredentials(
        id="conn_1",
        kind="search",
        site_id=site.id,
        workspace_id=site.workspace_id,
        name="sc-domain:shop.example",
        sealed=sealed,
        created_at=clock.now(),
    )
    commit([credentials.connected(known, None)])
    sources.remove(OPERATOR, site.id, "search")
    return site


def until_ended(site: Website) -> None:
    """Do the import's job, and then that of the tasks."""
    for _ in range(TURNS):
        found = [jobs.get(site.id, job_id) for job_id in (sources.job_id("search"), keyword_tasks.JOB_ID)]
        left = [job for job in found if job is not None and not job.ended]
        if not left:
            return
        for job in left:
            imports.handle({"siteId": site.id, "jobId": job.id, "kind": job.kind}, None)
        clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
    raise AssertionError("the jobs do not end")


@each_step
def test_tasks_are_resolved_once_after_search_data_is_disconnected(store: None, step: int) -> None:
    site = disconnected()
    assert "open" in {status for _, status, *_ in result(site)[0]}
    with killed_at(None) as counted:
        until_ended(site)
    expected = result(site)
    assert {(status, pages) for _, status, pages, *_ in expected[0]} == {("resolved", 0)} and expected[1] == 1
    for point in points(counted.count, step):
        site = disconnected()
        try:
            with killed_at(*point):
                until_ended(site)
        except Killed:
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
        until_ended(site)
        assert result(site) == expected, point


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, loopback_allowed: None) -> Iterator[Analytics]:
    """The stand-in of an analytics property of the website, where one of its pages converts poorly."""
    accounts_of_google = GoogleAccounts()
    visits = [Visits("/page-00000", 10, 10, 5), Visits("/page-00001", 20, 20, 9, sign_ups=4)]
    found = Analytics(accounts_of_google, Property(lambda _: visits, hosts=["shop.example"]))
    monkeypatch.setenv("GOOGLE_TOKEN_URL", accounts_of_google.url)
    monkeypatch.setenv("ANALYTICS_DATA_URL", found.url)
    forget_settings()
    yield found
    found.stop()
    accounts_of_google.stop()
    google.forget_tokens()


def connected(property_: Analytics, fault: str) -> Website:
    """A website whose weekly job is to begin."""
    embedded.clear()
    google.forget_tokens()
    workspace = accounts.create_workspace(OPERATOR, "Acme", "enterprise")
    site = websites.add(OPERATOR, workspace.id, "https://shop.example", name="Acme")
    seed.audited(site)
    property_.misbehave("none")
    given = property_.credentials()
    sources.connect_analytics(OPERATOR, site.id, name=given["property"], credentials=given["credentials"])
    property_.misbehave(fault)
    return site


def week(site: Website) -> None:
    """Do the job until its next time lies ahead."""
    for _ in range(TURNS):
        job = jobs.get(site.id, "analytics_tasks")
        assert job is not None
        if job.ended or (not job.lease_until and job.due_at > clock.now()):
            return
        imports.handle({"siteId": site.id, "jobId": job.id, "kind": job.kind}, None)
        after = jobs.get(site.id, "analytics_tasks")
        assert after is not None
        if after.lease_until:
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
    raise AssertionError("the job does not come to its end")


def told(site: Website) -> tuple[Result, bool, int | None, str | None, list[str]]:
    """The tasks, what the connection shows, and the events."""
    record, job = records.get(site.workspace_id, site.id), jobs.get(site.id, "analytics_tasks")
    assert record is not None and record.connections.analytics is not None and job is not None
    source = record.connections.analytics
    return result(site), source.broken, source.imported_rows, job.error, [event.kind for event in webhooks.pending()]


@pytest.mark.parametrize(
    ("fault", "events"), [("none", []), ("access", ["connection.broken"])], ids=["answers", "refuses"]
)
@each_step
def test_a_week_of_analytics_data_is_judged_once_despite_kills(
    store: None, measured: Analytics, fault: str, events: list[str], step: int
) -> None:
    site = connected(measured, fault)
    with killed_at(None) as counted:
        week(site)
    expected = told(site)
    assert expected[-1] == events
    assert [task for task, *_ in expected[0][0]] == ([] if events else ["KW-012"])
    for point in points(counted.count, step):
        site = connected(measured, fault)
        try:
            with killed_at(*point):
                week(site)
        except Killed:
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
        week(site)
        assert told(site) == expected, point


@each_step
def test_the_task_is_resolved_once_after_analytics_is_disconnected(store: None, measured: Analytics, step: int) -> None:
    def left() -> Website:
        site = connected(measured, "none")
        week(site)
        sources.remove(OPERATOR, site.id, "analytics")
        return site

    site = left()
    with killed_at(None) as counted:
        week(site)
    expected = result(site)
    assert [(task, status, pages) for task, status, pages, *_ in expected[0]] == [("KW-012", "resolved", 0)]
    for point in points(counted.count, step):
        site = left()
        try:
            with killed_at(*point):
                week(site)
        except Killed:
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
        week(site)
        assert result(site) == expected, point
