"""Keyword tasks from imported rows to the list of actions: found, listed, resolved, and never lost or doubled."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors import google
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.issues import Issue, IssueBook, is_keyword_task
from chalicelib.domain.connections import STALE_SECONDS
from chalicelib.domain.jobs import Job
from chalicelib.operations import accounts, keyword_tasks, sources, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import issue_details, issues, jobs, search
from chalicelib.store import sources as stored_sources
from chalicelib.store import websites as records
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from chalicelib.workers import imports
from chalicelib.workers import keyword_tasks as worker
from chalicelib.workers.keywords import publishing
from local.standins.analytics import Analytics, Property, Visits
from local.standins.google import GoogleAccounts
from tests import aws, webhooks
from tests.api import seed
from tests.topics import Shown, connect, imported, today

OPPORTUNITY = [
    Shown("red tents", "https://shop.example/page-00000", 0, 20, 2.0),
    Shown("boots", "https://shop.example/page-00001", 1, 5, 8.0),
]


@pytest.fixture
def site(store: None) -> Website:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "enterprise")
    website = websites.add(OPERATOR, workspace.id, "https://shop.example", name="Acme")
    seed.audited(website, count=4)
    return website


def told(site: Website, rows: list[Shown], days: int = 28) -> None:
    last = today() - timedelta(3)
    imported(site, {last - timedelta(number): rows for number in range(days)})


def worked(site: Website) -> Job:
    """Begin the job as an import's end does, and do it."""
    job, begins = keyword_tasks.begin(site.id, site.workspace_id, clock.now())
    commit([begins])
    imports.handle({"siteId": site.id, "jobId": job.id, "kind": job.kind}, None)
    found = jobs.get(site.id, job.id)
    assert found is not None
    return found


def book(site: Website) -> IssueBook:
    found = issues.load_state(site.id)
    assert found is not None
    return found


def tasks(site: Website) -> dict[str, Issue]:
    return {issue.rule_id: issue for issue in book(site).issues if is_keyword_task(issue.rule_id)}


def record(site: Website) -> Website:
    found = records.get(site.workspace_id, site.id)
    assert found is not None
    return found


def test_imported_rows_become_tasks_with_their_pages_and_suggestions(site: Website) -> None:
    connect(site)
    told(site, OPPORTUNITY)
    before = book(site)
    assert worked(site).ended
    found = tasks(site)
    assert {"KW-001", "KW-008"} <= found.keys()
    low = found["KW-001"]
    assert (low.status, low.affected_pages, low.impressions) == ("open", 1, 560)
    assert low.clicks_to_win == pytest.approx(560 * 500 * 0.15 / (560 + 500))
    assert "red tents" in low.summary
    detail = issue_details.load(site.id, low, offset=0, limit=10)
    (page,) = detail.affected
    assert page.url == "https://shop.example/page-00000"
    assert page.evidence["queries"][0]["query"] == "red tents"  # type: ignore[index]
    (suggestion,) = detail.suggestions
    assert suggestion.current == "Page 0" and suggestion.suggested is None and suggestion.note
    after = book(site)
    assert after.counts == before.counts
    assert [one for one in after.issues if not is_keyword_task(one.rule_id)] == before.issues
    summary = record(site).summary
    assert summary is not None
    assert len(summary.issue_first_seen) == 1
    assert len(summary.action_first_seen) == 1 + len([one for one in found.values() if one.status == "open"])


def test_keyword_tasks_send_no_event(site: Website) -> None:
    connect(site)
    told(site, OPPORTUNITY)
    worked(site)
    assert webhooks.pending() == []


def test_a_task_is_resolved_and_reopened_by_new_search_data(site: Website) -> None:
    connect(site)
    told(site, OPPORTUNITY)
    worked(site)
    first = tasks(site)["KW-001"]
    clock.set_offset(clock.offset() + 86_400)
    told(site, [row._replace(clicks=row.impressions) for row in OPPORTUNITY])
    worked(site)
    gone = tasks(site)["KW-001"]
    assert (gone.status, gone.affected_pages, gone.clicks_to_win) == ("resolved", 0, None)
    told(site, OPPORTUNITY)
    worked(site)
    back = tasks(site)["KW-001"]
    assert (back.status, back.first_seen, back.id) == ("reopened", first.first_seen, first.id)
    log = issues.load_log(site.id, back.id)
    assert [(entry.kind, entry.crawl_id) for entry in log] == [("reopened", None), ("resolved", None), ("found", None)]


def test_an_approved_change_is_judged_by_the_next_imported_data(site: Website) -> None:
    connect(site)
    told(site, OPPORTUNITY)
    worked(site)
    now = book(site)
    for status, after in (("in_progress", "open"), ("ignored", "ignored")):
        issue = tasks(site)["KW-001"]
        issue.status = status  # type: ignore[assignment]
        now = book(site)
        commit([issues.put_state(site.id, now.with_issue(issue), replaces=now.version)])
        worked(site)
        assert tasks(site)["KW-001"].status == after


def test_running_the_job_again_replaces_the_pages_of_a_task(site: Website) -> None:
    connect(site)
    told(site, OPPORTUNITY)
    worked(site)
    first = tasks(site)
    since = issues.load_affected(site.id, first["KW-001"])[0].first_seen
    clock.set_offset(clock.offset() + 3_600)
    worked(site)
    second = tasks(site)
    assert {name: one.affected_pages for name, one in first.items()} == {
        name: one.affected_pages for name, one in second.items()
    }
    assert issues.load_affected(site.id, second["KW-001"])[0].first_seen == since
    clock.set_offset(clock.offset() + 86_400 + 60)
    assert issues.load_affected(site.id, first["KW-001"]) == []
    assert len(issues.load_affected(site.id, second["KW-001"])) == 1


def test_a_change_of_an_issue_during_the_job_is_not_lost(site: Website, monkeypatch: pytest.MonkeyPatch) -> None:
    connect(site)
    told(site, OPPORTUNITY)
    real, changed = publishing.book_after_data, []

    def meanwhile(current: IssueBook, *args: Any, **kwargs: Any) -> IssueBook:
        if not changed:
            changed.append(1)
            issue = current.issues[0]
            issue.status = "ignored"
            commit([issues.put_state(site.id, current.with_issue(issue), replaces=current.version)])
        return real(current, *args, **kwargs)

    monkeypatch.setattr(publishing, "book_after_data", meanwhile)
    worked(site)
    assert [one.status for one in book(site).issues if one.rule_id == seed.PAGE_RULE.id] == ["ignored"]
    assert "KW-001" in tasks(site)


def test_without_an_audit_or_search_data_no_task_is_created(store: None) -> None:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "enterprise")
    website = websites.add(OPERATOR, workspace.id, "https://shop.example")
    assert worked(website).error == worker.NO_AUDIT
    connect(website)
    assert worked(website).error == worker.NO_AUDIT
    seed.audited(website)
    assert worked(website).error is None
    assert tasks(website) == {}


def test_pages_that_compete_for_a_query_are_found_by_their_daily_figures(site: Website) -> None:
    connect(site)
    last = today() - timedelta(3)
    days = {}
    for number in range(28):
        lead, other = (10, 6) if number % 2 else (6, 10)
        days[last - timedelta(number)] = [
            Shown("tents", "https://shop.example/page-00001", 4, lead, 5.0),
            Shown("tents", "https://shop.example/page-00000", 1, other, 8.0),
        ]
    imported(site, days)
    worked(site)
    task = tasks(site)["KW-003"]
    (page,) = issues.load_affected(site.id, task)
    assert page.url.endswith("page-00000")
    assert page.evidence["queries"][0]["leaderChanges"] == 27  # type: ignore[index]
    (suggestion,) = issues.load_suggested(site.id, task)
    assert (suggestion.current, suggestion.suggested) == ("/page-00000", None), "as the page declares it"


# -- analytics -------------------------------------------------------------------------------------------


@pytest.fixture
def property_(site: Website, monkeypatch: pytest.MonkeyPatch, loopback_allowed: None) -> Iterator[Analytics]:
    google_accounts = GoogleAccounts()
    visits = [Visits("/page-00000", 10, 10, 5), Visits("/page-00001", 20, 20, 9, sign_ups=4)]
    found = Analytics(google_accounts, Property(lambda _: visits, hosts=["shop.example"]))
    monkeypatch.setenv("GOOGLE_TOKEN_URL", google_accounts.url)
    monkeypatch.setenv("ANALYTICS_DATA_URL", found.url)
    forget_settings()
    google.forget_tokens()
    given = found.credentials()
    sources.connect_analytics(OPERATOR, site.id, name=given["property"], credentials=given["credentials"])
    yield found
    found.stop()
    google_accounts.stop()
    google.forget_tokens()


def weekly(site: Website) -> Job:
    imports.handle({"siteId": site.id, "jobId": "analytics_tasks", "kind": "analytics_tasks"}, None)
    found = jobs.get(site.id, "analytics_tasks")
    assert found is not None
    return found


def test_weekly_analytics_data_finds_pages_that_convert_poorly(site: Website, property_: Analytics) -> None:
    job = weekly(site)
    assert not job.ended and job.due_at == pytest.approx(clock.now() + 7 * 86_400, abs=60)
    task = tasks(site)["KW-012"]
    (page,) = issues.load_affected(site.id, task)
    assert (page.url, task.affected_pages) == ("https://shop.example/page-00000", 1)
    assert task.clicks_to_win == pytest.approx(280 * 4 / 30)
    source = record(site).connections.analytics
    assert source is not None and source.imported_rows == 2 and source.imported_at is not None
    property_.known.visits = lambda _: []
    clock.set_offset(clock.offset() + 7 * 86_400 + 60)
    weekly(site)
    assert tasks(site)["KW-012"].status == "resolved"


def test_the_weekly_job_stores_the_new_refresh_token_from_google(site: Website, property_: Analytics) -> None:
    given = property_.credentials()
    grant = property_.accounts.grant_file()
    sources.connect_analytics(OPERATOR, site.id, name=given["property"], credentials=grant)
    property_.accounts.rotates = True
    sealed = []
    for _ in range(2):
        google.forget_tokens()
        assert weekly(site).error is None
        clock.set_offset(clock.offset() + 7 * 86_400 + 60)
        kept = stored_sources.get(site.id, "analytics")
        assert kept is not None
        sealed.append(kept.secret().reveal())
    first, second = (google.unpacked(text) for text in sealed)
    assert isinstance(first, google.GrantedAccount) and isinstance(second, google.GrantedAccount)
    assert len({grant["refresh_token"], first.refresh_token, second.refresh_token}) == 3


def test_a_property_that_refuses_access_sends_one_event(site: Website, property_: Analytics) -> None:
    property_.misbehave("access")
    for _ in range(2):
        job = weekly(site)
        assert job.error is not None and "permissions" in job.error
        clock.set_offset(clock.offset() + 3_700)
        sources.check(OPERATOR, site.id)
    (event,) = webhooks.pending()
    assert (event.kind, event.fields["connection"]) == ("connection.broken", "analytics")
    source = record(site).connections.analytics
    assert source is not None and source.broken
    property_.misbehave("none")
    weekly(site)
    source = record(site).connections.analytics
    assert source is not None and not source.broken and source.trouble is None
    property_.misbehave("access")
    sources.check(OPERATOR, site.id)
    assert [one.kind for one in webhooks.pending()] == ["connection.broken"] * 2, "another incident is told again"


def test_a_property_that_refuses_access_for_a_week_sends_a_second_event(site: Website, property_: Analytics) -> None:
    property_.misbehave("access")
    for _ in range(3):
        weekly(site)
        clock.set_offset(clock.offset() + STALE_SECONDS)
    assert sorted(one.kind for one in webhooks.pending()) == ["connection.broken", "connection.stale"]


@pytest.mark.parametrize("fault", ["quota", "down", "partial"])
def test_a_property_that_does_not_answer_is_retried_after_an_hour(
    fault: str, site: Website, property_: Analytics
) -> None:
    property_.misbehave(fault)
    job = weekly(site)
    assert job.due_at == pytest.approx(clock.now() + 3_600, abs=60)
    source = record(site).connections.analytics
    assert source is not None and source.waiting and not source.broken


def test_search_data_replaced_during_the_job_is_read_again(site: Website, monkeypatch: pytest.MonkeyPatch) -> None:
    connect(site)
    told(site, OPPORTUNITY)
    real, asked = search.pairs, []

    def moved(*args: Any) -> Any:
        asked.append(1)
        if len(asked) == 1:
            raise search.Moved
        return real(*args)

    monkeypatch.setattr(search, "pairs", moved)
    worked(site)
    assert len(asked) == 2 and "KW-001" in tasks(site)
    assert aws.messages("imports") is not None
