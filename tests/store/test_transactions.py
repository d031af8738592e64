"""Transactions: together or not at all, with their events."""

import pytest

from chalicelib.domain.webhooks.events import Event
from chalicelib.store import items, outbox
from chalicelib.store.context import request_id
from chalicelib.store.keys import shards
from chalicelib.store.transactions import MAX_WRITES, Check, Conflict, Delete, Put, Update, commit, committed
from tests import aws

pytestmark = pytest.mark.usefixtures("store")

EVENT = Event("evt_1", "issue.resolved", 1.5, "wsp_1", "site_1", "example.org", None, {"ruleId": "SEO-ONP-001"})


def test_all_writes_of_a_transaction_are_done() -> None:
    items.put("sites", {"pk": "A", "sk": "2", "n": 1})
    items.put("sites", {"pk": "A", "sk": "3"})
    commit(
        [
            Put("accounts", {"pk": "A", "sk": "1", "name": "Ada", "gone": None}),
            Update("sites", ("A", "2"), "SET #n = #n + :one", names={"#n": "n"}, values={":one": 1}),
            Delete("sites", {"pk": "A", "sk": "3"}),
            Check("issues", ("A", "4"), "attribute_not_exists(pk)"),
        ]
    )
    assert items.get("accounts", "A", "1") == {"pk": "A", "sk": "1", "name": "Ada"}
    assert items.get("sites", "A", "2") == {"pk": "A", "sk": "2", "n": 2}
    assert items.get("sites", "A", "3") is None


def test_a_transaction_holds_100_writes_including_the_one_for_its_events() -> None:
    assert MAX_WRITES == 100
    commit([Put("sites", {"pk": "A", "sk": f"{number:03}"}) for number in range(MAX_WRITES - 1)], [EVENT, EVENT])
    assert len(aws.rows("sites")) == 99 and len(aws.rows("webhooks")) == 1


def test_a_failed_condition_writes_nothing_and_returns_the_old_item() -> None:
    items.put("sites", {"pk": "A", "sk": "2", "holder": "crawl_1", "until": 2.5})
    with pytest.raises(Conflict) as caught:
        commit(
            [
                Put("accounts", {"pk": "A", "sk": "1"}),
                Put("sites", {"pk": "A", "sk": "2"}, condition="attribute_not_exists(pk)"),
                Check("sites", ("B", "2"), "attribute_exists(pk)", name="other"),
            ],
            [EVENT],
        )
    old = {"pk": "A", "sk": "2", "holder": "crawl_1", "until": 2.5}
    assert caught.value.failed == {"sites A 2": old, "other": None}
    assert aws.rows("accounts") == []
    assert aws.rows("webhooks") == []
    assert aws.messages("outbox") == []


def test_a_repeated_transaction_is_reported_and_not_done_again() -> None:
    write = Put("sites", {"pk": "A", "sk": "2"}, condition="attribute_not_exists(pk)")
    assert committed([write], [EVENT])
    assert len(aws.rows("webhooks")) == 1
    assert not committed([write], [EVENT])
    assert len(aws.rows("webhooks")) == 1
    with aws.counted_calls() as calls:
        assert committed([])
    assert not calls


def test_events_are_stored_in_the_same_transaction_as_their_cause() -> None:
    token = request_id.set("req-7")
    try:
        commit([Put("sites", {"pk": "A", "sk": "2"})], [EVENT, EVENT])
    finally:
        request_id.reset(token)
    (batch,) = [batch for shard in shards() for batch in outbox.pending(shard)]
    assert batch.events == [EVENT, EVENT]
    assert batch.request_id == "req-7"
    assert aws.messages("outbox") == [{"pk": batch.pk, "sk": batch.sk, "requestId": "req-7"}]
    assert outbox.load(batch.pk, batch.sk) == batch
    outbox.remove(batch)
    assert outbox.load(batch.pk, batch.sk) is None


def test_an_event_is_stored_even_if_its_message_cannot_be_sent() -> None:
    with aws.refusing_queues():
        commit([Put("sites", {"pk": "A", "sk": "2"})], [EVENT])
    assert len(aws.rows("webhooks")) == 1
    assert items.get("sites", "A", "2") is not None
