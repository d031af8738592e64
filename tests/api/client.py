"""A client of the whole API in this process: gateway, middleware, view, embedded store. With ``TARGET=stack`` the
gateway is that of the packaged template, and each endpoint group a function of its own.

Every answer is checked against the OpenAPI document: its status and error code are documented for the operation,
its documented headers are there, its body has the documented shape and no member more.
"""

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlsplit

from chalice.local import LocalGateway, LocalGatewayException, RouteMatcher
from jsonschema_rs import Draft202012Validator

from app import app
from chalicelib.api import description
from chalicelib.http import edge, openapi
from chalicelib.http.endpoints import BASE_PATH
from host.server import local_gateway
from tests.plugins.stack import target as target_of_run

# The documented headers that an answer need not have.
OPTIONAL_HEADERS = {"Idempotency-Replayed", "Retry-After", "Content-Disposition"}
HEADERS_OF_HTTP = {"content-type", "content-length"}  # OpenAPI describes them by itself
METHODS_WITHOUT_OPERATION = {"OPTIONS", "HEAD"}


@dataclass(frozen=True)
class Received:
    """An answer as it left the gateway; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str:
        code: str = self.json["error"]["code"]
        return code


@lru_cache(maxsize=1)
def document() -> dict[str, Any]:
    return description.document("http://localhost/api/v1")


def described(path: str, method: str) -> dict[str, Any]:
    """An operation of the document, with its shared responses and parameters in place of references."""
    operation: dict[str, Any] = document()["paths"][path][method.lower()]
    return operation | {
        "responses": {status: followed(response) for status, response in operation["responses"].items()},
        "parameters": [followed(parameter) for parameter in operation["parameters"]],
    }


def followed(item: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in item:
        return item
    _, _, kind, name = item["$ref"].split("/")
    found: dict[str, Any] = document()["components"][kind][name]
    return found


def whole(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a shape, with the members of the one that it extends."""
    if "allOf" not in schema:
        return schema
    extended, own = schema["allOf"]
    base = whole(document()["components"]["schemas"][extended["$ref"].rpartition("/")[2]])
    return {
        "type": "object",
        "properties": base["properties"] | own["properties"],
        "required": [*base.get("required", ()), *own["required"]],
    }


@lru_cache(maxsize=1)
def _closed_document() -> dict[str, Any]:
    """The document with every object closed, so that a member that is not described is found."""
    closed = copy.deepcopy(document())
    schemas = closed["components"]["schemas"]
    for name in schemas:
        schemas[name] = schema = whole(schemas[name])
        if schema.get("type") == "object" and "properties" in schema:
            schema.setdefault("additionalProperties", False)
    return closed


@lru_cache(maxsize=1)
def gateway() -> LocalGateway:
    return local_gateway(app)


def send(
    method: str, target: str, headers: Mapping[str, str] | None = None, body: bytes | str | None = None
) -> Received:
    """Send a request to the gateway, unchecked. ``target`` is the path with its query, as it is written."""
    data = body.encode() if isinstance(body, str) else body
    if target_of_run() == "stack":
        return _send_to_stack(method, target, headers, data)
    try:
        answer = gateway().handle_request(method, target, dict(headers or {}), data)
    except (LocalGatewayException, UnicodeEncodeError):  # as the local server has it
        status, answered, text = edge.unknown_path("req_unknown")
        return Received(status, {name.lower(): value for name, value in answered.items()}, text)
    assert not answer.get("isBase64Encoded")
    found = {name.lower(): value for name, value in answer["headers"].items()}
    return Received(answer["statusCode"], found, answer["body"])


def _send_to_stack(method: str, target: str, headers: Mapping[str, str] | None, body: bytes | None) -> Received:
    from tests.stack import created
    from tests.stack.gateway import REMAPPED

    gateway = created.gateway()
    answer = gateway.request(method, f"/{gateway.stage}{target}", headers, body)
    names = {renamed.lower(): name for name, renamed in REMAPPED.items()}  # as docs/operating.md tells callers
    found = {names.get(name.lower(), name.lower()): value for name, value in answer.headers.items()}
    return Received(answer.status, found, answer.body.decode())


class Client:
    """Sends requests with a key, checks every answer against the document."""

    def __init__(self, key: str | None = None) -> None:
        self.key = key

    def request(
        self, method: str, path: str, *, headers: Mapping[str, str] | None = None, body: bytes | str | None = None
    ) -> Received:
        given = dict(headers or {})
        if self.key is not None:
            given.setdefault("Authorization", f"Bearer {self.key}")
        received = send(method, BASE_PATH + path, given, body)
        check(method, path, received)
        return received

    def get(self, path: str, **headers: str) -> Received:
        return self.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def post(self, path: str, body: object = None, **headers: str) -> Received:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            given.setdefault("Content-Type", "application/json")
        return self.request("POST", path, headers=given, body=None if body is None else json.dumps(body))


def check(method: str, path: str, received: Received) -> None:
    """Assert that the answer is one that the document describes."""
    assert received.headers["x-request-id"]
    if received.status >= 400 and method != "HEAD":
        _check_error_shape(received)
    if received.status == 405:
        assert "OPTIONS" in received.headers["allow"]
        return
    operation = _operation("GET" if method == "HEAD" else method, path)
    if operation is None:
        return
    described = operation["responses"].get(str(received.status))
    assert described is not None, f"{method} {path} answers {received.status}, which is not documented"
    names = {*described.get("headers", {}), *openapi.EVERYWHERE}
    if operation.get("security") != [] and received.status not in (401, 503):
        names.update(openapi.LIMIT_HEADERS)
    for name in names:
        optional = name in OPTIONAL_HEADERS or (received.status == 500 and "RateLimit" in name)
        assert optional or name.lower() in received.headers, f"{method} {path} lacks {name}"
    unknown = received.headers.keys() - {name.lower() for name in names} - HEADERS_OF_HTTP
    assert not unknown, f"{method} {path} answers {received.status} with headers that are not described"
    if method == "HEAD" or "content" not in described:
        assert received.text == ""
        return
    media_type = received.headers["content-type"].split(";")[0]
    assert media_type in described["content"]
    if media_type == "application/json":
        _check_body(described["content"][media_type]["schema"], received.json)


def _operation(method: str, path: str) -> dict[str, Any] | None:
    routes = [BASE_PATH + route for route in document()["paths"]]
    asked = path.partition("?")[0]
    if asked.endswith("/") or ";" in asked or "#" in asked:
        return None
    try:
        route = RouteMatcher(routes).match_route(BASE_PATH + urlsplit(path).path).route
    except ValueError:
        return None
    path = route.removeprefix(BASE_PATH)
    return described(path, method) if method.lower() in document()["paths"][path] else None


def _check_error_shape(received: Received) -> None:
    body = received.json
    assert body.keys() == {"error"}
    assert isinstance(body["error"]["code"], str)
    assert isinstance(body["error"]["message"], str)
    assert body["error"]["message"]


def _check_body(schema: dict[str, Any], body: object) -> None:
    _validator(json.dumps(schema, sort_keys=True)).validate(body)


def _is_any_text(_: str) -> bool:
    """Addresses are not checked: those of pages may hold letters that the format does not allow."""
    return True


@cache
def _validator(schema: str) -> Draft202012Validator:
    """The compiled validator of a schema, which is given as JSON. There is one for each documented answer."""
    whole = json.loads(schema) | {"components": _closed_document()["components"]}
    return Draft202012Validator(whole, validate_formats=True, formats={"uri": _is_any_text})
