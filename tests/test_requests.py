"""The faster serializer of requests gives the requests of botocore's own, and refuses the same ones."""

import json
from typing import Any

import botocore.serialize
import pytest
from botocore.serialize import JSONSerializer

from chalicelib.store import client
from tests.plugins import requests

VALUES = (
    *({"S": "Überlänge"}, {"S": "half a pair: \ud800"}, {"N": "-1.50"}, {"B": b"\x00\xff"}, {"B": "already text"}),
    *({"BOOL": False}, {"NULL": True}, {"SS": ["a", "b"]}, {"NS": ["1", "2"]}, {"BS": [b"a", b"\xfe"]}),
    *({"L": [{"B": b"z"}, {"M": {}}]}, {"M": {"inner": {"B": b""}, "list": {"L": []}}}),
)
ITEM = {f"member{number}": value for number, value in enumerate(VALUES)}


def both(monkeypatch: pytest.MonkeyPatch, operation: str, parameters: dict[str, Any]) -> list[Any]:
    """The body of a request by this serializer and by botocore's, or the name of their error."""
    dynamodb: Any = client.dynamodb()

    def serialized() -> Any:
        try:
            model = dynamodb.meta.service_model.operation_model(operation)
            return json.loads(dynamodb._serializer.serialize_to_request(parameters, model)["body"])
        except Exception as error:
            return repr(error)

    fast = serialized()
    monkeypatch.setattr(JSONSerializer, "_serialize_type_structure", requests.STRUCTURE)
    monkeypatch.setattr(JSONSerializer, "_serialize_type_map", requests.MAP)
    monkeypatch.setattr(botocore.serialize, "json", json)
    return [fast, serialized()]


@pytest.mark.parametrize(
    ("operation", "parameters"),
    [
        ("PutItem", {"TableName": "t", "Item": ITEM, "ConditionExpression": "attribute_not_exists(pk)"}),
        *[("PutItem", {"TableName": "t", "Item": {"one": value}}) for value in VALUES],
        ("Query", {"TableName": "t", "ExpressionAttributeValues": {":a": VALUES[0], ":b": VALUES[3]}, "Limit": 3}),
        ("GetItem", {"TableName": "t", "Key": {"pk": {"S": "a"}}, "ConsistentRead": True}),
        ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": "t", "Item": ITEM}}]}),
        ("BatchWriteItem", {"RequestItems": {"t": [{"PutRequest": {"Item": ITEM}}]}}),
        ("PutItem", {"TableName": "t", "Item": {"one": {"X": "no type"}}}),
        ("PutItem", {"TableName": "t", "Item": {"one": {"M": {"inner": {"X": "no type"}}}}}),
        ("PutItem", {"TableName": "t", "Itemm": {}}),
        ("TransactWriteItems", {"TransactItems": [{"Putt": {}}]}),
    ],
)
def test_requests_are_encoded_exactly_as_botocore_encodes_them(
    embedded_aws: None, monkeypatch: pytest.MonkeyPatch, operation: str, parameters: dict[str, Any]
) -> None:
    fast, original = both(monkeypatch, operation, parameters)
    assert fast == original
