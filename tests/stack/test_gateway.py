"""The gateway sends each path to its function as AWS does, answers in our shape itself, and hides no wrong route."""

import base64
import copy
import json
from typing import Any

import pytest

from chalicelib import api
from chalicelib.http.endpoints import BASE_PATH
from chalicelib.http.errors import CODES
from chalicelib.settings.reading import forget_settings
from chalicelib.web import static
from infra.functions import FUNCTIONS
from tests.api.conftest import House
from tests.plugins.stack import template
from tests.stack import created
from tests.stack.gateway import DOMAIN, LARGEST_PAYLOAD, LARGEST_REQUEST, Answer, Function, Gateway

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("store")]

PATHS = {path: name for name in api.GROUPS for path in api.load(name).paths()}
VALUES = {"siteId": "site_1", "issueId": "iss_1", "pageId": "page_1", "auditId": "crawl_1", "jobId": "job_1"}


# What functions answer beside the API, by the group that their variable names.
BESIDE = {
    name: {f"/{path}", f"/{path}/{{rest+}}"} for name, path in (("web", "app"), ("mcp", "mcp"), ("public", "docs"))
}


def filled(path: str) -> str:
    for name, value in VALUES.items():
        path = path.replace(f"{{{name}}}", value)
    return path


def send(method: str, path: str, headers: dict[str, str] | None = None, body: bytes | None = None) -> Answer:
    return created.gateway().request(method, f"/live{BASE_PATH}{path}", headers, body)


def error(answer: Answer) -> dict[str, Any]:
    body = json.loads(answer.body)
    assert set(body) == {"error"}
    found: dict[str, Any] = body["error"]
    assert CODES[found["code"]].status == answer.status
    assert answer.headers["X-Request-Id"]
    return found


def rerouted(path: str, function: str) -> Gateway:
    """The stack's gateway, but one path calls another function."""
    wrong = copy.deepcopy(template())
    for methods in wrong["Resources"]["RestAPI"]["Properties"]["Body"]["paths"][BASE_PATH + path].values():
        methods["x-amazon-apigateway-integration"]["uri"] = {"Fn::Sub": f"functions/${{{function}.Arn}}/invocations"}
    return Gateway(wrong, {name: one.environment_vars for name, one in created.functions().items()})


@pytest.mark.parametrize("path", PATHS)
def test_every_path_is_answered_by_the_function_of_its_group_only(path: str) -> None:
    gateway = created.gateway()
    found = gateway._match(f"{BASE_PATH}{filled(path)}")
    assert found is not None and found[0] == BASE_PATH + path
    answer = send("OPTIONS", filled(path))
    assert answer.status == 204
    assert "OPTIONS" in answer.headers["Allow"]
    group = PATHS[path]
    functions = [one for one in gateway.functions.values() if one.groups == group]
    assert len(functions) == sum(one.group == group for one in FUNCTIONS)
    for own in functions:
        assert set(own._app.routes) == {BASE_PATH + one for one in api.load(group).paths()} | BESIDE.get(group, set())


def test_a_path_routed_to_the_wrong_function_fails() -> None:
    wrong = rerouted("/plans", "ApiSites")
    assert wrong.request("GET", f"/live{BASE_PATH}/plans").status == 500
    assert wrong.request("GET", f"/live{BASE_PATH}/changelog").status == 200
    assert send("GET", "/plans").status == 200


def test_a_function_without_its_group_variable_has_every_route() -> None:
    """So only this variable limits a function to its group, which the test above checks."""
    assert len(Function("Every", "python3.11", "app.app", {})._app.routes) == len(PATHS) + sum(
        map(len, BESIDE.values())
    )


@pytest.mark.parametrize("path", ["/app", "/app/sessions", "/app/sites/site_1/issues/iss_1", "/app/a/b/c/d"])
def test_app_paths_are_answered_in_html_by_the_web_function(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("APP_URL", raising=False)
    forget_settings()
    gateway = created.gateway()
    for function, groups in (("Web", "web"), ("WebAct", "web")):
        assert gateway.functions[function].groups == groups
        assert set(gateway.functions[function]._app.routes) == BESIDE["web"]
    answer = gateway.request("GET", f"/live{path}")
    assert answer.headers["Content-Type" if answer.status == 404 else "Location"].startswith(("text/html", "/live/app"))
    posted = gateway.request("POST", f"/live{path}", {"Sec-Fetch-Site": "cross-site"})
    assert posted.headers["Content-Type"].startswith("text/html") and posted.status in (403, 404, 405)


def test_a_style_sheet_is_served_as_text() -> None:
    asset = static.assets()["app.css"]
    answer = created.gateway().request("GET", f"/live/app/static/{asset.address}")
    assert (answer.status, answer.body.decode()) == (200, asset.body)


@pytest.mark.parametrize("path", ["/nothing", "/sites/site_1/nothing", "/sites//audits", ""])
def test_an_unknown_path_returns_an_error_in_the_format_of_the_api(path: str) -> None:
    assert error(send("GET", path))["code"] == "not_found"


def test_an_undeclared_method_reaches_no_function() -> None:
    assert error(send("TRACE", "/plans"))["code"] == "not_found"
    answer = send("DELETE", "/plans")
    assert error(answer)["code"] == "method_not_allowed"
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"


def test_a_path_without_the_stage_is_forbidden() -> None:
    assert created.gateway().request("GET", f"{BASE_PATH}/plans").status == 403
    assert created.gateway().request("GET", f"/lively{BASE_PATH}/plans").status == 403


def test_a_literal_path_is_preferred_to_a_parameter() -> None:
    found = created.gateway()._match(f"{BASE_PATH}/sites/site_1/pages/findings")
    assert found is not None and found[0] == f"{BASE_PATH}/sites/{{siteId}}/pages/findings"


@pytest.mark.parametrize("size", [LARGEST_REQUEST + 1, LARGEST_PAYLOAD])
def test_a_body_that_is_too_large_is_refused_by_the_gateway(house: House, size: int) -> None:
    headers = {"Authorization": f"Bearer {house.key}", "Content-Type": "application/json"}
    assert error(send("POST", f"/sites/{house.site.id}/audits", headers, b" " * size))["code"] == "too_large"


def test_a_body_too_large_for_an_endpoint_is_refused_by_the_function(house: House) -> None:
    headers = {"Authorization": f"Bearer {house.key}", "Content-Type": "application/json"}
    assert error(send("POST", f"/sites/{house.site.id}/audits", headers, b" " * 1_000_001))["code"] == "too_large"


def test_a_binary_body_reaches_the_function_unchanged(house: House) -> None:
    body = json.dumps({"kind": "weekly"}).encode()
    headers = {"Authorization": f"Bearer {house.key}", "Content-Type": "application/octet-stream"}
    assert error(send("POST", f"/sites/{house.site.id}/audits", headers, body))["code"] == "unsupported_media_type"
    event = created.gateway()._event("POST", "/", {}, ("/live/", "/", ""), headers, b"\xff\x00", "id")
    assert (event["body"], event["isBase64Encoded"]) == (base64.b64encode(b"\xff\x00").decode(), True)


def test_addresses_in_answers_contain_the_domain_and_the_stage(house: House) -> None:
    headers = {"Authorization": f"Bearer {house.key}"}
    answer = send("POST", f"/sites/{house.site.id}/audits", headers)
    assert answer.status == 202, answer.body
    assert answer.headers["Location"].startswith(f"https://{DOMAIN}/live{BASE_PATH}/sites/{house.site.id}/audits/")


def test_the_www_authenticate_header_of_a_401_is_renamed_by_the_gateway(house: House) -> None:
    answer = send("GET", "/sites")
    assert error(answer)["code"] == "unauthorized"
    assert answer.headers["x-amzn-Remapped-WWW-Authenticate"].startswith("Bearer")
    assert "WWW-Authenticate" not in answer.headers


@pytest.mark.parametrize(
    "wrong",
    [
        {"statusCode": "200", "headers": {}, "body": ""},
        {"statusCode": 200, "headers": {}, "body": {"a": 1}},
        {"statusCode": 200, "headers": {}, "body": "x" * LARGEST_PAYLOAD},
        {"statusCode": 200, "headers": {}, "body": "é" * (LARGEST_PAYLOAD // 6)},
        {"headers": {}, "body": ""},
        {"statusCode": 200, "body": b"bytes"},
        None,
    ],
    ids=["text for a status", "no text", "too large", "too large as it is written", "no status", "bytes", "nothing"],
)
def test_an_invalid_function_result_becomes_an_internal_error(monkeypatch: pytest.MonkeyPatch, wrong: Any) -> None:
    function = created.gateway().functions["ApiPublic"]
    monkeypatch.setitem(function.__dict__, "_app", lambda event, context: wrong)
    answer = send("GET", "/plans")
    assert error(answer) == {
        "code": "internal",
        "message": "The service failed to answer.",
        "requestId": answer.headers["X-Request-Id"],
    }


def test_an_exception_in_a_function_becomes_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(created.gateway().functions["ApiPublic"].__dict__, "_app", None)
    assert error(send("GET", "/plans"))["code"] == "internal"


def test_a_binary_answer_is_decoded_only_if_the_client_accepts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = base64.b64encode(b"\x00\xff").decode()
    answer = {"statusCode": 200, "headers": {}, "body": encoded, "isBase64Encoded": True}
    monkeypatch.setitem(created.gateway().functions["ApiPublic"].__dict__, "_app", lambda event, context: answer)
    assert send("GET", "/plans", {"Accept": "image/png"}).body == b"\x00\xff"
    assert send("GET", "/plans", {"Accept": "text/html"}).body == encoded.encode()


def test_the_answer_to_a_head_request_has_no_body() -> None:
    assert (send("HEAD", "/plans").status, send("HEAD", "/plans").body) == (200, b"")
