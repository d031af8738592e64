"""The worker of the queue ``agentic``: re-runs, weekly tests, and the tests that a recheck waits for."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors import function_calls, speed_tests
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.agentic import Strategy
from chalicelib.domain.jobs import Job
from chalicelib.domain.search.periods import Period
from chalicelib.domain.speed.times import next_tests
from chalicelib.operations import accounts, search, speed, websites
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import jobs, pages
from chalicelib.store import speed as store
from chalicelib.store.search import Moved
from chalicelib.store.websites import Website
from chalicelib.workers import agentic, sweeper
from chalicelib.workers.speed import rerun, series, weekly
from chalicelib.workers.speed.testing import LEASE_SECONDS
from tests import aws, stored_search, webhooks
from tests import speed as made
from tests.api import seed
from tests.domain.search.naive import Told
from tests.servers.functions import NAME, FunctionService

DAY = 86_400.0
FREE, ENTERPRISE = 10, 200


@pytest.fixture
def site(store: None) -> Website:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "enterprise")
    return websites.add(OPERATOR, workspace.id, "https://shop.example/")


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> made.Engine:
    return made.engine(monkeypatch)


def queue(site: Website, path: str = "", strategy: Strategy = "mobile", per_day: int = ENTERPRISE) -> Job:
    return speed.queue_run(site, site.url + path, strategy, per_day=per_day, now=clock.now()).job


def read(job: Job) -> Job:
    found = jobs.get(job.site_id, job.id)
    assert found is not None
    return found


def event() -> dict[str, Any]:
    (told,) = webhooks.pending()
    assert told.kind == "agentic.finished"
    return dict(told.fields)


def later(seconds: float) -> None:
    clock.set_offset(clock.offset() + seconds)


# -- re-runs --------------------------------------------------------------------------------------------


def test_the_result_the_end_of_the_run_and_the_event_are_stored_together(site: Website, engine: made.Engine) -> None:
    seed.audited(site)
    job = queue(site, "page-00001", "desktop")
    assert made.work("agentic", agentic.handle) == 1
    ended = read(job)
    assert (ended.error, ended.lease_until) == (None, 0.0) and ended.started_at is not None
    (result,) = store.load(site.id).results
    assert (result.url, result.strategy, len(result.runs)) == (site.url + "page-00001", "desktop", 1)
    assert result.agentic.checks == made.CHECKS
    state = store.load_state(site.id)
    assert (state.waiting, state.used, state.tested_at) == ((), 1, result.tested_at)
    assert event() == {
        "jobId": job.id,
        "url": site.url + "page-00001",
        "strategy": "desktop",
        "status": "done",
        "passed": 1,
        "applicable": 2,
        "failing": [
            {
                "id": "agent-accessibility-tree",
                "title": "Accessibility tree is not well-formed",
                "detail": "Agents read it.",
            }
        ],
        "error": None,
    }
    assert engine.made == [(site.url + "page-00001", "desktop")]


@pytest.mark.parametrize("error", [Quota, Unavailable, Declined, NoAccess])
def test_a_failed_test_fails_the_run_with_its_reason_and_uses_the_budget(
    site: Website, engine: made.Engine, error: type[OutsideError]
) -> None:
    engine.failure = lambda test: error("The provider said so.")
    job = queue(site)
    made.work("agentic", agentic.handle)
    assert read(job).error == "The provider said so." and read(job).ended
    state = store.load_state(site.id)
    assert (state.waiting, state.used, state.tested_at) == ((), 1, None)
    assert store.load(site.id).results == []
    told = event()
    assert (told["status"], told["error"], told["passed"], told["failing"]) == (
        "failed",
        "The provider said so.",
        None,
        [],
    )


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Settings that a test changes, and that are read again."""
    for name in ("SPEED_PROVIDER", "PAGESPEED_API_KEY", "ENGINE_FUNCTION"):
        monkeypatch.delenv(name, raising=False)
    forget_settings()
    yield monkeypatch
    monkeypatch.undo()
    forget_settings()


def test_without_a_provider_the_run_fails_with_a_reason(site: Website, settings: pytest.MonkeyPatch) -> None:
    job = queue(site)
    made.work("agentic", agentic.handle)
    assert read(job).error == "Speed tests are not connected: PAGESPEED_API_KEY is not set."
    assert event()["status"] == "failed"


def test_a_page_can_be_tested_by_the_engine_function(site: Website, settings: pytest.MonkeyPatch) -> None:
    with FunctionService(lambda asked: {"error": None}) as service:
        settings.setenv("AWS_ENDPOINT_URL_LAMBDA", service.url)
        settings.setenv("SPEED_PROVIDER", "lighthouse")
        settings.setenv("ENGINE_FUNCTION", NAME)
        function_calls.reset()
        job = queue(site, "page-00001")
        made.work("agentic", agentic.handle)
        function_calls.reset()
    assert service.asked == [{"kind": "lighthouse", "url": f"{site.url}page-00001", "strategy": "mobile"}]
    assert read(job).error is not None and event()["status"] == "failed"


def test_a_run_fails_only_after_a_second_worker_was_lost_too(site: Website, engine: made.Engine) -> None:
    class Gone(BaseException):
        pass

    def dies() -> None:
        raise Gone

    engine.meanwhile = dies
    job = queue(site)
    for workers in (1, 2):
        message = aws.messages("agentic")[0]
        aws.purge("agentic")
        with pytest.raises(Gone):
            agentic.handle(message, None)
        agentic.handle(message, None)  # it comes again while the lease lasts: nothing happens
        assert len(engine.made) == workers and not read(job).ended
        sweeper.run()
        assert aws.messages("agentic") == []  # ten minutes are not over
        later(LEASE_SECONDS + 1)
        sweeper.run()
    made.work("agentic", agentic.handle)
    assert len(engine.made) == 2
    assert read(job).error == rerun.STALLED and event()["error"] == rerun.STALLED
    assert store.load_state(site.id).waiting == ()


def test_a_first_worker_that_finishes_after_its_replacement_changes_no_result(
    site: Website, engine: made.Engine
) -> None:
    """The first worker was believed dead, but finishes after all."""
    job = queue(site)
    (message,) = aws.messages("agentic")

    def taken_over() -> None:
        engine.meanwhile = lambda: None
        later(LEASE_SECONDS + 1)
        agentic.handle(message, None)

    engine.meanwhile = taken_over
    agentic.handle(message, None)
    (result,) = store.load(site.id).results
    assert len(result.runs) == 1 and read(job).ended
    event()


def test_the_run_of_a_removed_website_ends(site: Website, engine: made.Engine) -> None:
    queue(site)
    (message,) = aws.messages("agentic")
    websites.remove(OPERATOR, site.id)
    agentic.handle(message, None)
    assert engine.made == [] and aws.rows("ai") == [] and aws.rows("jobs") == []


def test_concurrent_requests_for_tests_lose_no_result(site: Website, engine: made.Engine) -> None:
    first = queue(site)

    def meanwhile() -> None:
        engine.meanwhile = lambda: None
        queue(site, "other")

    engine.meanwhile = meanwhile
    (message,) = aws.messages("agentic")
    agentic.handle(message, None)
    assert read(first).error is None and len(store.load(site.id).results) == 1
    assert [run.url for run in store.load_state(site.id).waiting] == [site.url + "other"]


def test_at_most_five_runs_of_a_page_are_kept(site: Website, engine: made.Engine) -> None:
    for _ in range(7):
        queue(site)
        made.work("agentic", agentic.handle)
        later(60)
    (result,) = store.load(site.id).results
    assert len(result.runs) == 5


# -- weekly tests ---------------------------------------------------------------------------------------


def weekly_job(site: Website) -> Job:
    found = jobs.get(site.id, "speed_tests")
    assert found is not None
    return found


def until_done(site: Website, turns: int = 30) -> None:
    for _ in range(turns):
        if not made.work("agentic", agentic.handle):
            return
    raise AssertionError("the tests do not end")


def test_a_finished_audit_starts_weekly_tests_and_daily_field_data_once(site: Website) -> None:
    now = clock.now()
    speed.keep_up(site.workspace_id, site.id, now)
    before = jobs.list_all(site.id)
    assert {job.id for job in before} == {"speed_tests", "field_data"}
    assert weekly_job(site).due_at == next_tests(site.id, now)
    later(DAY)
    speed.keep_up(site.workspace_id, site.id, clock.now())
    assert jobs.list_all(site.id) == before


def test_weekly_tests_run_when_due_and_again_a_week_later(site: Website, engine: made.Engine) -> None:
    seed.audited(site, count=5)
    speed.keep_up(site.workspace_id, site.id, clock.now())
    due = weekly_job(site).due_at
    later(due - clock.now() - 5)
    sweeper.run()
    assert aws.messages("agentic") == []
    later(120)
    sweeper.run()
    until_done(site)
    assert engine.made[:2] == [(site.url, "mobile"), (site.url, "desktop")]
    assert len(engine.made) == 3  # no page has a template: they count as one
    assert {one.key for one in store.load(site.id).results} == set(engine.made)
    again = weekly_job(site)
    assert abs(again.due_at - due - 7 * DAY) < 1 and (again.error, again.payload) == (None, {"series": None})
    assert store.load_state(site.id).used_on(clock.now()) == 3
    assert webhooks.pending() == []


def clicked(site: Website, clicks: Mapping[str, int]) -> None:
    """Leave 28 days of search data, which end three days ago."""
    last = stored_search.today() - timedelta(3)
    stored_search.connect(site)
    told = [Told(url, number, number * 10, 2.0) for url, number in clicks.items()]
    stored_search.put_rows(site, "page", {last: told}, Period(last - timedelta(27), last))


def begun(site: Website) -> None:
    speed.keep_up(site.workspace_id, site.id, clock.now())
    later(weekly_job(site).due_at - clock.now() + 120)
    sweeper.run()
    until_done(site)


def test_the_page_of_a_template_with_most_search_visitors_is_tested(site: Website, engine: made.Engine) -> None:
    seed.audited(site, count=5)
    listed = [row.url for row in pages.load_list(site.id, seed.AUDIT) if row.url != site.url]
    most = sorted(listed)[-1]
    other = most.replace("https://", "http://www.")  # another spelling of it, as before the website moved
    clicked(site, dict.fromkeys(listed, 20) | {other: 5, "https://elsewhere.example/": 900, f"{site.url}gone": 800})
    begun(site)
    assert engine.made == [(site.url, "mobile"), (site.url, "desktop"), (most, "mobile")]


def test_the_most_linked_page_is_tested_if_no_search_data_can_be_read(
    site: Website, engine: made.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def moved(site_id: str) -> None:
        raise Moved

    seed.audited(site, count=5)
    monkeypatch.setattr(search, "by_page", moved)
    begun(site)
    (_, _, (url, _)) = engine.made
    rows = [row for row in pages.load_list(site.id, seed.AUDIT) if row.url != site.url and row.indexable]
    assert url == min(rows, key=lambda row: (-row.inlinks, row.url)).url


def test_weekly_tests_use_at_most_half_of_the_daily_budget(store_free: Website, engine: made.Engine) -> None:
    site = store_free
    speed.begin_tests(OPERATOR, site.id, None)
    until_done(site)
    assert len(engine.made) <= FREE // 2
    used = store.load_state(site.id).used
    for number in range(FREE - used - 1):
        queue(site, str(number), per_day=FREE)
        made.work("agentic", agentic.handle)
    engine.made.clear()
    speed.begin_tests(OPERATOR, site.id, None)
    until_done(site)
    assert len(engine.made) == 1
    assert store.load_state(site.id).budget(FREE, clock.now()).left == 0
    speed.begin_tests(OPERATOR, site.id, None)
    until_done(site)
    assert len(engine.made) == 1 and weekly_job(site).error == weekly.NOTHING_LEFT


@pytest.fixture
def store_free(store: None) -> Website:
    workspace = accounts.create_workspace(OPERATOR, "Small", "free")
    site = websites.add(OPERATOR, workspace.id, "https://small.example/")
    seed.audited(site)
    return site


def test_a_page_that_cannot_be_tested_is_skipped(site: Website, engine: made.Engine) -> None:
    seed.audited(site)
    engine.failure = lambda test: Declined("The page painted nothing.") if test == (site.url, "mobile") else None
    speed.begin_tests(OPERATOR, site.id, None)
    until_done(site)
    assert (site.url, "mobile") not in {one.key for one in store.load(site.id).results}
    assert len(store.load(site.id).results) == 2 and weekly_job(site).error == "The page painted nothing."


def test_after_a_quota_error_tests_are_retried_every_ten_minutes(site: Website, engine: made.Engine) -> None:
    seed.audited(site)
    engine.failure = lambda test: Quota("No more this minute.") if 2 <= len(engine.made) < 4 else None
    speed.begin_tests(OPERATOR, site.id, None)
    for _ in range(4):
        (message,) = aws.messages("agentic")
        aws.purge("agentic")
        agentic.handle(message, None)
        if weekly_job(site).payload["series"] is None:
            break
        assert aws.delays("agentic") == [600]
        later(601)
    assert len(store.load(site.id).results) == 3 and store.load_state(site.id).used == 3


def test_a_quota_error_for_an_hour_ends_the_tests_of_the_week(site: Website, engine: made.Engine) -> None:
    seed.audited(site)
    engine.failure = lambda test: Quota("No more today.")
    began = clock.now()
    speed.begin_tests(OPERATOR, site.id, None)
    while weekly_job(site).error is None:
        assert clock.now() - began < 2 * 3_600
        until_done(site)
        later(700)
        sweeper.run()
    assert len(engine.made) == series.MOST_REFUSALS and store.load_state(site.id).used == 0
    assert weekly_job(site).error == "No more today." and weekly_job(site).payload["series"] is None


def test_without_a_provider_no_test_budget_is_used(site: Website, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing() -> None:
        raise NotConnected("PAGESPEED_API_KEY is not set.")

    monkeypatch.setattr(speed_tests, "connected", nothing)
    speed.begin_tests(OPERATOR, site.id, None)
    until_done(site)
    assert store.load_state(site.id).used == 0 and weekly_job(site).error == "PAGESPEED_API_KEY is not set."


def test_a_paused_website_is_not_tested(site: Website, engine: made.Engine) -> None:
    seed.audited(site)
    speed.keep_up(site.workspace_id, site.id, clock.now())
    websites.pause(OPERATOR, site.id)
    later(8 * DAY)
    sweeper.run()
    until_done(site)
    assert engine.made == [] and weekly_job(site).error is None


def test_a_test_whose_workers_repeatedly_die_is_skipped(site: Website, engine: made.Engine) -> None:
    class Gone(BaseException):
        pass

    def dies_at_home() -> None:
        if engine.made[-1][0] == site.url:
            raise Gone

    seed.audited(site)
    engine.meanwhile = dies_at_home
    speed.begin_tests(OPERATOR, site.id, None)
    for _ in range(3):
        (message,) = aws.messages("agentic")
        aws.purge("agentic")
        with pytest.raises(Gone):
            agentic.handle(message, None)
        later(LEASE_SECONDS + 1)
        sweeper.run()
    until_done(site)
    assert {one.url for one in store.load(site.id).results} == {seed.url(site, 2)}
    assert weekly_job(site).error == series.STALLED


def test_data_of_removed_addresses_is_deleted_after_thirteen_weeks(site: Website, engine: made.Engine) -> None:
    seed.audited(site)
    old = clock.now() - 13 * 7 * DAY
    kept, gone, recent = seed.url(site, 1), site.url + "gone", site.url + "gone-lately"
    made.stored(
        site.id, [made.result(kept, at=old - 60), made.result(gone, at=old - 60), made.result(recent, at=old + 60)]
    )
    speed.begin_tests(OPERATOR, site.id, None)
    until_done(site)
    assert {kept, recent} <= {one.url for one in store.load(site.id).results}
    assert gone not in {one.url for one in store.load(site.id).results}


def test_a_request_for_one_address_gets_its_own_run(site: Website, engine: made.Engine) -> None:
    job = speed.begin_tests(OPERATOR, site.id, site.url + "a")
    assert (job.kind, job.payload) == ("agentic_run", {"url": site.url + "a", "strategy": "mobile"})
    with pytest.raises(Refused):
        speed.begin_tests(OPERATOR, site.id, "https://elsewhere.example/")
