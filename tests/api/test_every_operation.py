"""What holds for every operation: authentication, order of the checks, error shape, methods, conditional GET."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chalicelib import api, clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.http.endpoints import Endpoint
from chalicelib.http.parameters import declared
from chalicelib.operations import accounts
from chalicelib.settings.reading import forget_settings
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import EVERY_SCOPE, House, settle
from tests.api.operations import (
    ENDPOINTS,
    KEYED,
    OF_WEBSITE,
    POSTS,
    READS,
    REFUSED_BODY,
    WRITES,
    name,
    target,
    use_up,
)

every = pytest.mark.parametrize("endpoint", ENDPOINTS, ids=name)
every_keyed = pytest.mark.parametrize("endpoint", KEYED, ids=name)
every_of_website = pytest.mark.parametrize("endpoint", OF_WEBSITE, ids=name)
every_read = pytest.mark.parametrize("endpoint", READS, ids=name)
every_stored_read = pytest.mark.parametrize("endpoint", [one for one in READS if one.stored], ids=name)
every_live_read = pytest.mark.parametrize("endpoint", [one for one in READS if not one.stored], ids=name)
every_post = pytest.mark.parametrize("endpoint", POSTS, ids=name)
every_write = pytest.mark.parametrize("endpoint", WRITES, ids=name)
every_write_with_a_body = pytest.mark.parametrize(
    "endpoint", [endpoint for endpoint in WRITES if endpoint.body is not None], ids=name
)


def _client(endpoint: Endpoint, house: House) -> Client:
    return Client(house.key if endpoint.scope else None)


def _refusal(client: Client, endpoint: Endpoint, path: str) -> tuple[int, str]:
    received = client.request(endpoint.method, path)
    return received.status, received.code


@every
def test_each_operation_answers_as_described_in_openapi(endpoint: Endpoint, settled: House) -> None:
    seed.connected(settled.site)
    wanted = target(endpoint, settled)
    received = _client(endpoint, settled).request(endpoint.method, wanted.whole, body=wanted.body)
    assert received.status == endpoint.status


# -- who asks ------------------------------------------------------------------------------------------


@every_keyed
def test_a_missing_unknown_or_revoked_key_is_unauthorized(endpoint: Endpoint, house: House) -> None:
    path = target(endpoint, house).whole
    assert _refusal(Client(), endpoint, path) == (401, "unauthorized")
    mistyped = house.key[:-1] + ("x" if house.key[-1] != "x" else "y")
    assert _refusal(Client(mistyped), endpoint, path) == (401, "unauthorized")
    other = accounts.create_workspace_key(OPERATOR, house.workspace_id, house.person_id, EVERY_SCOPE, None)
    accounts.revoke_key(OPERATOR, other.listed.id)
    assert _refusal(Client(other.secret), endpoint, path) == (401, "unauthorized")
    given = Client().request(endpoint.method, path, headers={"Authorization": f"Basic {house.key}"})
    assert (given.status, given.headers["www-authenticate"]) == (401, "Bearer")


@every_keyed
def test_a_key_that_lacks_the_scope_of_an_operation_gets_an_error_that_names_it(
    endpoint: Endpoint, house: House
) -> None:
    key = house.new_key(*(scope for scope in EVERY_SCOPE if scope != endpoint.scope))
    received = Client(key).request(endpoint.method, target(endpoint, house).whole)
    assert (received.status, received.code) == (403, "missing_scope")
    assert received.json["error"]["scope"] == endpoint.scope


@every_keyed
def test_a_key_is_refused_as_soon_as_its_owner_becomes_a_client_viewer(endpoint: Endpoint, house: House) -> None:
    accounts.add_person(OPERATOR, house.workspace_id, "second@acme.example", "owner")
    accounts.set_role(OPERATOR, house.workspace_id, house.person_id, "client_viewer")
    assert _refusal(Client(house.key), endpoint, target(endpoint, house).whole) == (403, "owner_lost_access")


@every_keyed
def test_answers_show_the_remaining_requests_of_the_hour(endpoint: Endpoint, settled: House) -> None:
    received = Client(settled.key).request(endpoint.method, target(endpoint, settled).whole)
    assert received.headers["ratelimit-policy"] == '"hourly";q=1200;w=3600'
    assert re.fullmatch(r'"hourly";r=1199;t=\d+', received.headers["ratelimit"])
    assert received.headers["x-ratelimit-limit"] == "1200"
    assert received.headers["x-ratelimit-remaining"] == "1199"
    left = int(received.headers["x-ratelimit-reset"]) - clock.now()
    assert 0 < left <= 3600


@every_keyed
def test_if_the_hourly_limit_is_reached_a_missing_scope_or_website_is_not_reported(
    endpoint: Endpoint, house: House
) -> None:
    key = house.new_key("ai:read")
    use_up(key)
    received = Client(key).request(endpoint.method, target(endpoint, house, siteId="site_unknown").whole)
    assert (received.status, received.code) == (429, "rate_limited")
    assert received.headers["retry-after"] == received.headers["ratelimit"].rpartition("t=")[2]
    assert received.headers["x-ratelimit-remaining"] == "0"
    reset = datetime.fromtimestamp(int(received.headers["x-ratelimit-reset"]), UTC)
    assert reset.strftime("%Y-%m-%dT%H:%M:%SZ") in received.json["error"]["message"]


# -- which website -------------------------------------------------------------------------------------


@every_of_website
def test_a_website_of_another_workspace_is_not_found_like_an_unknown_one(endpoint: Endpoint, house: House) -> None:
    strangers = settle("Strangers", "strangers.example")
    client = Client(house.key)
    foreign = client.request(endpoint.method, target(endpoint, house, siteId=strangers.site.id).whole)
    missing = client.request(endpoint.method, target(endpoint, house, siteId="site_unknown").whole)
    assert (foreign.status, foreign.text) == (missing.status, missing.text) == (404, missing.text)
    assert foreign.code == "not_found"
    assert foreign.headers.keys() == missing.headers.keys()


@every_of_website
def test_a_key_for_one_website_cannot_use_another_website_of_its_workspace(endpoint: Endpoint, house: House) -> None:
    key = house.new_key(*EVERY_SCOPE, sites=(house.other_site.id,))
    assert _refusal(Client(key), endpoint, target(endpoint, house).whole) == (403, "site_not_covered")
    missing = target(endpoint, house, siteId="site_unknown").whole
    assert _refusal(Client(key), endpoint, missing) == (404, "not_found")


@every_of_website
def test_a_missing_scope_is_reported_first_and_then_an_unknown_website(endpoint: Endpoint, house: House) -> None:
    wrong = target(endpoint, house, siteId="site_unknown").with_query("nonsense=1")
    another = next(scope for scope in EVERY_SCOPE if scope != endpoint.scope)
    assert _refusal(Client(house.new_key(another)), endpoint, wrong) == (403, "missing_scope")
    assert _refusal(Client(house.key), endpoint, wrong) == (404, "not_found")


@every_of_website
def test_an_invalid_id_is_not_found(endpoint: Endpoint, house: House) -> None:
    for site_id in ("s" * 3_000, "a%20b", "%2e%2e", "%00", "%F0%9F%A6%8A"):
        path = target(endpoint, house, siteId=site_id).whole
        assert _refusal(Client(house.key), endpoint, path) == (404, "not_found")


# -- parameters ----------------------------------------------------------------------------------------


@every
def test_unknown_and_repeated_parameters_are_refused(endpoint: Endpoint, settled: House) -> None:
    client, wanted = _client(endpoint, settled), target(endpoint, settled)
    received = client.request(endpoint.method, wanted.with_query("Page=1"))
    assert (received.status, received.code, received.json["error"]["param"]) == (400, "bad_parameter", "Page")
    for parameter in declared(endpoint.parameters):
        twice = client.request(endpoint.method, f"{wanted.path}?{parameter.name}=1&{parameter.name}=1")
        assert (twice.status, twice.code, twice.json["error"]["param"]) == (400, "bad_parameter", parameter.name)


@every
def test_an_invalid_parameter_is_refused_with_its_error_code(endpoint: Endpoint, settled: House) -> None:
    client, wanted = _client(endpoint, settled), target(endpoint, settled)
    for parameter in declared(endpoint.parameters):
        for wrong in _wrong_values(parameter.schema["type"]):
            received = client.request(endpoint.method, wanted.with_value(parameter.name, wrong))
            assert (received.status, received.code) == (400, parameter.code), wrong
            assert received.json["error"]["param"] == parameter.name
            assert parameter.name in received.json["error"]["message"]


def _wrong_values(kind: str) -> list[str]:
    if kind == "integer":
        return ["", "x", "5.0", "%2B5", "+5", "1e3", "05", "0x5", "-5", "%D9%A5", "5%00", "1_0", "9" * 5_000]
    return ["y" * 2_049]


# -- methods, 304, switches ----------------------------------------------------------------------------


@every_read
def test_head_returns_the_headers_of_get_without_a_body(endpoint: Endpoint, settled: House) -> None:
    client, path = _client(endpoint, settled), target(endpoint, settled).whole
    got, head = client.get(path), client.request("HEAD", path)
    assert (head.status, head.text) == (got.status, "")
    assert head.headers["content-length"] == str(len(got.text.encode()))
    varying = {"x-request-id", "ratelimit", "x-ratelimit-remaining", "content-length"}
    assert {k: v for k, v in head.headers.items() if k not in varying} == {
        k: v for k, v in got.headers.items() if k not in varying
    }


@every
def test_options_returns_the_allowed_methods_without_a_key(endpoint: Endpoint, house: House) -> None:
    received = Client().request("OPTIONS", target(endpoint, house).path)
    assert (received.status, received.text) == (204, "")
    assert endpoint.method in received.headers["allow"].split(", ")
    assert ("access-control-allow-origin" in received.headers) == (endpoint.scope is None)


@every
def test_an_unsupported_method_returns_405_with_the_allow_header(endpoint: Endpoint, house: House) -> None:
    path = target(endpoint, house).path
    allowed = Client().request("OPTIONS", path).headers["allow"].split(", ")
    assert endpoint.method in allowed
    refused = {"DELETE", "PATCH", "POST", "PUT", "TRACE", "QUERY", "CONNECT", "get", "PROPFIND"}.difference(allowed)
    assert len(refused) >= 7
    for method in sorted(refused):
        received = Client().request(method, path)
        assert (received.status, received.code) == (405, "method_not_allowed"), method
        assert received.headers["allow"].split(", ") == allowed


@every_stored_read
def test_a_get_request_returns_304_if_nothing_has_changed(endpoint: Endpoint, settled: House) -> None:
    client, path = _client(endpoint, settled), target(endpoint, settled).whole
    first = client.get(path)
    tag = first.headers["etag"]
    assert re.fullmatch(r'"[0-9a-f]{32}"', tag)
    public = endpoint.scope is None
    assert first.headers["cache-control"] == ("public, max-age=300" if public else "private, no-cache")
    for given in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = client.get(path, If_None_Match=given)
        assert (again.status, again.text, again.headers["etag"]) == (304, "", tag)
        assert "content-type" not in again.headers
        assert ("ratelimit" in again.headers) == (not public)
    assert client.get(path, If_None_Match='"other"').status == 200
    assert client.request("HEAD", path, headers={"If-None-Match": tag}).status == 304


@every_live_read
def test_answers_read_from_the_live_website_are_not_cacheable(endpoint: Endpoint, settled: House) -> None:
    received = _client(endpoint, settled).get(target(endpoint, settled).whole)
    assert (received.status, received.headers["cache-control"]) == (200, "private, no-store")
    assert "etag" not in received.headers


@every
def test_a_request_returns_503_if_its_group_of_endpoints_or_the_api_is_switched_off(
    endpoint: Endpoint, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    for off in (endpoint.group, "api"):
        monkeypatch.setenv("SWITCHED_OFF", f"something, {off}")
        forget_settings()
        assert _refusal(Client(), endpoint, target(endpoint, house).whole) == (503, "switched_off")
    monkeypatch.setenv("SWITCHED_OFF", "something")
    forget_settings()
    assert Client().request(endpoint.method, target(endpoint, house).whole).status != 503


# -- writes --------------------------------------------------------------------------------------------


@every_write
def test_a_write_without_a_body_needs_no_content_type(endpoint: Endpoint, settled: House) -> None:
    path = target(endpoint, settled).whole
    if endpoint.body_required and endpoint.body is not None:
        assert _refusal(Client(settled.key), endpoint, path) == (400, "bad_body")
    else:
        assert Client(settled.key).request(endpoint.method, path).status == endpoint.status


@every_write_with_a_body
def test_a_body_that_is_not_a_json_object_is_refused(endpoint: Endpoint, settled: House) -> None:
    client, path = Client(settled.key), target(endpoint, settled).whole
    typed = {"Content-Type": "application/json"}
    cases: list[tuple[str | bytes, str]] = [
        ("{", "bad_json"),
        (b"\xff\xfe", "bad_json"),
        ('{"a": NaN}', "bad_json"),
        ("[" * 200_000, "bad_json"),
        ("null", "bad_body"),
        ("[]", "bad_body"),
        ("5", "bad_body"),
        ('{"nonsense": 1}', "bad_body"),
    ]
    for body, code in cases:
        received = client.request(endpoint.method, path, headers=typed, body=body)
        assert (received.status, received.code) == (400, code), body[:20]
    unknown = client.request(endpoint.method, path, headers=typed, body='{"nonsense": 1}')
    assert unknown.json["error"]["param"] == "nonsense"


@every_write_with_a_body
def test_a_wrong_content_type_returns_415(endpoint: Endpoint, settled: House) -> None:
    client, path = Client(settled.key), target(endpoint, settled).whole
    for given in ("text/plain", "application/x-www-form-urlencoded", "application/jsonx", "multipart/form-data; b=1"):
        received = client.request(endpoint.method, path, headers={"Content-Type": given}, body="{}")
        assert (received.status, received.code) == (415, "unsupported_media_type")
    packed = client.request(endpoint.method, path, headers={"Content-Encoding": "gzip"}, body="{}")
    assert packed.status == 415
    assert client.request(endpoint.method, path, body='{"nonsense": 1}').code == "bad_body"
    typed = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert client.request(endpoint.method, path, headers=typed, body='{"nonsense": 1}').code == "bad_body"


@every_write
def test_a_body_that_is_too_large_returns_413(endpoint: Endpoint, settled: House) -> None:
    body = "[" + "1," * (endpoint.largest_body // 2) + "1]"
    received = Client(settled.key).request(endpoint.method, target(endpoint, settled).whole, body=body)
    assert (received.status, received.code) == (413, "too_large")


@every_post
def test_an_invalid_idempotency_key_is_refused(endpoint: Endpoint, settled: House) -> None:
    client, wanted = Client(settled.key), target(endpoint, settled)
    for given in ("", "a b", "ü", "x" * 256, "\x7f"):
        received = client.request("POST", wanted.whole, headers={"Idempotency-Key": given}, body=wanted.body)
        assert (received.status, received.code) == (400, "bad_idempotency_key")


@every_of_website
def test_an_unknown_id_in_the_path_is_refused_before_parameters_are_checked(endpoint: Endpoint, settled: House) -> None:
    for name_ in endpoint.names[1:]:
        missing = target(endpoint, settled, **{name_: "nope_1"}).with_query("x=1")
        received = Client(settled.key).request(
            endpoint.method, missing, body="{" if endpoint.method == "POST" else None
        )
        assert (received.status, received.code) == (404, "not_found"), missing


@every_post
def test_after_a_refusal_the_same_idempotency_key_can_be_used_again(endpoint: Endpoint, house: House) -> None:
    seed.audited(house.site)
    seed.connected(house.site)
    client, wanted = Client(house.key), target(endpoint, house)
    refused = REFUSED_BODY.get(endpoint.operation_id)
    body = wanted.body if refused is None else json.dumps(refused)
    if refused is None:
        assert client.request("POST", wanted.whole, body=body).status == endpoint.status
    headers = {"Idempotency-Key": "once"}
    first, again = (client.request("POST", wanted.whole, headers=headers, body=body) for _ in range(2))
    assert first.status in (400, 409) and (again.status, again.code) == (first.status, first.code)
    assert "idempotency-replayed" not in again.headers
    if refused is not None:  # the record is gone: another body is no mismatch
        assert client.request("POST", wanted.whole, headers=headers, body=wanted.body).status == endpoint.status


# -- what is tested ------------------------------------------------------------------------------------


# Groups whose tests stand in more than one file.
ALSO_TESTED_IN = {"sites": ("portfolio",), "audits": ("reports",)}


@pytest.mark.parametrize("group", api.GROUPS)
def test_every_query_parameter_of_a_group_is_used_in_the_tests_of_the_group(group: str) -> None:
    """This test finds parameters that no test uses. The tests of the group check what each parameter does."""
    files = (Path(__file__).parent / f"test_{name}.py" for name in (group, *ALSO_TESTED_IN.get(group, ())))
    tests = "".join(file.read_text(encoding="utf-8") for file in files)
    for endpoint in api.load(group).endpoints:
        for parameter in declared(endpoint.parameters):
            assert re.search(rf"\b{parameter.name}=", tests), (endpoint.path, parameter.name)
