"""POST /mcp over HTTP: keys and limits of the API, and what is answered before the protocol."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib import api
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.mcp import room, tools
from chalicelib.mcp.protocol import CAPABILITIES_KEY, STATELESS, VERSION_KEY
from chalicelib.mcp.tool import Asked
from chalicelib.operations import accounts
from chalicelib.settings.reading import forget_settings
from tests import aws
from tests.api import seed
from tests.api.client import Client, Received, send
from tests.api.conftest import House
from tests.api.operations import use_up
from tests.mcp.client import PATH, Assistant

PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'


def code(received: Received, status: int) -> str:
    assert received.status == status, received.text
    return received.code


def test_a_request_without_a_valid_key_is_unauthorized(house: House) -> None:
    for key in (None, "nonsense", "wos_ws_" + "a" * 38):
        refused = Assistant(key).post(PING)
        assert code(refused, 401) == "unauthorized"
        assert refused.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "path",
    [
        *("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"),
        *("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/register", "/authorize"),
        *("/mcp/x", "/mcp/x/y", "/api/v1/mcp"),
    ],
)
def test_other_paths_below_the_endpoint_are_not_found(path: str, house: House) -> None:
    for method in ("GET", "POST"):
        assert code(send(method, path, {"Authorization": f"Bearer {house.key}"}), 404) == "not_found"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH"])
def test_other_methods_are_refused(method: str, house: House) -> None:
    refused = send(method, PATH, {"Authorization": f"Bearer {house.key}"})
    assert code(refused, 405) == "method_not_allowed"
    assert refused.headers["allow"] == "POST"


def test_a_head_request_has_no_body(house: House) -> None:
    refused = send("HEAD", PATH)
    assert (refused.status, refused.text) == (405, "")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost.evil.example", "http://localhost:1", "x"]
)
def test_requests_from_pages_of_other_websites_are_refused(origin: str, house: House) -> None:
    refused = Assistant(house.key).post(PING, Origin=origin)
    assert code(refused, 403) == "foreign_origin"
    assert "access-control-allow-origin" not in refused.headers


def test_a_foreign_host_header_is_refused(house: House) -> None:
    refused = Assistant(house.key).post(PING, Origin="http://evil.example", Host="evil.example")
    assert code(refused, 403) == "foreign_origin"


@pytest.mark.parametrize("headers", [{}, {"Origin": "http://127.0.0.1:8000"}, {"Origin": "https://app.example.com"}])
def test_requests_without_a_browser_or_from_own_pages_are_answered(headers: dict[str, str], house: House) -> None:
    assert Assistant(house.key).post(PING, Host="127.0.0.1:8000", **headers).json["result"] == {}


def test_a_tool_call_counts_as_one_request(house: House, assistant: Assistant) -> None:
    seed.settled(house.site)
    first = assistant.post(PING)
    assistant.read("list_issues", siteId=house.site.id, status=["ignored"])
    second = assistant.post(PING)
    left = [int(one.headers["x-ratelimit-remaining"]) for one in (first, second)]
    assert left[0] - left[1] == 2
    assert second.headers["ratelimit-policy"] == '"hourly";q=1200;w=3600'


def test_the_1201st_request_of_an_hour_is_refused(house: House, assistant: Assistant) -> None:
    use_up(house.key)
    refused = assistant.post(PING)
    assert code(refused, 429) == "rate_limited"
    assert int(refused.headers["retry-after"]) > 0
    assert Client(house.key).get("/sites").status == 429


def test_fifty_connections_of_one_client_are_answered(house: House) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}})

    def connect(_: int) -> int:
        return Assistant(house.key).post(body).status

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(connect, range(50))) == {200}


def test_a_removed_person_is_refused(house: House, assistant: Assistant) -> None:
    accounts.add_person(OPERATOR, house.workspace_id, "second@acme.example", "owner")
    accounts.remove_person(OPERATOR, house.workspace_id, house.person_id)
    assert code(assistant.post(PING), 403) == "owner_lost_access"


def test_a_body_above_one_million_bytes_is_refused(assistant: Assistant) -> None:
    arguments = {"siteId": "x" * 1_000_000}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_site", "arguments": arguments}}
    assert code(assistant.post(json.dumps(body)), 413) == "too_large"


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_content_types_that_an_html_form_can_send_are_refused(assistant: Assistant, content_type: str) -> None:
    assert code(assistant.post(PING, Content_Type=content_type), 415) == "unsupported_media_type"


def test_batches_of_requests_are_refused(assistant: Assistant) -> None:
    assert assistant.post(f"[{PING}]").status == 400


def test_a_notification_is_answered_without_a_body(assistant: Assistant) -> None:
    taken = assistant.post('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    assert (taken.status, taken.text) == (202, "")


def test_stateless_requests_work_over_http(assistant: Assistant) -> None:
    meta = {VERSION_KEY: STATELESS, CAPABILITIES_KEY: {}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_sites", "_meta": meta}}
    headers = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": "tools/call", "Mcp-Name": "list_sites"}
    answer = assistant.post(json.dumps(body), **headers)
    assert answer.json["result"]["resultType"] == "complete"
    assert assistant.post(json.dumps(body), **{**headers, "Mcp-Name": "get_site"}).status == 400


@pytest.fixture
def switched(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    yield monkeypatch
    monkeypatch.undo()
    forget_settings()


@pytest.mark.parametrize("off", ["mcp", "api", "sites, mcp"])
def test_the_endpoint_can_be_switched_off(
    house: House, assistant: Assistant, switched: pytest.MonkeyPatch, off: str
) -> None:
    switched.setenv("SWITCHED_OFF", off)
    forget_settings()
    assert code(assistant.post(PING), 503) == "switched_off"


def test_a_tool_of_a_switched_off_group_is_refused(
    house: House, assistant: Assistant, switched: pytest.MonkeyPatch
) -> None:
    switched.setenv("SWITCHED_OFF", "pages")
    forget_settings()
    assert assistant.call("find_pages", siteId=house.site.id).error["code"] == "switched_off"
    assert not assistant.call("get_site", siteId=house.site.id).refused


def test_an_internal_error_of_a_tool_reveals_no_details(
    house: House, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(asked: Asked, *arguments: object) -> None:
        raise RuntimeError("secret of the inside")

    monkeypatch.setattr(Asked, "ask", fail)
    refused = assistant.call("get_site", siteId=house.site.id)
    assert refused.error["code"] == "internal" and refused.error["requestId"]
    assert "secret" not in refused.text


def test_the_endpoint_is_registered_with_its_tools() -> None:
    assert room.ROOM.name in api.ROOMS
    assert len(tools.BY_NAME) == len(tools.TOOLS) == 15


def test_a_tool_call_makes_few_aws_calls(house: House, assistant: Assistant) -> None:
    """As over HTTP, a call reads the key, the website and the data of the endpoint."""
    seed.settled(house.site)
    assistant.read("list_actions", siteId=house.site.id)
    with aws.counted_calls() as calls:
        assistant.read("list_actions", siteId=house.site.id)
    assert calls.total() == 3
