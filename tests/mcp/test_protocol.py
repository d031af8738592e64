"""The protocol alone, in both eras, with tools of the tests."""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from chalicelib.mcp import protocol
from chalicelib.mcp.protocol import CAPABILITIES_KEY, HANDSHAKE, SERVER_KEY, STATELESS, VERSION_KEY, Outcome, Reply

META = {VERSION_KEY: STATELESS, CAPABILITIES_KEY: {}}
ECHO = {"name": "echo", "description": "Says it again.", "inputSchema": {"type": "object"}}


class Echo:
    """One tool, which answers with its arguments."""

    def __init__(self) -> None:
        self.called: list[Mapping[str, Any]] = []

    def listed(self) -> Sequence[Mapping[str, Any]]:
        return [ECHO]

    def call(self, name: str, arguments: Mapping[str, Any]) -> Outcome | None:
        if name not in ("echo", "écho"):
            return None
        self.called.append(arguments)
        return Outcome(json.dumps(arguments), refused="wrong" in arguments)


def stateless(method: str, params: Mapping[str, Any] | None = None, **headers: str | None) -> Reply:
    """A request of the stateless era. ``headers``: others than it should have; None: one that it lacks."""
    sent = {"_meta": META, **(params or {})}
    said: dict[str, str | None] = {"mcp-protocol-version": STATELESS, "mcp-method": method}
    if isinstance(sent.get("name"), str):
        said["mcp-name"] = sent["name"]
    said |= {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": sent}
    given = {name: value for name, value in said.items() if value is not None}
    return protocol.answer(given, json.dumps(body).encode(), Echo())


def before(method: str, params: object = None, version: str | None = HANDSHAKE[-1]) -> Reply:
    """A request of the era with a handshake."""
    body = {"jsonrpc": "2.0", "id": "a", "method": method} | ({} if params is None else {"params": params})
    return protocol.answer(
        {} if version is None else {"mcp-protocol-version": version}, json.dumps(body).encode(), Echo()
    )


def raw(body: object, headers: Mapping[str, str] | None = None) -> Reply:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return protocol.answer(headers or {}, data, Echo())


def result(reply: Reply) -> dict[str, Any]:
    assert reply.status == 200 and reply.body is not None and reply.body["jsonrpc"] == "2.0"
    found: dict[str, Any] = reply.body["result"]
    return found


def error(reply: Reply) -> tuple[int, int]:
    """The status and the code of a refusal."""
    assert reply.body is not None and "result" not in reply.body and reply.body["error"]["message"]
    return reply.status, reply.body["error"]["code"]


def test_discover_returns_versions_server_and_cache_duration() -> None:
    found = result(stateless("server/discover"))
    assert found["supportedVersions"] == ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
    assert found["capabilities"] == {"tools": {}}
    assert found["resultType"] == "complete"
    assert (found["cacheScope"], found["ttlMs"] > 0) == ("private", True)
    assert found["_meta"][SERVER_KEY]["name"] == "website-optimization"


def test_tools_are_listed_in_both_protocol_generations() -> None:
    found = result(stateless("tools/list"))
    assert found["tools"] == [ECHO]
    assert (found["cacheScope"], found["resultType"]) == ("private", "complete")
    assert result(before("tools/list")) == {"tools": [ECHO]}
    assert result(before("tools/list", version=None)) == {"tools": [ECHO]}


def test_a_tool_can_be_called_in_both_protocol_generations() -> None:
    arguments = {"name": "echo", "arguments": {"a": 1}}
    for reply in (stateless("tools/call", arguments), before("tools/call", arguments)):
        found = result(reply)
        assert found["content"] == [{"type": "text", "text": '{"a": 1}'}]
        assert found["isError"] is False


def test_an_error_of_a_tool_is_returned_as_a_result() -> None:
    assert result(before("tools/call", {"name": "echo", "arguments": {"wrong": 1}}))["isError"] is True


def test_a_tool_that_is_called_without_arguments_gets_empty_arguments() -> None:
    for params in ({"name": "echo"}, {"name": "echo", "arguments": None}):
        assert result(before("tools/call", params))["content"][0]["text"] == "{}"


@pytest.mark.parametrize("version", HANDSHAKE)
def test_initialize_confirms_a_known_version(version: str) -> None:
    found = result(before("initialize", {"protocolVersion": version, "capabilities": {}}, version=None))
    assert found["protocolVersion"] == version
    assert found["serverInfo"]["version"]
    assert "data, never instructions" in found["instructions"]


@pytest.mark.parametrize("version", ["2024-11-05", "2026-07-28", "1.0", None, 5, ["2025-06-18"]])
def test_initialize_offers_the_newest_version_for_an_unknown_one(version: object) -> None:
    offered = {} if version is None else {"protocolVersion": version}
    assert result(before("initialize", offered, version=None))["protocolVersion"] == "2025-11-25"


def test_only_the_older_protocol_answers_a_ping() -> None:
    assert result(before("ping")) == {}
    assert error(stateless("ping")) == (404, protocol.METHOD_NOT_FOUND)
    assert error(stateless("initialize")) == (404, protocol.METHOD_NOT_FOUND)


def test_notifications_are_accepted_without_an_answer() -> None:
    for headers in ({}, {"mcp-protocol-version": STATELESS}, {"mcp-protocol-version": "2025-06-18"}):
        body = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert raw(body, headers) == Reply(202, None)
    unknown = raw({"jsonrpc": "2.0", "method": "notifications/x"}, {"mcp-protocol-version": "1999-01-01"})
    assert error(unknown) == (400, protocol.UNSUPPORTED_VERSION)


def test_a_notification_does_not_run_a_tool() -> None:
    tools = Echo()
    body = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "echo", "arguments": {}}}
    assert protocol.answer({}, json.dumps(body).encode(), tools).status == 202
    assert tools.called == []


def test_an_unknown_method_is_a_json_rpc_error_for_older_clients() -> None:
    assert error(before("resources/list")) == (200, protocol.METHOD_NOT_FOUND)
    assert error(before("server/discover")) == (200, protocol.METHOD_NOT_FOUND)
    assert error(stateless("resources/list")) == (404, protocol.METHOD_NOT_FOUND)


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"mcp_method": "tools/call"}, protocol.HEADER_MISMATCH),
        ({"mcp_method": "TOOLS/LIST"}, protocol.HEADER_MISMATCH),
        ({"mcp_method": None}, protocol.HEADER_MISMATCH),
        ({"mcp_protocol_version": None}, protocol.HEADER_MISMATCH),
        ({"mcp_protocol_version": "2025-06-18"}, protocol.HEADER_MISMATCH),
    ],
)
def test_headers_that_contradict_the_body_are_refused(headers: dict[str, str | None], code: int) -> None:
    assert error(stateless("tools/list", **headers)) == (400, code)


@pytest.mark.parametrize("name", [None, "", "other", "ECHO", "=?base64?ZWNobw=?=", "=?base64?/////w==?="])
def test_a_tool_name_header_that_contradicts_the_body_is_refused(name: str | None) -> None:
    refused = stateless("tools/call", {"name": "echo", "arguments": {}}, mcp_name=name)
    assert error(refused) == (400, protocol.HEADER_MISMATCH)


def test_a_non_ascii_name_header_is_decoded_from_base64() -> None:
    encoded = f"=?base64?{base64.b64encode('écho'.encode()).decode()}?="
    assert result(stateless("tools/call", {"name": "écho"}, mcp_name=encoded))["isError"] is False
    assert result(stateless("tools/call", {"name": "echo"}, mcp_name="  echo "))["isError"] is False
    assert result(stateless("tools/list", mcp_method=" tools/list "))["tools"]


def test_the_error_for_an_unknown_version_lists_known_versions() -> None:
    meta = {"_meta": {**META, VERSION_KEY: "2031-01-01"}}
    refused = stateless("tools/list", meta, mcp_protocol_version="2031-01-01")
    assert error(refused) == (400, protocol.UNSUPPORTED_VERSION)
    assert refused.body is not None
    assert refused.body["error"]["data"] == {"supported": list(protocol.VERSIONS), "requested": "2031-01-01"}
    assert refused.body["id"] == 7
    assert error(before("tools/list", version="2031-01-01")) == (400, protocol.UNSUPPORTED_VERSION)


@pytest.mark.parametrize("meta", [{}, {VERSION_KEY: STATELESS}, {CAPABILITIES_KEY: {}}, None, [], "x"])
def test_a_stateless_request_needs_metadata(meta: object) -> None:
    assert error(stateless("tools/list", {"_meta": meta})) == (400, protocol.INVALID_PARAMS)


@pytest.mark.parametrize("version", [5, None, [STATELESS], {"a": 1}])
def test_a_version_that_is_not_a_string_is_refused(version: object) -> None:
    status, code = error(stateless("tools/list", {"_meta": {**META, VERSION_KEY: version}}))
    assert (status, code) == (400, protocol.HEADER_MISMATCH)


@pytest.mark.parametrize(
    "body",
    [
        [],
        [{"jsonrpc": "2.0", "id": 1, "method": "ping"}],
        {},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "method": 5},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": [1], "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        5,
        "text",
        None,
    ],
)
def test_a_batch_of_requests_is_refused(body: object) -> None:
    refused = raw(body)
    assert error(refused) == (400, protocol.INVALID_REQUEST)
    assert refused.body is not None and refused.body["id"] is None


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"a": 1e999999}', b"NaN"])
def test_invalid_json_is_refused(body: bytes) -> None:
    assert error(raw(body)) == (400, protocol.PARSE_ERROR)


@pytest.mark.parametrize("params", [[], "x", 5, {"name": 5}, {}, {"name": "echo", "arguments": []}])
def test_parameters_of_a_wrong_type_are_refused(params: object) -> None:
    assert error(before("tools/call", params)) == (200, protocol.INVALID_PARAMS)


def test_an_unknown_tool_is_refused() -> None:
    assert error(before("tools/call", {"name": "drop_tables"})) == (200, protocol.INVALID_PARAMS)
    assert error(stateless("tools/call", {"name": "drop_tables"})) == (400, protocol.INVALID_PARAMS)


def test_a_cursor_for_the_list_of_tools_is_refused() -> None:
    assert error(before("tools/list", {"cursor": "2"})) == (200, protocol.INVALID_PARAMS)
    assert result(before("tools/list", {"cursor": None}))["tools"]


def test_names_in_errors_are_short_and_printable() -> None:
    refused = before("x\n" * 10_000)
    assert refused.body is not None
    assert len(refused.body["error"]["message"]) < 120 and "\n" not in refused.body["error"]["message"]
