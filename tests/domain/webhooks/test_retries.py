"""When a delivery is tried, what follows from a try, and what ends the waiting."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.webhooks import retries
from chalicelib.domain.webhooks.delivery import After, Attempt, Delivery, WebhookEndpoint, after, ended_by

OK = Attempt(at=0, phase=None, status=204, ms=5)
FAILED = Attempt(at=0, phase="status", status=500, ms=5)
DELIVERY = Delivery("dlv_1", "wsp_1", "end_1", "audit.finished", 0, b"{}", next_try_at=0)
ENDPOINT = WebhookEndpoint("end_1", "wsp_1", "https://hook.test/", ["audit.finished"], "on", 0, b"")


def with_tries(tries: int, **changes: object) -> Delivery:
    return msgspec.structs.replace(DELIVERY, tries=tries, **changes)


@pytest.mark.parametrize(("tries", "minutes"), [(0, 1), (1, 5), (2, 15), (3, 60)])
def test_retries_wait_1_5_15_and_60_minutes(tries: int, minutes: int) -> None:
    assert after(with_tries(tries), FAILED, 1_000) == After("waiting", tries + 1, 1_000 + minutes * 60)


def test_a_delivery_fails_after_its_fifth_try() -> None:
    assert after(with_tries(4), FAILED, 1_000) == After("failed", 5, None)


@pytest.mark.parametrize("tries", range(5))
def test_a_success_ends_a_delivery(tries: int) -> None:
    assert after(with_tries(tries), OK, 1_000) == After("delivered", tries + 1, None)


def test_a_ping_is_tried_once() -> None:
    assert after(with_tries(0, kind="ping"), FAILED, 1_000) == After("failed", 1, None)


def test_a_delivery_does_not_change_if_its_replay_fails() -> None:
    assert after(with_tries(5, replay_of="failed"), FAILED, 0) == After("failed", 5, None)
    assert after(with_tries(1, replay_of="delivered"), FAILED, 0) == After("delivered", 1, None)
    assert after(with_tries(5, replay_of="endpoint_off"), OK, 0) == After("delivered", 5, None)


def test_a_waiting_delivery_ends_if_its_endpoint_is_gone_off_or_dropped_the_event() -> None:
    assert ended_by(DELIVERY, ENDPOINT) is None
    assert ended_by(DELIVERY, None) == "endpoint_removed"
    assert ended_by(DELIVERY, msgspec.structs.replace(ENDPOINT, state="off")) == "endpoint_off"
    assert ended_by(DELIVERY, msgspec.structs.replace(ENDPOINT, period=1)) == "endpoint_off"
    assert ended_by(DELIVERY, msgspec.structs.replace(ENDPOINT, events=["issue.resolved"])) == "event_not_ticked"


def test_pings_and_replays_reach_a_switched_off_endpoint_but_not_a_removed_one() -> None:
    off = msgspec.structs.replace(ENDPOINT, state="off", events=[])
    assert ended_by(with_tries(0, kind="ping", event="ping"), off) is None
    assert ended_by(with_tries(5, replay_of="failed"), off) is None
    assert ended_by(with_tries(5, replay_of="failed"), None) == "failed"


def test_an_endpoint_is_marked_as_failing_after_four_failures_in_a_row() -> None:
    assert [msgspec.structs.replace(ENDPOINT, failures_in_a_row=n).keeps_failing for n in (0, 3, 4)] == [
        False,
        False,
        True,
    ]


@given(st.floats(0, 1e10), st.floats(0, 1e10))
def test_a_queue_message_never_arrives_before_its_delivery_is_due(at: float, now: float) -> None:
    delay = retries.delay_until(at, now)
    assert delay >= 0 and now + delay >= at - 1e-5


@given(st.floats(-1e6, 1e6))
def test_a_delivery_above_the_limit_of_its_endpoint_is_tried_within_ten_seconds(waited: float) -> None:
    at = retries.postponed(2e6, 2e6 - waited)
    assert 0 <= at - 2e6 <= 10
    assert at == 2e6 if 0 <= waited < 1 else True


def test_printed_deliveries_and_endpoints_show_no_secret_and_no_body() -> None:
    assert "{}" not in repr(DELIVERY) and repr(ENDPOINT) == "WebhookEndpoint(end_1, on)"


@pytest.mark.parametrize(("at", "seconds"), [(1_000.0, 0), (1_000.1, 1), (1_060.0, 60), (1_060.5, 61), (940.0, 0)])
def test_the_delay_of_a_message_is_rounded_up_to_seconds(at: float, seconds: int) -> None:
    assert retries.delay_until(at, 1_000.0) == seconds
