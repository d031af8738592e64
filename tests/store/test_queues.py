"""Messages: hints with the request id of those who sent them."""

import pytest
from botocore.exceptions import ClientError

from chalicelib.store import queues
from chalicelib.store.context import request_id
from tests import aws

pytestmark = pytest.mark.usefixtures("store")


def test_a_message_consists_of_its_body_and_the_id_of_the_request_that_sent_it() -> None:
    queues.send("crawl", {"crawlId": "crawl_1", "slice": 2})
    token = request_id.set("req-1")
    try:
        queues.send("crawl", {"crawlId": "crawl_2"})
    finally:
        request_id.reset(token)
    assert aws.messages("crawl") == [
        {"crawlId": "crawl_1", "slice": 2},
        {"crawlId": "crawl_2", "requestId": "req-1"},
    ]


@pytest.mark.parametrize(
    ("asked", "given"), [(0, 0), (-5, 0), (59.6, 60), (5.01, 6), (5.3, 6), (900, 900), (3600, 900)]
)
def test_a_delay_is_limited_to_the_maximum_of_the_queue(asked: float, given: int) -> None:
    queues.send("deliveries", {}, delay_seconds=asked)
    assert aws.delays("deliveries") == [given]


def test_the_address_of_a_queue_is_read_once() -> None:
    queues.send("recheck", {})
    with aws.counted_calls() as calls:
        queues.send("recheck", {})
    assert calls == {"SendMessage": 1}


def test_a_failed_notification_message_is_logged_and_raises_no_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("WARNING", logger="chalicelib.store.queues")
    with aws.refusing_queues():
        with pytest.raises(ClientError):
            queues.send("crawl", {"crawlId": "crawl_1"})
        queues.hint("crawl", {"crawlId": "crawl_1"})
        queues.hint_many("deliveries", [{"deliveryId": "dlv_1"}, {"deliveryId": "dlv_2"}])
        queues.hint_many("deliveries", [])
    told = [
        (record.__dict__["queue"], record.__dict__["hint"], record.__dict__["messages"]) for record in caplog.records
    ]
    assert told == [("crawl", {"crawlId": "crawl_1"}, 1), ("deliveries", {"deliveryId": "dlv_1"}, 2)]


def test_notifications_are_sent_as_messages_with_their_delay() -> None:
    queues.hint("crawl", {"crawlId": "crawl_1"}, delay_seconds=7)
    queues.hint_many("outbox", [{"pk": "A"}, {"pk": "B"}])
    assert aws.messages("crawl") == [{"crawlId": "crawl_1"}] and aws.delays("crawl") == [7]
    assert aws.messages("outbox") == [{"pk": "A"}, {"pk": "B"}]
