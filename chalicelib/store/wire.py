"""How requests to DynamoDB and SQS are written and their answers read: as botocore does it, for a part of the CPU.

botocore goes through a description of every value that there could be, which is most of what a call costs. What the
store sends has the form that travels already, and an attribute value has exactly one member, named after its type.
"""

from binascii import a2b_base64
from collections.abc import Mapping
from typing import Any

import msgspec
from botocore.parsers import JSONParser, ResponseParserFactory
from botocore.serialize import JSONSerializer

_VALUE = "AttributeValue"  # what DynamoDB's description calls the shape
_AS_THEY_CAME = frozenset({"S", "N", "BOOL", "NULL", "SS", "NS"})


class Serializer(JSONSerializer):
    """Writes the requests that botocore's own writes. ``msgspec`` writes bytes in base64, as they travel."""

    def serialize_to_request(self, parameters: Mapping[str, Any], operation_model: Any) -> Any:
        try:
            body = msgspec.json.encode(parameters)
        except UnicodeEncodeError:  # half a surrogate pair: the store that is asked says what it thinks of it
            return super().serialize_to_request(parameters, operation_model)
        return {**super().serialize_to_request({}, operation_model), "body": body}


class Parser(JSONParser):
    """Reads what botocore's own reads. ``_handle_map`` and ``_parse_body_as_json`` are no public names of botocore:
    should a later version ask others, answers are read as before, and a test fails."""

    def _parse_body_as_json(self, body_contents: bytes) -> Any:
        try:
            return msgspec.json.decode(body_contents)
        except msgspec.DecodeError:  # nothing, no JSON, or half a surrogate pair in it
            return super()._parse_body_as_json(body_contents)  # type: ignore[misc]

    def _handle_map(self, shape: Any, value: Any) -> Any:
        if shape.value.name == _VALUE:
            return {name: each if "S" in each else attribute_value(each) for name, each in value.items()}
        return super()._handle_map(shape, value)  # type: ignore[misc]


class Parsers(ResponseParserFactory):
    """Makes the parser of a protocol: ours for JSON, botocore's for others."""

    def create_parser(self, protocol_name: str) -> Any:
        return Parser() if protocol_name == "json" else super().create_parser(protocol_name)


def attribute_value(value: dict[str, Any]) -> Mapping[str, Any]:
    """An attribute value as it came, what is binary in it decoded."""
    ((kind, content),) = value.items()
    if kind in _AS_THEY_CAME:
        return value
    match kind:
        case "B":
            return {kind: a2b_base64(content)}
        case "M":
            return {kind: {name: attribute_value(member) for name, member in content.items()}}
        case "L":
            return {kind: [attribute_value(member) for member in content]}
        case "BS":
            return {kind: [a2b_base64(member) for member in content]}
    raise TypeError(f"DynamoDB has no attribute values of type {kind}")
