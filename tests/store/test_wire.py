"""Requests and answers of the store are botocore's own, for less."""

import base64
import json
from typing import Any

import botocore.parsers
import botocore.serialize
import pytest

from chalicelib.store import client, items, queues, wire
from chalicelib.store.marshalling import to_item

VALUES = {
    "text": "Grüße",
    "empty": "",
    "number": 12345678901234567,
    "yes": True,
    "bytes": b"\x00\xff",
    "nothing": [None],
    "list": [1, b"two", {"three": [b"\x03", None]}],
    "map": {"a": {"b": None}, "c": b"", "d": {}},
    "set": {"x", "y"},
}


def _operation(name: str) -> Any:
    return client.dynamodb()._service_model.operation_model(name)


@pytest.mark.parametrize(
    ("operation", "answer"),
    [
        ("GetItem", lambda item: {"Item": item, "ConsumedCapacity": {"TableName": "t", "CapacityUnits": 0.5}}),
        ("BatchGetItem", lambda item: {"Responses": {"t": [item, {}]}, "UnprocessedKeys": {"t": {"Keys": [item]}}}),
        ("Query", lambda item: {"Items": [item, item], "Count": 2, "LastEvaluatedKey": item}),
        ("UpdateItem", lambda item: {"Attributes": item}),
        ("TransactWriteItems", lambda item: {}),
    ],
)
def test_answers_are_read_as_botocore_reads_them(store: None, operation: str, answer: Any) -> None:
    item = to_item(VALUES) | {"numbers": {"NS": ["1"]}, "binaries": {"BS": [b"\x01"]}}
    body = json.dumps(answer(item), default=lambda value: base64.b64encode(value).decode()).encode()
    came = {"status_code": 200, "headers": {"x-amzn-RequestId": "r"}, "body": body, "context": {}}
    shape = _operation(operation).output_shape
    assert wire.Parser().parse(came, shape) == botocore.parsers.JSONParser().parse(came, shape)


@pytest.mark.parametrize("body", [b"", b"<html>busy</html>", rb'{"Item": {"text": {"S": "half a pair \ud83d"}}}'])
def test_an_answer_that_is_no_json_is_read_as_botocore_reads_it(store: None, body: bytes) -> None:
    came = {"status_code": 200, "headers": {}, "body": body, "context": {}}
    shape = _operation("GetItem").output_shape
    assert wire.Parser().parse(came, shape) == botocore.parsers.JSONParser().parse(came, shape)


def test_a_failed_transaction_tells_the_items_it_met_as_botocore_reads_them(store: None) -> None:
    told = {"__type": "TransactionCanceledException", "Message": "no", "CancellationReasons": [{"Code": "None"}]}
    told["CancellationReasons"] += [{"Code": "ConditionalCheckFailed", "Item": {"a": {"L": [{"B": "/w=="}]}}}]
    came = {"status_code": 400, "headers": {}, "body": json.dumps(told).encode(), "context": {}}
    model = client.dynamodb()._service_model.shape_for("TransactionCanceledException")
    found = wire.Parser().parse(came, model)
    assert found == botocore.parsers.JSONParser().parse(came, model)
    assert found["CancellationReasons"][1]["Item"] == {"a": {"L": [{"B": b"\xff"}]}}


@pytest.mark.parametrize("text", ["plain", "Grüße, 道", "\u2028\x07", "half a pair \ud83d"])
def test_requests_are_written_as_botocore_writes_them(store: None, text: str) -> None:
    request = {
        "TransactItems": [
            {"Put": {"TableName": "t", "Item": to_item(VALUES | {"given": text})}},
            {"ConditionCheck": {"TableName": "t", "Key": to_item({"pk": "1"}), "ConditionExpression": "#a = :b"}},
        ],
        "ClientRequestToken": "0",
    }
    ours = wire.Serializer().serialize_to_request(request, _operation("TransactWriteItems"))
    theirs = botocore.serialize.JSONSerializer().serialize_to_request(request, _operation("TransactWriteItems"))
    assert json.loads(ours.pop("body")) == json.loads(theirs.pop("body"))
    assert ours == theirs


def test_a_value_of_a_kind_that_is_not_known_is_refused() -> None:
    with pytest.raises(TypeError, match="of type X"):
        wire.attribute_value({"X": "1"})


def test_no_call_goes_through_the_descriptions_of_values_or_endpoints(
    store: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later botocore that takes them from elsewhere would be right, and slow: here it is noticed."""
    import botocore.regions

    def never(*_: object, **__: object) -> None:
        raise AssertionError("botocore went its own way")

    queues.send("crawl", {"first": 1})  # what is asked for once is asked for before
    items.put("sites", {"pk": "A", "sk": "1", **VALUES})
    monkeypatch.setattr(botocore.serialize.JSONSerializer, "_serialize_type_map", never)
    monkeypatch.setattr(botocore.serialize.JSONSerializer, "_serialize_type_string", never, raising=False)
    monkeypatch.setattr(botocore.regions.EndpointRulesetResolver, "construct_endpoint", never)
    monkeypatch.setattr(botocore.parsers.JSONParser, "_handle_blob", never)
    monkeypatch.setattr(botocore.parsers.JSONParser, "_parse_body_as_json", never)
    items.put("sites", {"pk": "A", "sk": "2", **VALUES})
    assert items.get("sites", "A", "2") == {"pk": "A", "sk": "2", **VALUES}
    queues.send("crawl", {"second": 2})
