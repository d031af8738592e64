"""From a committed change of state to the deliveries of its events."""

import json

import pytest

from chalicelib import clock
from chalicelib.domain.webhooks.events import Event
from chalicelib.domain.webhooks.kinds import EVENT_KINDS
from chalicelib.store import addresses, endpoints, items, keys
from chalicelib.store import outbox as stored
from chalicelib.workers import sweeper
from chalicelib.workers.delivery import outbox
from tests import aws, webhooks
from tests.reference import loops_of

pytestmark = pytest.mark.usefixtures("store")
URL = "https://hook.example/"


def test_an_event_is_delivered_to_every_active_endpoint_that_wants_it() -> None:
    webhooks.endpoint(URL, ["audit.finished"], "end_1")
    webhooks.endpoint(URL, ["issue.resolved", "audit.finished"], "end_2")
    webhooks.endpoint(URL, ["issue.resolved"], "end_other")
    webhooks.endpoint(URL, ["audit.finished"], "end_off")
    endpoints.switch_off(webhooks.WORKSPACE, "end_off", clock.now())
    webhooks.endpoint(URL, EVENT_KINDS, "end_stranger", workspace_id="wsp_2")
    webhooks.publish(webhooks.event("audit.finished"))
    webhooks.hand_over()
    assert {name: len(webhooks.log(name)) for name in ("end_1", "end_2", "end_other", "end_off", "end_stranger")} == {
        "end_1": 1,
        "end_2": 1,
        "end_other": 0,
        "end_off": 0,
        "end_stranger": 0,
    }
    assert webhooks.leftovers() == []
    assert len(aws.messages("deliveries")) == 2


def test_the_body_of_a_delivery_contains_its_id() -> None:
    webhooks.endpoint(URL)
    webhooks.publish(webhooks.event("score.changed", to=80.5, **{"from": 78.0}))
    webhooks.hand_over()
    (delivery,) = webhooks.log()
    body = json.loads(delivery.body)
    assert body["id"] == delivery.id and delivery.id.startswith("dlv_")
    assert (body["event"], body["siteId"], body["host"]) == ("score.changed", "site_1", "shop.test")
    assert (body["from"], body["to"]) == (78.0, 80.5)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (None, "/app/sites/site_1"),
        ("https://seo.example.com/prod", "https://seo.example.com/prod/app/sites/site_1"),
    ],
)
def test_a_relative_link_is_completed_with_the_stored_address(address: str | None, expected: str) -> None:
    if address is not None:
        addresses.put_public(address)
    webhooks.endpoint(URL)
    path, whole = webhooks.event("score.changed"), webhooks.event("audit.finished")
    path.link, whole.link = "/app/sites/site_1", "https://app.example.com/app/sites/site_1"
    webhooks.publish(path, whole)
    webhooks.hand_over()
    links = {json.loads(delivery.body)["event"]: json.loads(delivery.body)["link"] for delivery in webhooks.log()}
    assert links == {"score.changed": expected, "audit.finished": whole.link}


def test_the_same_event_published_twice_is_delivered_once() -> None:
    webhooks.endpoint(URL)
    event = webhooks.event()
    webhooks.publish(event)
    webhooks.publish(event)
    webhooks.hand_over()
    assert len(webhooks.log()) == 1


def test_a_duplicate_message_for_a_finished_batch_of_events_does_nothing() -> None:
    webhooks.endpoint(URL)
    webhooks.publish(webhooks.event())
    (message,) = aws.messages("outbox")
    for _ in range(2):
        outbox.handle(message, None)
    assert len(webhooks.log()) == 1 and len(aws.messages("deliveries")) == 1


def test_the_sweeper_finds_an_event_batch_whose_message_was_lost() -> None:
    webhooks.endpoint(URL)
    webhooks.publish(webhooks.event())
    assert len(webhooks.take("outbox")) == 1
    sweeper.run()
    assert webhooks.take("outbox") == [], "its own message may still be on its way"
    webhooks.advance(10)
    sweeper.run()
    webhooks.hand_over()
    assert len(webhooks.log()) == 1


def test_the_sweeper_also_delivers_events_stored_under_the_old_key_prefix() -> None:
    webhooks.endpoint(URL)
    item = stored.batch_item([webhooks.event()])
    assert item["sk"].partition("#")[2].startswith("out_")
    before = item["sk"].replace("out_", "batch_")
    items.put("webhooks", {**item, "pk": keys.outbox_partition(keys.shard(before.partition("#")[2])), "sk": before})
    webhooks.advance(10)
    sweeper.run()
    webhooks.hand_over()
    assert len(webhooks.log()) == 1 and webhooks.leftovers() == []


def test_an_event_that_cannot_be_encoded_does_not_block_others() -> None:
    webhooks.endpoint(URL)
    good = webhooks.event("issue.resolved")
    made = outbox._fan_out(
        [Event("evt_x", "audit.finished", 0, webhooks.WORKSPACE, "\ud800", None, None, {}), good], 0, None
    )
    assert [delivery.event for delivery, _ in made] == ["issue.resolved"]


def test_fifty_endpoints_get_an_event_in_one_pass() -> None:
    for number in range(50):
        webhooks.endpoint(URL, ["audit.finished"], f"end_{number:02d}")
    webhooks.publish(webhooks.event())
    with aws.counted_calls() as calls:
        loops = loops_of(webhooks.hand_over)
    assert sum(len(webhooks.log(f"end_{number:02d}")) for number in range(50)) == 50
    assert sum(calls.values()) <= 10 and calls["TransactWriteItems"] == 1
    assert loops <= 20


def test_the_largest_event_fits_into_a_row() -> None:
    # An llms.txt of 60,000 characters that the live page does not show, and 50 changes of 1,000 characters.
    webhooks.endpoint(URL)
    text = "".join(chr(0x4E00 + (number * 7919) % 20_000) for number in range(60_000))
    llms = {"url": "https://shop.test/llms.txt", "field": "llms_txt", "value": text, "liveValue": text[::-1]}
    many = [{"url": f"https://shop.test/{n}", "field": "title", "value": text[n : n + 1_000]} for n in range(50)]
    webhooks.publish(webhooks.event("write.not_live", changes=[llms]))
    webhooks.publish(webhooks.event("write.applied", changes=many))
    webhooks.hand_over()
    assert {len(json.loads(delivery.body)["changes"]) for delivery in webhooks.log()} == {1, 50}


def test_a_delivery_records_the_request_that_caused_its_event() -> None:
    from chalicelib.store.context import request_id

    webhooks.endpoint(URL)
    token = request_id.set("req_1")
    webhooks.publish(webhooks.event())
    request_id.reset(token)
    webhooks.hand_over()
    assert webhooks.log()[0].request_id == "req_1"
