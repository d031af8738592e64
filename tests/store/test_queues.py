"""Messages: hints with the request id of those who sent them."""

import pytest

from chalicelib.store import queues
from chalicelib.store.context import request_id
from tests import aws

pytestmark = pytest.mark.usefixtures("store")


def test_a_message_carries_its_body_and_the_request_id() -> None:
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


@pytest.mark.parametrize(("asked", "given"), [(0, 0), (-5, 0), (59.6, 60), (900, 900), (3600, 900)])
def test_a_delay_is_cut_to_what_the_queue_can_hold(asked: float, given: int) -> None:
    queues.send("deliveries", {}, delay_seconds=asked)
    assert aws.delays("deliveries") == [given]


def test_the_address_of_a_queue_is_asked_for_once() -> None:
    queues.send("recheck", {})
    with aws.counted_calls() as calls:
        queues.send("recheck", {})
    assert calls == {"SendMessage": 1}
