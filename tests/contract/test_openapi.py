"""The OpenAPI document: valid, complete, with examples that hold."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from chalicelib.api import description
from chalicelib.api.shapes.named import NAMED
from chalicelib.domain.webhooks import bodies
from chalicelib.domain.webhooks.kinds import EVENT_KINDS
from chalicelib.http.errors import CODES
from chalicelib.http.openapi import EVERYWHERE, LIMIT_HEADERS, OF_MANY
from chalicelib.http.parameters import declared
from chalicelib.version import VERSION
from tests.api.client import described, document, followed, whole
from tests.api.operations import ENDPOINTS

# Codes that no operation of the description answers with, and why.
NOT_OF_AN_OPERATION = {
    "method_not_allowed": "is what other methods get",
    "foreign_origin": "is answered by /mcp only",
}


def _operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, operations in document()["paths"].items():
        for method in operations:
            yield path, method, described(path, method)


def _errors(schema: dict[str, Any], value: object) -> list[str]:
    whole = {**schema, "components": document()["components"]}
    return [error.message for error in Draft202012Validator(whole).iter_errors(value)]


def test_the_document_is_valid_openapi_3_1() -> None:
    OpenAPIV31SpecValidator(document()).validate()  # type: ignore[arg-type]
    assert document()["info"]["version"] == VERSION


def test_the_document_is_plain_json_without_vendor_extensions() -> None:
    text = json.dumps(document())
    assert json.loads(text) == document()
    assert '"x-' not in text


def test_the_served_document_is_at_most_300_kb() -> None:
    assert len(description.as_text("https://api.example.com/api/v1").encode()) <= 300_000


def test_operations_share_the_definitions_of_equal_error_responses() -> None:
    responses = document()["components"]["responses"]
    assert len({json.dumps(response) for response in responses.values()}) == len(responses)
    own = [
        json.dumps(response)
        for operations in document()["paths"].values()
        for operation in operations.values()
        for status, response in operation["responses"].items()
        if not status.startswith("2") and "$ref" not in response
    ]
    assert len(set(own)) == len(own)


def test_every_operation_is_in_the_document() -> None:
    found = list(_operations())
    assert len(found) == len(ENDPOINTS)
    assert len({operation["operationId"] for _, _, operation in found}) == len(found)
    for path, method, operation in found:
        assert operation["summary"], (path, method)
        assert operation["description"], (path, method)
        for parameter in operation["parameters"]:
            assert parameter["in"] == "path" or parameter["description"]


def test_the_alternative_spelling_of_a_parameter_has_no_default() -> None:
    """Generated clients send every default value, so they would send both spellings of the parameter."""
    also = {parameter.also for endpoint in ENDPOINTS for parameter in declared(endpoint.parameters) if parameter.also}
    assert "suggestionsOffset" in also
    for _, _, operation in _operations():
        for parameter in operation["parameters"]:
            assert parameter["name"] not in also or "default" not in parameter["schema"], parameter["name"]


def test_every_request_and_response_has_a_valid_example() -> None:
    for path, method, operation in _operations():
        contents = [operation["requestBody"]["content"]] if "requestBody" in operation else []
        contents += [
            response["content"] for status, response in operation["responses"].items() if status.startswith("2")
        ]
        for content in contents:
            main, *others = content.values()
            assert "example" in main, f"{method} {path} has no example in chalicelib/data/examples.json: make examples"
            assert _errors(main["schema"], main["example"]) == [], (path, method)
            assert not any("example" in other for other in others)  # files have what the JSON has


def test_the_error_codes_of_an_operation_are_listed_by_status() -> None:
    documented: set[str] = set()
    for endpoint in ENDPOINTS:
        responses = described(endpoint.path, endpoint.method)["responses"]
        for status, response in responses.items():
            if int(status) < 400:
                continue
            narrowed = response["content"]["application/json"]["schema"]["allOf"][1]
            codes = narrowed["properties"]["error"]["properties"]["code"]["enum"]
            assert all(CODES[code].status == int(status) for code in codes)
            documented.update(codes)
    assert documented | NOT_OF_AN_OPERATION.keys() == CODES.keys()
    assert not documented & NOT_OF_AN_OPERATION.keys()


def test_every_error_code_is_explained() -> None:
    for_all = document()["info"]["description"]
    assert all(f"- `{code}`: {CODES[code].meaning}\n" in for_all for code in OF_MANY)
    plain = {code for code, one in CODES.items() if one.is_of_parameter}
    assert "- `bad_` and the name of a parameter or member: " in for_all and all(
        code.startswith("bad_") for code in plain
    )
    for endpoint in ENDPOINTS:
        responses = described(endpoint.path, endpoint.method)["responses"]
        for code in set(endpoint.codes()) - {*OF_MANY, *plain}:
            told = responses[str(CODES[code].status)]["description"].split("\n")
            assert f"- `{code}`: {CODES[code].meaning}" in told, (endpoint.path, code)


def test_a_schema_has_a_name_only_if_it_is_used_at_least_twice() -> None:
    text = json.dumps(document())
    schemas = document()["components"]["schemas"]
    assert schemas.keys() >= NAMED.keys()
    once = {name for name in NAMED if text.count(f'"#/components/schemas/{name}"') < 2}
    assert once == set()


def test_only_public_operations_need_no_key() -> None:
    assert document()["security"] == [{"bearer": []}]
    public = {path for path, _, operation in _operations() if operation.get("security") == []}
    assert public == {"/openapi.json", "/plans", "/changelog"}


def test_headers_of_all_responses_are_defined_once() -> None:
    text, components = document()["info"]["description"], document()["components"]
    shared = {*EVERYWHERE, *LIMIT_HEADERS}
    assert all(f"`{name}`" in text and components["headers"][name]["description"] for name in shared)
    listed = {
        name
        for endpoint in ENDPOINTS
        for response in described(endpoint.path, endpoint.method)["responses"].values()
        for name in response.get("headers", {})
    }
    assert listed == components["headers"].keys() - shared


def test_responses_document_their_etag_and_location_headers() -> None:
    for endpoint in ENDPOINTS:
        operation = described(endpoint.path, endpoint.method)
        headers = operation["responses"][str(endpoint.status)].get("headers", {})
        assert ("ETag" in headers) == endpoint.stored
        answer = operation["responses"][str(endpoint.status)]["content"].get("application/json", {})
        names_poll = endpoint.method == "POST" and "poll" in _properties(answer["schema"])
        assert ("Location" in headers) == names_poll
        assert names_poll or endpoint.status != 202 or endpoint.scope == "content:write"


def _properties(schema: dict[str, Any]) -> dict[str, Any]:
    name = schema["$ref"].rpartition("/")[2]
    found: dict[str, Any] = whole(document()["components"]["schemas"][name])["properties"]
    return found


def test_vary_and_cors_headers_are_documented() -> None:
    for endpoint in ENDPOINTS:
        for status, response in described(endpoint.path, endpoint.method)["responses"].items():
            headers, read = response.get("headers", {}), endpoint.stored and int(status) < 400
            assert ("Vary" in headers) == read
            for name in ("Access-Control-Allow-Origin", "Access-Control-Expose-Headers"):
                assert (name in headers) == (endpoint.scope is None)


@pytest.mark.parametrize("kind", [*EVENT_KINDS, "ping"])
def test_every_webhook_event_is_documented_with_headers_and_an_example(kind: str) -> None:
    operation = document()["webhooks"][kind]["post"]
    content = operation["requestBody"]["content"]["application/json"]
    assert _errors(content["schema"], content["example"]) == []
    assert content["example"]["event"] == kind
    assert list(content["example"])[:4] == ["id", "event", "at", "workspaceId"]
    names = [followed(parameter)["name"] for parameter in operation["parameters"]]
    assert names == ["User-Agent", "X-Service-Event", "X-Service-Delivery", "X-Service-Signature"]
    common = {"id", "event", "at", "workspaceId", "siteId", "host", "link"}
    bodies.check(kind, {name: value for name, value in content["example"].items() if name not in common})
    assert ("siteId" in content["example"]) == (kind != "ping")


def test_the_schema_of_an_event_refuses_the_example_of_another_event() -> None:
    webhooks = document()["webhooks"]
    schema = webhooks["audit.finished"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    other = webhooks["score.changed"]["post"]["requestBody"]["content"]["application/json"]["example"]
    assert _errors(schema, other)


def test_schema_names_are_valid_identifiers() -> None:
    assert all(name.isidentifier() for name in document()["components"]["schemas"])
