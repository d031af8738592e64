"""Search engines are told which pages have changed: once each, where a member wants it, and no more than they allow."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.changes.index_now import APART_SECONDS, JOB_ID, IndexNow
from chalicelib.domain.jobs import Job
from chalicelib.operations import connections, websites
from chalicelib.operations import index_now as telling
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import changes as stored
from chalicelib.store import index_now, items, jobs, keys, rate_limits
from chalicelib.store.lanes import LANES
from chalicelib.workers import imports, sweeper
from chalicelib.workers.index_now import KEY_TRIES, PACE
from local.serving import Answer
from local.standins.cms import SENDER
from local.standins.index_now import RETRY_SECONDS
from local.standins.index_now import IndexNow as Engines
from tests import aws
from tests.changes import House, open_house

DAY = 86_400.0


class Telling:
    """The house of ``tests.changes`` and the stand-in that its changes are told to."""

    def __init__(self, house: House, engines: Engines) -> None:
        self.house, self.engines = house, engines

    @property
    def site_id(self) -> str:
        return self.house.site_id

    def state(self) -> IndexNow:
        return index_now.load(self.site_id)

    def job(self) -> Job | None:
        found = jobs.get(self.site_id, JOB_ID)
        return None if found is None or found.ended else found

    def turn_on(self) -> IndexNow:
        return telling.turn_on(OPERATOR, self.site_id)

    def write(self, **values: str) -> None:
        self.house.apply({f"/{name}": value for name, value in values.items()})
        self.house.write()

    def tell_once(self) -> None:
        """Work off the job's messages that lie in the queue now."""
        found = [message for message in aws.messages("imports") if message["jobId"] == JOB_ID]
        aws.purge("imports")
        for message in found:
            imports.handle(message, None)

    def pass_seconds(self, seconds: float) -> None:
        """Let so much time pass, in which only the sweeper finds what is due."""
        clock.set_offset(clock.offset() + seconds)
        aws.purge("imports")
        sweeper.run()
        self.tell_once()

    def settle(self) -> None:
        """Work until nothing waits."""
        for _ in range(20):
            self.tell_once()
            job = self.job()
            if job is None:
                return
            wait = max(job.due_at, job.lease_until) + jobs.QUEUED_GRACE_SECONDS + 1 - clock.now()
            self.pass_seconds(max(wait, 0.0))
        raise AssertionError("it does not end")

    def told(self) -> list[list[str]]:
        """The paths of each request that was taken."""
        return [[urlsplit(url).path for url in one.urls] for one in self.engines.told]


@contextmanager
def open_telling(monkeypatch: pytest.MonkeyPatch) -> Iterator[Telling]:
    engines = Engines()
    monkeypatch.setenv("INDEXNOW_URL", f"{engines.url}/indexnow")
    try:
        with open_house(monkeypatch) as house:
            yield Telling(house, engines)
    finally:
        engines.stop()


@pytest.fixture
def told(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Telling]:
    with open_telling(monkeypatch) as found:
        found.turn_on()
        yield found


def test_pages_that_show_their_new_values_are_submitted_in_one_request(told: Telling) -> None:
    told.write(a="All about A", b="All about B")
    assert told.engines.told == [] and told.job() is not None
    told.settle()
    (one,) = told.engines.told
    assert sorted(one.urls) == [told.house.url("/a"), told.house.url("/b")]
    assert one.host == urlsplit(told.house.url("/")).netloc
    state = told.state()
    assert one.key == state.key and one.location == told.house.url(f"/{state.key}.txt") == state.location
    assert told.house.cms.value("", "indexNowKey") == state.key
    assert state.pending == () and state.sent_at is not None and state.problem is state.waiting is None
    told.pass_seconds(DAY)
    assert told.engines.asked == 1


def test_pages_are_submitted_only_if_a_member_turned_submissions_on(
    store: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_telling(monkeypatch) as told:
        told.write(a="All about A")
        assert told.job() is None and told.state() == IndexNow()
        assert told.house.cms.counts["files"] == 0


def test_a_page_that_does_not_show_its_new_value_is_not_submitted(told: Telling) -> None:
    told.house.cms.misbehave("hide_writes")
    told.write(a="All about A")
    assert told.job() is None
    told.house.cms.misbehave("none")
    told.house.shop.silent.add("/b")
    told.write(b="All about B", c="All about C")
    told.settle()
    assert told.told() == [["/c"]]


def test_changed_files_are_not_submitted_to_search_engines(told: Telling) -> None:
    told.house.publish("# Shop\n")
    told.house.write()
    assert told.job() is None


def test_pages_changed_by_an_undo_are_submitted_too(told: Telling) -> None:
    told.write(a="All about A")
    told.settle()
    batch = told.house.batches()[0][0]
    told.house.undo(batch)
    told.house.write()
    told.settle()
    assert told.told() == [["/a"], ["/a"]]


def test_writes_within_ten_minutes_are_submitted_together(told: Telling) -> None:
    told.write(a="All about A")
    told.tell_once()
    assert told.told() == [["/a"]]
    told.write(a="More about A")
    told.write(a="Most about A", b="All about B")
    job = told.job()
    assert job is not None and job.due_at == told.state().due_at
    told.tell_once()
    told.pass_seconds(APART_SECONDS / 2)
    assert len(told.told()) == 1
    told.settle()
    assert [sorted(paths) for paths in told.told()] == [["/a"], ["/a", "/b"]]


def test_the_key_is_stored_and_sent_to_the_connector_once(told: Telling) -> None:
    for value in ("One", "Two"):
        told.write(a=value)
        told.settle()
        clock.set_offset(clock.offset() + APART_SECONDS)
    assert told.house.cms.counts["files"] == 1 and len(told.told()) == 2
    key = told.state().key
    telling.turn_off(OPERATOR, told.site_id)
    assert told.turn_on().key == key
    told.house.connect()  # anew: the plugin may be another
    aws.purge("imports")
    told.write(a="Three")
    told.settle()
    assert told.house.cms.counts["files"] == 2 and len(told.told()) == 3


def test_a_key_whose_check_is_pending_is_accepted(told: Telling) -> None:
    told.engines.misbehave("pending")
    told.write(a="All about A")
    told.settle()
    assert told.told() == [["/a"]] and told.state().problem is None


def test_after_too_many_requests_all_websites_wait_until_the_time_in_the_answer(told: Telling) -> None:
    told.engines.misbehave("quota")
    told.write(a="All about A")
    told.tell_once()
    assert told.engines.asked == 1 and told.state().waiting == "IndexNow accepts no more requests for now."
    assert rate_limits.held_until(PACE) == pytest.approx(clock.now() + RETRY_SECONDS, abs=60)
    told.engines.misbehave("none")
    rate_limits.hold(PACE, rate_limits.held_until(PACE) + 3_600)  # another website was told to wait longer
    rate_limits.hold(PACE, clock.now() + 1)  # and one shorter
    told.pass_seconds(RETRY_SECONDS + 120)
    assert told.engines.asked == 1
    told.settle()
    assert told.told() == [["/a"]] and told.state().waiting is None


def test_a_failing_service_is_tried_at_growing_intervals(told: Telling) -> None:
    told.engines.misbehave("down")
    told.write(a="All about A")
    waits = []
    told.tell_once()
    for _ in range(9):
        job = told.job()
        assert job is not None
        waits.append(round(job.due_at - clock.now(), -1))
        told.pass_seconds(job.due_at + jobs.QUEUED_GRACE_SECONDS + 1 - clock.now())
    assert waits == [600, 1_200, 2_400, 4_800, 9_600, 19_200, 38_400, 76_800, 86_400]
    assert told.state().waiting == "IndexNow answered 503; the notice is sent again later."
    told.engines.misbehave("none")
    told.settle()
    assert told.told() == [["/a"]]


def test_retries_for_one_website_do_not_delay_others(told: Telling) -> None:
    told.engines.misbehave("down")
    told.write(a="All about A")
    told.tell_once()
    for _ in range(4):
        job = told.job()
        assert job is not None
        told.pass_seconds(job.due_at + jobs.QUEUED_GRACE_SECONDS + 1 - clock.now())
    told.engines.misbehave("quota")
    job = told.job()
    assert job is not None and job.payload["tries"] == 5
    told.pass_seconds(job.due_at + jobs.QUEUED_GRACE_SECONDS + 1 - clock.now())
    assert rate_limits.held_until(PACE) == pytest.approx(clock.now() + RETRY_SECONDS, abs=60)
    job = told.job()
    assert job is not None and job.due_at == pytest.approx(clock.now() + 32 * APART_SECONDS, abs=60)


def test_a_submission_whose_answer_was_interrupted_waits_before_its_retry(told: Telling) -> None:
    told.engines.misbehave("partial")
    told.write(a="All about A")
    told.tell_once()
    job = told.job()
    assert job is not None and job.due_at >= clock.now() + APART_SECONDS - 5
    told.engines.misbehave("none")
    told.settle()
    assert told.told() == [["/a"], ["/a"]]


def test_a_missing_key_stops_submissions_until_a_member_turns_them_on_again(told: Telling) -> None:
    told.write(a="All about A")
    told.settle()
    files, told.house.shop.files = told.house.shop.files, {}  # somebody has removed the key
    told.write(b="All about B")
    told.settle()
    state = told.state()
    assert state.problem == "IndexNow did not find the key at its address. Turn IndexNow on again after the correction."
    told.write(c="All about C")
    assert told.job() is None and told.told() == [["/a"]]
    told.house.shop.files = files
    told.turn_on()
    told.write(c="Everything about C")
    told.settle()
    assert told.told() == [["/a"], ["/c"]] and told.state().problem is None


def test_an_unreadable_key_is_tried_several_times_and_then_reported(told: Telling) -> None:
    told.house.cms.misbehave("hide_writes")
    told.house.shop.values["/a"] = {"title": "All about A"}
    told.write(a="All about A")
    told.settle()
    state = told.state()
    assert state.problem is not None and state.problem.startswith(f"The key cannot be read at {told.house.url('/')}")
    assert "it answers 404" in state.problem and told.engines.asked == 0
    asked = [path for path in told.house.shop.asked if path.endswith(f"{state.key}.txt")]
    assert len(asked) == KEY_TRIES


def test_a_connector_that_refuses_the_key_stops_submissions_with_a_reason(told: Telling) -> None:
    told.house.cms.misbehave("sender")  # since its status was last asked
    told.write(a="All about A")
    told.settle()
    assert f"{SENDER} sends already." in (told.state().problem or "") and told.engines.asked == 0


def test_a_connection_that_breaks_temporarily_loses_no_submission(told: Telling) -> None:
    told.write(a="All about A")
    told.house.cms.misbehave("access")
    connections.check(OPERATOR, told.site_id)
    told.tell_once()
    assert told.state().pending and told.state().waiting is not None and rate_limits.held_until(PACE) == 0.0
    told.house.cms.misbehave("none")
    told.settle()
    assert told.told() == [["/a"]]


def test_submissions_cannot_be_turned_on_with_a_broken_connection(told: Telling) -> None:
    telling.turn_off(OPERATOR, told.site_id)
    told.house.cms.misbehave("access")
    connections.check(OPERATOR, told.site_id)
    with pytest.raises(Refused) as refused:
        told.turn_on()
    assert refused.value.message.startswith("The connection does not work")


def test_a_connector_that_asks_to_wait_delays_no_other_website(told: Telling) -> None:
    told.write(a="All about A")
    respond = told.house.cms.respond
    told.house.cms.respond = lambda _: Answer(429, b"", {"Retry-After": "7200"})  # type: ignore[method-assign]
    told.tell_once()
    job = told.job()
    assert job is not None and job.due_at == pytest.approx(clock.now() + 7_200, abs=60)
    assert rate_limits.held_until(PACE) == 0.0
    told.house.cms.respond = respond  # type: ignore[method-assign]
    told.settle()
    assert told.told() == [["/a"]]


def test_pages_are_not_submitted_if_another_plugin_notifies_search_engines(told: Telling) -> None:
    told.write(a="All about A")
    told.house.cms.misbehave("sender")
    connections.check(OPERATOR, told.site_id)
    told.settle()
    assert told.engines.asked == 0 and told.state().pending == () and told.state().goes
    told.write(b="All about B")
    assert told.job() is None
    said = telling.look(told.house.current()).unavailable
    assert (
        said == f"{SENDER} already notifies search engines of this website's changes. A second sender would be refused."
    )
    telling.turn_off(OPERATOR, told.site_id)
    with pytest.raises(Refused) as refused:
        told.turn_on()
    assert (refused.value.code, refused.value.message) == ("index_now_unavailable", said)


def test_a_request_rejected_as_invalid_is_logged_and_not_repeated(
    told: Telling, caplog: pytest.LogCaptureFixture
) -> None:
    told.engines.misbehave("wrong")
    told.write(a="All about A")
    told.settle()
    assert told.engines.asked == 1 and told.state().pending == () and told.state().goes
    assert "IndexNow calls a request wrong" in caplog.text


def test_submissions_stop_if_the_pages_are_rejected_as_pages_of_another_host(told: Telling) -> None:
    told.engines.misbehave("other_host")
    told.write(a="All about A")
    told.settle()
    assert "belong to another host" in (told.state().problem or "") and told.told() == []


def test_waiting_pages_are_not_submitted_after_turning_off(told: Telling) -> None:
    told.write(a="All about A")
    telling.turn_off(OPERATOR, told.site_id)
    assert told.job() is None and told.state().pending == ()
    told.pass_seconds(DAY)
    assert told.engines.asked == 0
    assert telling.turn_off(OPERATOR, told.site_id) == told.state(), "it is off"


def test_a_submission_is_not_recorded_if_submissions_are_turned_off_meanwhile(told: Telling) -> None:
    told.write(a="All about A")
    respond = told.engines.respond

    def turned_off(request):  # type: ignore[no-untyped-def]
        telling.turn_off(OPERATOR, told.site_id)
        return respond(request)

    told.engines.respond = turned_off  # type: ignore[method-assign]
    told.tell_once()
    assert told.told() == [["/a"]] and told.state().sent_at is None and told.job() is None


def test_a_batch_that_ends_during_a_submission_is_submitted_later(told: Telling) -> None:
    told.write(a="All about A")
    respond = told.engines.respond

    def with_another(request):  # type: ignore[no-untyped-def]
        told.engines.respond = respond  # type: ignore[method-assign]
        told.write(b="All about B")
        return respond(request)

    told.engines.respond = with_another  # type: ignore[method-assign]
    told.tell_once()
    assert told.told() == [["/a"]] and len(told.state().pending) == 1
    told.settle()
    assert told.told() == [["/a"], ["/b"]]


def test_pages_of_a_removed_website_are_not_submitted(told: Telling) -> None:
    told.write(a="All about A")
    websites.remove(OPERATOR, told.site_id)
    assert told.state() == IndexNow() and told.job() is None
    told.tell_once()
    assert told.engines.asked == 0


def test_expired_batches_are_not_submitted(told: Telling) -> None:
    told.write(a="All about A")
    items.delete(stored.TABLE, *keys.change_batch(told.site_id, told.state().pending[0]))
    told.settle()
    assert told.engines.asked == 0 and told.state().pending == ()


def test_without_a_configured_service_pages_are_not_submitted(told: Telling, monkeypatch: pytest.MonkeyPatch) -> None:
    told.write(a="All about A")
    monkeypatch.setenv("INDEXNOW_URL", "")
    forget_settings()
    told.settle()
    assert told.state().pending == () and told.engines.asked == 0
    telling.turn_off(OPERATOR, told.site_id)
    with pytest.raises(Refused) as refused:
        told.turn_on()
    assert refused.value.message == "The operator of this service has switched IndexNow off."


def test_a_submission_whose_workers_are_killed_waits_an_hour(told: Telling) -> None:
    told.write(a="All about A")
    for _ in range(3):
        clock.set_offset(clock.offset() + 600)
        now, job = clock.now(), told.job()
        assert job is not None
        assert jobs.claim(job, now=now, lease_until=now + 240, lane=LANES["imports"]) is not None
    told.pass_seconds(600)
    job = told.job()
    assert job is not None and told.engines.asked == 0 and job.due_at >= clock.now() + 3_500
    told.settle()
    assert told.told() == [["/a"]]
