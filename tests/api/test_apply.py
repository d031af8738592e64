"""``POST /sites/{siteId}/actions/{issueId}/apply``: what is approved, what is refused and in which order, and what the
issue then tells."""

import json
from typing import Any

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.content import ContentFields, ContentItem
from chalicelib.store import changes, content, issues, jobs
from chalicelib.store.transactions import commit
from tests import aws
from tests.api import seed
from tests.api.client import Client, Received
from tests.api.conftest import House

VALUE = "Hiking boots for every path"


def issue_path(house: House, rule_id: str = seed.PAGE_RULE.id) -> str:
    return f"/sites/{house.site.id}/issues/{ids.issue_id(house.site.id, rule_id)}"


def apply(house: House, *wanted: tuple[Any, Any], rule_id: str = seed.PAGE_RULE.id, **sent: Any) -> Received:
    body = {"changes": [{"url": url, "value": value} for url, value in wanted]}
    path = issue_path(house, rule_id).replace("issues", "actions") + "/apply"
    return Client(house.key).request("POST", path, body=json.dumps(body), **sent)


@pytest.fixture
def shop(house: House) -> House:
    seed.audited(house.site)
    seed.connected(house.site)
    return house


def url(house: House, number: int = 0) -> str:
    return seed.url(house.site, number)


def test_an_approval_is_shown_in_the_issue_at_once(shop: House) -> None:
    received = apply(shop, (url(shop), f"  {VALUE} "), (url(shop, 1), "Winter boots"))
    assert received.status == 200 and received.headers["location"] == received.json["poll"]
    assert received.json == {
        "approved": 2,
        "batchId": received.json["batchId"],
        "poll": f"http://localhost/api/v1{issue_path(shop)}",
        "note": "Batches are written one after the other. After this batch, the issue is rechecked.",
        "link": received.json["link"],
    }
    detail = Client(shop.key).get(issue_path(shop)).json
    assert detail["status"] == "in_progress"
    last = detail["lastChange"]
    assert (last["batchId"], last["approvedBy"]) == (received.json["batchId"], shop.person_id)
    assert [(one["url"], one["value"], one["status"], one["field"]) for one in last["changes"]] == [
        (url(shop), VALUE, "approved", "title"),
        (url(shop, 1), "Winter boots", "approved", "title"),
    ]
    unknown = ("appliedAt", "live", "liveValue", "notLiveReason", "liveNote", "error", "previous")
    assert all(one[name] is None for one in last["changes"] for name in unknown)
    (message,) = aws.messages("writes")
    job = jobs.get(shop.site.id, message["jobId"])
    assert job is not None and job.payload == {"batch": received.json["batchId"], "connection": "cms"}


def test_the_last_change_names_the_promised_and_the_seen_gain(shop: House) -> None:
    client, issue_id = Client(shop.key), issue_path(shop).rsplit("/", 1)[1]
    listed = client.get(f"/sites/{shop.site.id}/actions").json["actions"]
    (promised,) = [one["estimatedScoreGain"] for one in listed if one["issueId"] == issue_id]
    batch_id = apply(shop, (url(shop), VALUE)).json["batchId"]
    assert promised > 0
    assert client.get(issue_path(shop)).json["lastChange"]["gain"] == {"promised": promised, "seen": None}
    stored = changes.get(shop.site.id, batch_id)
    assert stored is not None
    commit([changes.put_looked(msgspec.structs.replace(stored, gain_seen=7), before=stored)])
    assert client.get(issue_path(shop)).json["lastChange"]["gain"] == {"promised": promised, "seen": 0.7}


def test_an_address_is_recognised_in_any_spelling(shop: House) -> None:
    written = url(shop).replace("https://acme.example", "HTTPS://ACME.example:443") + "#top"
    assert apply(shop, (written, VALUE)).json["approved"] == 1


def test_changes_to_values_that_pages_already_have_are_left_out(shop: House) -> None:
    known = content.load(shop.site.id)
    item = ContentItem(
        cms_id="post:0", url=url(shop), type="post", status="published", title="A", fields=ContentFields(title=VALUE)
    )
    commit(content.writes(shop.site.id, known, {**known.items, item.cms_id: item}, clock.now()))
    assert apply(shop, (url(shop), VALUE)).code == "no_changes"
    received = apply(shop, (url(shop), VALUE), (url(shop, 1), VALUE))
    assert received.json["approved"] == 1
    loaded = changes.load(shop.site.id, received.json["batchId"])
    assert loaded is not None and [change.url for change in loaded.changes] == [url(shop, 1)]


@pytest.mark.parametrize(
    ("wanted", "code", "said"),
    [
        ([], "no_changes", "`changes` is empty"),
        ([("https://acme.example/other", VALUE)], "not_a_cms_post", "https://acme.example/other"),
        ([("\ud800", VALUE)], "bad_json", "surrogate"),
        ([("", "")], "not_a_cms_post", "not a published content item"),
        ([("{0}", "")], "not_applied", "empty"),
        ([("{0}", "a\nb")], "not_applied", "line break"),
        ([("{0}", "x" * 301)], "not_applied", "at most 300"),
        ([("{0}", VALUE), ("{0}", "Another")], "not_applied", "twice"),
        ([("{2}", VALUE)], "not_applied", "/page-00002 is not a page of this action"),
        ([("{0}", VALUE), ("{2}", "")], "not_applied", "not a page of this action"),
        ([("{0}", VALUE), ("{99}", VALUE)], "not_a_cms_post", "page-00099"),
        ([("{0}", 5)], "bad_value", "changes[0].value"),
        ([(5, VALUE)], "bad_url", "changes[0].url"),
        ([("{0}", VALUE)] * 501, "too_many_changes", "501"),
    ],
)
def test_invalid_requests_are_refused(shop: House, wanted: list[tuple[Any, Any]], code: str, said: str) -> None:
    def full(text: Any) -> Any:
        return url(shop, int(text[1:-1])) if isinstance(text, str) and text[:1] == "{" else text

    received = apply(shop, *((full(address), value) for address, value in wanted))
    assert (received.status, received.code) == (400, code)
    assert said in received.json["error"]["message"]
    assert aws.rows("changes") == [] and aws.messages("writes") == []


def test_the_error_for_a_missing_member_names_the_member(shop: House) -> None:
    path = issue_path(shop).replace("issues", "actions") + "/apply"
    for body, param in (("{}", "changes"), ('{"changes": [{"url": "x"}]}', "changes[0].value")):
        received = Client(shop.key).request("POST", path, body=body)
        assert (received.code, received.json["error"]["param"]) == ("bad_body", param)


def test_if_an_approval_has_several_errors_the_first_in_a_fixed_order_is_reported(house: House) -> None:
    """An error of one check is reported only if all checks before it pass."""
    seed.audited(house.site)
    wrong_page, good = ("https://acme.example/other", ""), (url(house), VALUE)
    assert apply(house, (5, 5)).code in ("bad_url", "bad_value")
    assert apply(house, *[wrong_page] * 501).code == "too_many_changes"
    assert apply(house, wrong_page, rule_id=seed.SITE_RULE.id).code == "cms_not_connected"
    seed.connected(house.site, writable=False, reason="Updates are off.")
    received = apply(house, wrong_page, rule_id=seed.SITE_RULE.id)
    assert (received.status, received.code) == (409, "cms_not_writable")
    assert received.json["error"]["message"] == "Updates are off."
    seed.connected(house.site, fields=("canonical",))
    assert apply(house, wrong_page).code == "field_not_supported"
    seed.connected(house.site)
    assert apply(house, wrong_page, rule_id=seed.SITE_RULE.id).code == "field_not_supported"
    assert apply(house, wrong_page, (url(house), "")).code == "not_a_cms_post"
    assert apply(house, (url(house), "")).code == "not_applied"
    assert apply(house, good).status == 200


@pytest.mark.parametrize("status", ["resolved", "ignored"])
def test_an_issue_that_is_not_open_accepts_no_changes(shop: House, status: str) -> None:
    book = issues.load_state(shop.site.id)
    assert book is not None
    book.issues[0].status = status  # type: ignore[assignment]
    commit([issues.put_state(shop.site.id, book.with_issue(book.issues[0]), replaces=book.version)])
    received = apply(shop, (url(shop), VALUE))
    assert received.code == "not_applied" and status in received.json["error"]["message"]


def test_a_repeated_approval_returns_the_batch_that_is_pending(shop: House) -> None:
    first = apply(shop, (url(shop), VALUE)).json
    assert apply(shop, (url(shop), VALUE)).json == first
    assert len(changes.list_all(shop.site.id)) == 1
    assert apply(shop, (url(shop), "Winter boots")).json["batchId"] != first["batchId"]


def test_a_retry_with_the_same_idempotency_key_approves_changes_once(shop: House) -> None:
    first = apply(shop, (url(shop), VALUE), headers={"Idempotency-Key": "once"})
    again = apply(shop, (url(shop), VALUE), headers={"Idempotency-Key": "once"})
    assert again.json == first.json and again.headers["idempotency-replayed"] == "true"
    assert len(changes.list_all(shop.site.id)) == 1


def test_an_equal_change_approved_for_another_issue_returns_the_pending_batch(shop: House) -> None:
    """Two rules suggest a title for the same page."""
    book = issues.load_state(shop.site.id)
    assert book is not None
    other = msgspec.structs.replace(book.issues[0], id="iss_other")
    full = msgspec.structs.replace(book, version=book.version + 1, issues=[*book.issues, other])
    page = issues.load_affected(shop.site.id, book.issues[0])[:1]
    commit(
        [
            issues.put_state(shop.site.id, full, replaces=book.version),
            *issues.affected_writes(shop.site.id, "iss_other", seed.AUDIT, page),
        ]
    )
    first = apply(shop, (url(shop), VALUE), (url(shop, 1), "Winter boots")).json
    body = json.dumps({"changes": [{"url": url(shop), "value": VALUE}]})
    again = Client(shop.new_key("actions:apply")).request(
        "POST", f"/sites/{shop.site.id}/actions/iss_other/apply", body=body
    )
    assert again.json == first, "by another key, for another issue"
    assert len(changes.list_all(shop.site.id)) == 1


def test_a_later_batch_contains_only_changes_that_are_new(shop: House) -> None:
    first = apply(shop, (url(shop), VALUE)).json
    received = apply(shop, (url(shop), VALUE), (url(shop, 1), "Winter boots"))
    assert received.json["approved"] == 1 and received.json["batchId"] != first["batchId"]
    loaded = changes.load(shop.site.id, received.json["batchId"])
    assert loaded is not None and [change.url for change in loaded.changes] == [url(shop, 1)]


def test_a_value_can_be_approved_again_after_a_different_value_was_approved(shop: House) -> None:
    """The last approval for a page and field wins, even if it repeats an earlier value."""
    first, second = apply(shop, (url(shop), VALUE)).json, apply(shop, (url(shop), "Winter boots")).json
    third = apply(shop, (url(shop), VALUE)).json
    assert len({one["batchId"] for one in (first, second, third)}) == 3
    assert apply(shop, (url(shop), VALUE)).json["batchId"] == third["batchId"]


def test_at_most_100_batches_of_changes_can_wait_while_one_is_written(shop: House) -> None:
    codes = [apply(shop, (url(shop), f"Value {number}")).status for number in range(102)]
    assert codes == [200] * 101 + [409], "one is written, 100 wait"
    assert apply(shop, (url(shop), "Value 101")).code == "too_many_waiting"
    assert apply(shop, (url(shop), "Value 100")).status == 200, "it waits already"
    (place,) = [row for row in aws.stored("changes") if row["sk"] == "PLACE"]
    assert len(str(place)) < 10_000
