"""``POST …/geo/llms-txt`` and ``POST …/geo/ai-crawlers``: what is approved, what is refused and in which order, and
what ``GET`` then tells."""

import json
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.connections import Connections, Writer, WriterStatus
from chalicelib.domain.readiness.robots_block import block_of, with_block
from chalicelib.domain.readiness.written import LlmsWrite, RulesWrite
from chalicelib.store import changes, connections, readiness, websites
from chalicelib.store.transactions import commit
from tests import aws
from tests.api import seed
from tests.api.client import Client, Received
from tests.api.conftest import House, Serve
from tests.api.live import TEXT, Files, crawlers, llms

VALUE = TEXT.decode()


def post(house: House, file: str, body: Any, **sent: Any) -> Received:
    path = f"/sites/{house.site.id}/geo/{file}"
    return Client(house.key).request("POST", path, body=json.dumps(body), **sent)


def publish(house: House, value: Any, **sent: Any) -> Received:
    return post(house, "llms-txt", {"value": value}, **sent)


def rule(house: House, rules: Any, **sent: Any) -> Received:
    return post(house, "ai-crawlers", {"rules": rules}, **sent)


@pytest.fixture
def shop(house: House) -> House:
    seed.connected(house.site)
    return house


def test_an_approved_llms_txt_is_shown_as_the_last_change(shop: House, served: Serve) -> None:
    received = publish(shop, VALUE)
    assert received.status == 200
    assert received.json == {
        "approved": 1,
        "batchId": received.json["batchId"],
        "poll": f"http://localhost/api/v1/sites/{shop.site.id}/geo/llms-txt",
        "note": "The file is written after all changes that were approved earlier. Then the live file is read.",
        "link": received.json["link"],
    }
    assert received.json["link"].endswith(f"/sites/{shop.site.id}/ai-readiness")
    last = readiness.load_last(shop.site.id, "llms_txt")
    assert last is not None and (last.batch_id, last.value, last.previous) == (received.json["batchId"], VALUE, None)
    batch = changes.get(shop.site.id, last.batch_id)
    assert batch is not None and (batch.kind, batch.source, batch.approved_by) == ("llms_txt", "cms", shop.person_id)
    (message,) = aws.messages("writes")
    assert message["siteId"] == shop.site.id


def test_a_byte_order_mark_is_not_published(shop: House) -> None:
    received = publish(shop, "\ufeff" + VALUE)
    assert received.status == 200
    last = readiness.load_last(shop.site.id, "llms_txt")
    assert last is not None and last.value == VALUE
    alone = publish(shop, "\ufeff")
    assert (alone.status, alone.json["error"]["code"]) == (400, "bad_value")


def test_a_get_request_lists_the_approved_changes(house: House, served: Serve) -> None:
    site = served(Files({"/robots.txt": b"User-agent: *\nAllow: /\n"}))
    seed.connected(site)
    client = Client(house.key)
    body = json.dumps({"rules": {"gptbot": "deny", "CCBot": "allow"}})
    batch_id = client.request("POST", f"/sites/{site.id}/geo/ai-crawlers", body=body).json["batchId"]
    answer = crawlers(house, site)
    assert answer["lastChange"] == {
        "batchId": batch_id,
        "status": "approved",
        "value": {"CCBot": "allow", "GPTBot": "deny"},
        "previous": None,
        "approvedBy": house.person_id,
        "approvedAt": answer["lastChange"]["approvedAt"],
        "appliedAt": None,
        "error": None,
    }
    assert answer["rules"] == {} and answer["canPublish"] is True, "the CMS holds none yet"
    client.request("POST", f"/sites/{site.id}/geo/llms-txt", body=json.dumps({"value": VALUE}))
    last = llms(house, site)["lastChange"]
    assert (last["status"], last["value"], last["previous"]) == ("approved", VALUE, None)


@pytest.mark.parametrize(
    ("file", "body", "code"),
    [
        ("llms-txt", {}, "bad_body"),
        ("llms-txt", {"value": 5}, "bad_value"),
        ("llms-txt", {"value": None}, "bad_value"),
        ("llms-txt", {"value": "a\x00"}, "bad_value"),
        ("llms-txt", {"value": "\ud800"}, "bad_json"),
        ("llms-txt", {"value": " \n"}, "bad_value"),
        ("llms-txt", {"value": "<!doctype html><html><p>Shop"}, "bad_value"),
        ("llms-txt", {"value": "x" * 60_001}, "too_long"),
        ("llms-txt", {"value": "\x00" * 60_001}, "too_long"),
        ("ai-crawlers", {}, "bad_body"),
        ("ai-crawlers", {"rules": ["GPTBot"]}, "bad_rules"),
        ("ai-crawlers", {"rules": {"GPTBot": "maybe"}}, "bad_rules"),
        ("ai-crawlers", {"rules": {"GPTBot": None}}, "bad_rules"),
        ("ai-crawlers", {"rules": {"GPTBot": "deny", "gptbot": "allow"}}, "bad_rules"),
        ("ai-crawlers", {"rules": {"NoSuchBot": "deny"}}, "unknown_crawler"),
        ("ai-crawlers", {"rules": {"Claude-Web": "deny"}}, "unknown_crawler"),
        ("ai-crawlers", {"rules": {"*": "deny"}}, "unknown_crawler"),
    ],
)
def test_unwritable_values_are_refused_before_the_cms_is_read(house: House, file: str, body: Any, code: str) -> None:
    received = post(house, file, body)
    assert (received.status, received.code) == (400, code)
    assert changes.list_all(house.site.id) == []


def test_the_longest_allowed_text_is_accepted_in_any_json_encoding(shop: House) -> None:
    assert publish(shop, "\U0001f600" * 60_000).status == 200  # twelve bytes each as JSON that is escaped


def test_an_approval_checks_the_body_then_the_connection_and_then_the_change(house: House) -> None:
    assert publish(house, "").code == "cms_not_connected" and rule(house, {}).code == "cms_not_connected"
    seed.connected(house.site, writable=False, reason="Updates are off.")
    received = publish(house, "")
    assert (received.status, received.code) == (409, "cms_not_writable")
    assert "Updates are off." in received.json["error"]["message"]
    seed.connected(house.site, files=("llmsTxt",), robots_file="readonly")
    received = rule(house, {})
    assert (received.code, rule(house, {"GPTBot": "deny"}).code) == ("cms_not_writable", "cms_not_writable")
    assert "may not write" in received.json["error"]["message"]
    received = publish(house, "")
    assert received.code == "no_change" and "nothing to remove" in received.json["error"]["message"]
    assert publish(house, VALUE).status == 200
    seed.connected(house.site, files=())
    assert publish(house, VALUE).code == "cms_not_writable"


def test_a_shop_without_a_cms_cannot_write_files(house: House) -> None:
    now = clock.now()
    status = WriterStatus(writable=True, platform="shopify", version="1", files=("llmsTxt", "robotsBlock"))
    writer = Writer(kind="shop", base_url="https://shop.example/", connected_at=now, checked_at=now, status=status)
    current = websites.get(house.site.workspace_id, house.site.id)
    assert current is not None
    commit([connections.shown(current, Connections(shop=writer))])
    assert publish(house, VALUE).code == "cms_not_connected"
    assert rule(house, {"GPTBot": "deny"}).code == "cms_not_connected"


def test_the_status_not_live_becomes_applied_once_the_website_shows_the_change(house: House, served: Serve) -> None:
    rules: Any = {"GPTBot": "deny"}
    block = block_of(b"", rules)
    site = served(Files({"/llms.txt": TEXT, "/robots.txt": with_block(b"", block)}))
    members: dict[str, Any] = {
        "batch_id": "batch_1",
        "status": "not_live",
        "approved_by": None,
        "approved_at": 1.0,
        "error": "why",
    }
    commit([readiness.put_last(site.id, LlmsWrite(**members, value=VALUE, previous=None))])
    commit([readiness.put_last(site.id, RulesWrite(**members, value=rules, previous=None))])
    for answer in (llms(house, site), crawlers(house, site)):
        assert (answer["lastChange"]["status"], answer["lastChange"]["error"]) == ("applied", None)
    commit([readiness.put_last(site.id, LlmsWrite(**members, value="# Another\n", previous=None))])
    commit([readiness.put_last(site.id, RulesWrite(**members, value={**rules, "CCBot": "deny"}, previous=None))])
    for answer in (llms(house, site), crawlers(house, site)):
        assert (answer["lastChange"]["status"], answer["lastChange"]["error"]) == ("not_live", "why")


@pytest.mark.parametrize("status", ["applied", "not_live"])
def test_a_value_that_the_cms_already_has_is_refused(shop: House, status: Any) -> None:
    members: dict[str, Any] = {"batch_id": "batch_1", "status": status, "approved_by": None, "approved_at": 1.0}
    commit([readiness.put_last(shop.site.id, LlmsWrite(**members, value=VALUE, previous=None))])
    rules: Any = {"GPTBot": "deny", "CCBot": "allow"}
    commit([readiness.put_last(shop.site.id, RulesWrite(**members, value=rules, previous=None))])
    received = publish(shop, VALUE)
    assert (received.status, received.code) == (409, "no_change")
    assert rule(shop, {"ccbot": "allow", "GPTBot": "deny"}).code == "no_change"
    assert publish(shop, "").status == 200 and rule(shop, {"GPTBot": "deny"}).status == 200


@pytest.mark.parametrize("status", ["refused", "reverted"])
def test_a_change_can_be_approved_again_after_a_refusal_or_an_undo(shop: House, status: Any) -> None:
    members: dict[str, Any] = {"batch_id": "batch_1", "status": status, "approved_by": None, "approved_at": 1.0}
    commit([readiness.put_last(shop.site.id, LlmsWrite(**members, value=VALUE, previous=None))])
    assert publish(shop, "").code == "no_change"
    assert publish(shop, VALUE).status == 200


def test_a_value_can_be_removed_if_a_failed_change_may_have_written_it(shop: House) -> None:
    members: dict[str, Any] = {"batch_id": "batch_1", "status": "failed", "approved_by": None, "approved_at": 1.0}
    commit([readiness.put_last(shop.site.id, LlmsWrite(**members, value=VALUE, previous=None))])
    commit([readiness.put_last(shop.site.id, RulesWrite(**members, value={"GPTBot": "deny"}, previous=None))])
    assert publish(shop, "").status == 200 and rule(shop, {}).status == 200


def test_a_repeated_approval_of_a_file_returns_the_pending_batch(shop: House) -> None:
    first = publish(shop, VALUE).json
    assert publish(shop, VALUE).json == first
    assert publish(shop, VALUE + "More.\n").json["batchId"] != first["batchId"]
    first = rule(shop, {"GPTBot": "deny"}).json
    assert rule(shop, {"gptbot": "deny"}).json == first and rule(shop, {}).json["batchId"] != first["batchId"]


def test_a_retry_with_the_same_idempotency_key_returns_the_first_answer(shop: House) -> None:
    first = publish(shop, VALUE, headers={"Idempotency-Key": "once"})
    again = publish(shop, VALUE, headers={"Idempotency-Key": "once"})
    assert again.json == first.json and again.headers["idempotency-replayed"] == "true"
    assert publish(shop, "", headers={"Idempotency-Key": "once"}).code == "idempotency_mismatch"
    assert len(changes.list_all(shop.site.id)) == 1


def test_the_name_of_an_unknown_crawler_is_shown_as_printable_text(shop: House) -> None:
    received = rule(shop, {"\u202eBot\x1b" + "x" * 200: "deny"})
    message = received.json["error"]["message"]
    assert received.status == 400 and received.json["error"]["code"] == "unknown_crawler"
    assert message.isprintable() and message.startswith("`Bot x") and len(message) < 140
