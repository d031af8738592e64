"""The one error shape, on paths that no operation is behind, and when the service itself fails."""

import json
import logging

import pytest

from chalicelib.http import edge
from chalicelib.http.endpoints import Endpoint
from chalicelib.store import client as store_client
from chalicelib.store import items, keys
from tests.api import seed
from tests.api.client import Client, send
from tests.api.conftest import House
from tests.api.operations import ENDPOINTS, name, target


def test_an_unknown_path_returns_404_in_the_error_format() -> None:
    for path in ("/", "/api/v1", "/api/v1/nothing", "/api/v1/sites/a/b/c/d", "/api/v2/sites", "/favicon.ico"):
        received = send("GET", path, {"Authorization": "Bearer secret-of-somebody"})
        assert (received.status, received.code) == (404, "not_found")
        assert received.headers["x-request-id"]
        assert "secret-of-somebody" not in received.text


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=name)
def test_a_path_with_a_trailing_slash_is_not_found(house: House, endpoint: Endpoint) -> None:
    """A gateway may drop the slash, so that a request with an empty id would return the list."""
    wanted = target(endpoint, house)
    for path in (f"{wanted.path}/", f"{wanted.path}/?{wanted.query}"):
        received = Client(house.key).request(endpoint.method, path, body=wanted.body)
        assert (received.status, received.code) == (404, "not_found")
        assert received.json["error"]["message"] == "There is no such path."


def test_a_path_with_an_empty_id_does_not_return_the_list(house: House, api: Client) -> None:
    seed.audited(house.site)
    for path in ("/sites//issues", "/sites//", f"/sites/{house.site.id}//", f"/sites/{house.site.id}/issues//"):
        received = api.get(path)
        assert (received.status, received.code) == (404, "not_found"), path


@pytest.mark.parametrize("mark", [";", "#"])
def test_a_semicolon_or_hash_in_a_path_does_not_cut_off_the_id(house: House, api: Client, mark: str) -> None:
    """If a gateway cut this text off, the request would return the list or another website."""
    known = f"/sites/{house.site.id}"
    for path in (
        f"/sites/{mark}x",
        f"/sites/{mark}",
        f"{known}{mark}x",
        f"{known}/issues{mark}x",
        f"{known}/issues/{mark}x",
    ):
        for method in ("GET", "HEAD", "DELETE"):
            assert api.request(method, path).status == 404, (method, path)
    assert api.get(known).status == 200


def test_the_gateway_answers_an_unknown_path_with_json() -> None:
    status, headers, body = edge.unknown_path("req_1")
    assert (status, headers["X-Request-Id"], headers["Content-Type"]) == (404, "req_1", "application/json")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert json.loads(body)["error"]["code"] == "not_found"


def test_an_internal_error_reveals_nothing_but_its_request_id(
    house: House, api: Client, caplog: pytest.LogCaptureFixture
) -> None:
    _damage(house)
    received = api.get(f"/sites/{house.site.id}")
    assert received.status == 500
    error = received.json["error"]
    assert error == {
        "code": "internal",
        "message": "The service failed to answer.",
        "requestId": received.headers["x-request-id"],
    }
    assert received.headers["x-ratelimit-remaining"] == "1199"
    assert any(record.exc_info for record in caplog.records)


def _damage(house: House) -> None:
    items.update(
        "sites",
        *keys.website(house.workspace_id, house.site.id),
        "SET summary = :damaged",
        values={":damaged": b"no packed summary"},
    )


def test_the_error_answer_to_a_head_request_has_no_body(house: House, api: Client) -> None:
    _damage(house)
    received = api.request("HEAD", f"/sites/{house.site.id}")
    assert (received.status, received.text) == (500, "")


def test_keys_and_bodies_are_never_logged(
    house: House, api: Client, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    seed.settled(house.site)
    api.get("/sites")
    api.post(f"/sites/{house.site.id}/audits", {"pageBudget": "secret-in-a-body"})
    _damage(house)
    api.get(f"/sites/{house.site.id}")
    Client("wos_ws_" + "a" * 38).get("/sites")
    written = capsys.readouterr()
    lines = caplog.text + written.out + written.err + "".join(str(record.__dict__) for record in caplog.records)
    assert "answered" in lines
    for secret in (house.key, house.key.removeprefix("wos_ws_"), "secret-in-a-body", "a" * 38):
        assert secret not in lines


def test_every_answer_has_a_unique_request_id(api: Client) -> None:
    seen = {api.get("/plans").headers["x-request-id"] for _ in range(20)}
    assert len(seen) == 20


def test_an_answer_has_the_request_id_of_the_gateway(house: House) -> None:
    from app import app

    event = {
        "requestContext": {
            "httpMethod": "GET",
            "resourcePath": "/api/v1/plans",
            "path": "/live/api/v1/plans",
            "requestId": "gateway-1",
            "domainName": "abc.execute-api.example",
        },
        "headers": {"host": "abc.execute-api.example", "x-forwarded-proto": "https"},
        "multiValueQueryStringParameters": None,
        "pathParameters": {},
        "stageVariables": {},
        "body": None,
    }
    answer = app(event, None)
    assert answer["headers"]["X-Request-Id"] == "gateway-1"
    event["requestContext"] |= {"resourcePath": "/api/v1/openapi.json", "path": "/live/api/v1/openapi.json"}  # type: ignore[operator]
    described = json.loads(app(event, None)["body"])
    assert described["servers"] == [{"url": "https://abc.execute-api.example/live/api/v1"}]


def test_an_unavailable_store_is_an_internal_error(house: House, api: Client) -> None:
    store_client.dynamodb().delete_table(TableName=keys.table_name("issues"))
    try:
        assert api.get(f"/sites/{house.site.id}/issues").code == "internal"
    finally:
        from management import template

        template.create_all(store_client.dynamodb(), store_client.sqs())
