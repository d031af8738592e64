"""Answers of the store are read as botocore reads them, for less."""

import base64
import json
from typing import Any

import botocore.parsers
import botocore.session
import pytest

from chalicelib.store import client, items, wire
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
def test_answers_are_parsed_as_botocore_parses_them(store: None, operation: str, answer: Any) -> None:
    item = to_item(VALUES) | {"numbers": {"NS": ["1"]}, "binaries": {"BS": [b"\x01"]}}
    body = json.dumps(answer(item), default=lambda value: base64.b64encode(value).decode()).encode()
    came = {"status_code": 200, "headers": {"x-amzn-RequestId": "r"}, "body": body, "context": {}}
    shape = _operation(operation).output_shape
    assert wire.Parser().parse(came, shape) == botocore.parsers.JSONParser().parse(came, shape)


@pytest.mark.parametrize("body", [b"", b"<html>busy</html>", rb'{"Item": {"text": {"S": "half a pair \ud83d"}}}'])
def test_an_answer_that_is_not_json_is_parsed_as_botocore_parses_it(store: None, body: bytes) -> None:
    came = {"status_code": 200, "headers": {}, "body": body, "context": {}}
    shape = _operation("GetItem").output_shape
    assert wire.Parser().parse(came, shape) == botocore.parsers.JSONParser().parse(came, shape)


def test_items_returned_by_a_failed_transaction_are_parsed_as_in_botocore(store: None) -> None:
    told = {"__type": "TransactionCanceledException", "Message": "no", "CancellationReasons": [{"Code": "None"}]}
    told["CancellationReasons"] += [{"Code": "ConditionalCheckFailed", "Item": {"a": {"L": [{"B": "/w=="}]}}}]
    came = {"status_code": 400, "headers": {}, "body": json.dumps(told).encode(), "context": {}}
    model = client.dynamodb()._service_model.shape_for("TransactionCanceledException")
    found = wire.Parser().parse(came, model)
    assert found == botocore.parsers.JSONParser().parse(came, model)
    assert found["CancellationReasons"][1]["Item"] == {"a": {"L": [{"B": b"\xff"}]}}


def _structures(shape: Any, seen: dict[str, Any]) -> dict[str, Any]:
    if shape.type_name == "structure" and shape.name not in seen:
        seen[shape.name] = shape
        for member in shape.members.values():
            _structures(member, seen)
    elif shape.type_name == "list":
        _structures(shape.member, seen)
    elif shape.type_name == "map":
        _structures(shape.value, seen)
    return seen


@pytest.mark.parametrize("service", ["dynamodb", "sqs", "kms"])
def test_members_of_aws_answers_have_the_same_name_on_the_wire(service: str) -> None:
    """``wire`` finds members by their own names. A later botocore may describe other names."""
    model = botocore.session.get_session().get_service_model(service)
    shapes = [model.operation_model(name).output_shape for name in model.operation_names]
    for shape in shapes:
        for structure in {} if shape is None else _structures(shape, {}).values():
            for name, member in structure.members.items():
                assert member.serialization.get("name", name) == name


def test_times_and_tables_are_parsed_as_botocore_parses_them(store: None) -> None:
    table = {"TableName": "t", "CreationDateTime": 1_700_000_000.5, "KeySchema": [{"AttributeName": "pk"}], "Odd": None}
    came = {"status_code": 200, "headers": {}, "body": json.dumps({"Table": table, "New": 1}).encode(), "context": {}}
    shape = _operation("DescribeTable").output_shape
    assert wire.Parser().parse(came, shape) == botocore.parsers.JSONParser().parse(came, shape)


def test_a_value_of_an_unknown_type_is_refused() -> None:
    with pytest.raises(TypeError, match="of type X"):
        wire.attribute_value({"X": "1"})


def test_the_parsers_of_botocore_are_never_used(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a later botocore reads values with another method, this is right but slow. This test detects it."""

    def never(*_: object, **__: object) -> None:
        raise AssertionError("botocore went its own way")

    monkeypatch.setattr(botocore.parsers.JSONParser, "_handle_blob", never)
    items.put("sites", {"pk": "A", "sk": "2", **VALUES})
    assert items.get("sites", "A", "2") == {"pk": "A", "sk": "2", **VALUES}
