"""The key service fails: that is the service's own trouble, and neither a try nor a failure of the receiver."""

import os
from collections.abc import Iterator

import pytest

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import endpoints
from chalicelib.store import deliveries, secrets
from chalicelib.workers import sweeper
from local import kms
from tests import webhooks
from tests.servers.receiver import Receiver

pytestmark = pytest.mark.usefixtures("store", "loopback_allowed")


@pytest.fixture(autouse=True)
def kept_key() -> Iterator[bytes]:
    """The key as it is before the test; what was decrypted before is forgotten."""
    key = kms._key
    secrets._kept.clear()
    yield key
    kms.use(key)


def fail() -> None:
    kms.use(os.urandom(kms.KEY_BYTES))
    secrets._kept.clear()


def minute_by_minute(minutes: int) -> None:
    """The workers and the sweeper as they run for so long."""
    for _ in range(minutes):
        webhooks.deliver()
        webhooks.advance(60)
        sweeper.run()
    webhooks.deliver()


def test_a_delivery_with_an_unreadable_secret_is_not_tried_and_not_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    with Receiver() as receiver:
        made = webhooks.endpoint(receiver.url())
        fail()
        webhooks.send_all(webhooks.event())
        (delivery,) = webhooks.log()
        loaded = deliveries.load(made.workspace_id, made.id, delivery.id)
        assert receiver.arrivals == []
    assert (delivery.state, delivery.tries, delivery.attempts, delivery.lease_until) == ("waiting", 0, [], 0)
    assert loaded.slots == {} and webhooks.current().failures_in_a_row == 0
    (told,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert (told.__dict__["deliveryId"], told.__dict__["endpointId"]) == (delivery.id, made.id)
    assert told.__dict__["waitSeconds"] == 60 and webhooks.SECRET not in caplog.text


def test_an_unreadable_secret_is_retried_hourly_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with Receiver() as receiver:
        webhooks.endpoint(receiver.url())
        fail()
        webhooks.send_all(webhooks.event())
        minute_by_minute(150)
        assert receiver.arrivals == []
    waits = [record.__dict__["waitSeconds"] / 60 for record in caplog.records if record.levelname == "ERROR"]
    assert waits == [1, 5, 15, 60, 60, 60]
    assert [record.__dict__["failures"] for record in caplog.records if record.levelname == "ERROR"] == [*range(1, 7)]


def test_an_unreadable_secret_uses_up_no_attempt_of_a_delivery(kept_key: bytes) -> None:
    answers = iter([500, 204])
    with Receiver(lambda arrival: next(answers)) as receiver:
        webhooks.endpoint(receiver.url())
        fail()
        webhooks.send_all(webhooks.event())
        minute_by_minute(8)
        kms.use(kept_key)
        minute_by_minute(20)
        assert len(receiver.arrivals) == 2
    (delivery,) = webhooks.log()
    assert (delivery.state, delivery.tries, delivery.own_failures) == ("delivered", 2, 0)


def test_a_replay_waits_like_a_first_attempt_if_its_secret_is_unreadable(kept_key: bytes) -> None:
    with Receiver() as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.send_all(webhooks.event())
        (delivery,) = webhooks.log()
        webhooks.advance(86_400)
        fail()
        endpoints.replay(OPERATOR, webhooks.WORKSPACE, delivery.id)
        minute_by_minute(0)
        kms.use(kept_key)
        assert len(receiver.arrivals) == 1
        minute_by_minute(2)
        assert len(receiver.arrivals) == 2
    assert webhooks.log()[0].state == "delivered"
