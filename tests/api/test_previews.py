"""Previews through the API: who may start one, what is refused, and what is told of one."""

import pytest

from chalicelib import clock
from chalicelib.api.previews import POLL_SECONDS
from chalicelib.store import crawls, previews
from tests import aws
from tests.api import seed
from tests.api.client import Client, Received
from tests.api.conftest import EVERY_SCOPE, House

STAGING = "https://93.184.215.14/"


@pytest.fixture
def path(house: House) -> str:
    return f"/sites/{house.site.id}/previews"


def test_starting_a_preview_queues_it_and_returns_its_address(house: House, api: Client, path: str) -> None:
    seed.audited(house.site)
    started = api.post(path, {"url": STAGING, "pageBudget": 50, "robots": "ignore"})
    assert (started.status, started.headers["retry-after"]) == (202, str(POLL_SECONDS))
    body = started.json
    assert (body["queued"], body["status"], body["url"], body["pageBudget"]) == (True, "queued", STAGING, 50)
    assert started.headers["location"] == body["poll"] == f"http://localhost/api/v1{path}/{body['previewId']}"
    assert [one["crawlId"] for one in aws.messages("crawl")] == [body["previewId"]]
    told = api.get(f"{path}/{body['previewId']}").json
    assert (told["status"], told["robots"], told["score"], told["availableUntil"]) == ("queued", "ignore", None, None)
    audits = api.get(f"/sites/{house.site.id}/audits").json
    assert (audits["active"], audits["busy"], audits["apiStarts"]["usedToday"]) == (None, None, 0)
    assert [one["id"] for one in audits["audits"]] == [seed.AUDIT]
    assert api.get(f"/sites/{house.site.id}/audits/{body['previewId']}").status == 404
    assert api.post(f"/sites/{house.site.id}/audits").status == 202, "an audit does not wait for it"


def test_a_second_preview_is_refused_but_a_retry_returns_the_first_preview(
    house: House, api: Client, path: str
) -> None:
    first = api.post(path, {"url": STAGING}, Idempotency_Key="deploy-1")
    again = api.post(path, {"url": STAGING}, Idempotency_Key="deploy-1")
    assert (again.status, again.json["previewId"]) == (202, first.json["previewId"])
    refused = api.post(path, {"url": STAGING})
    assert (refused.status, refused.code) == (409, "preview_running")
    error = refused.json["error"]
    assert (error["previewId"], error["poll"]) == (first.json["previewId"], first.json["poll"])
    other = api.post(f"/sites/{house.other_site.id}/previews", {"url": STAGING})
    assert other.status == 202, "another website's does not wait for it"


def test_an_expired_preview_does_not_block_a_new_one(house: House, api: Client, path: str) -> None:
    assert api.post(path, {"url": STAGING}).status == 202
    clock.set_offset(clock.offset() + crawls.PREVIEW_KEPT_SECONDS + 60)  # DynamoDB deletes it days later
    assert previews.last(house.site.id) is None
    assert api.post(path, {"url": STAGING}).status == 202


SECRET = "open-sesame-4711"


@pytest.mark.parametrize(
    ("wrong", "code", "param"),
    [
        ({"url": "https://10.0.0.7/"}, "bad_url", "url"),
        ({"url": "http://127.0.0.1:8000/"}, "bad_url", "url"),
        ({"url": "https://[::1]/"}, "bad_url", "url"),
        ({"url": "https://169.254.169.254/"}, "bad_url", "url"),
        ({"url": f"https://anna:{SECRET}@93.184.215.14/"}, "bad_url", "url"),
        ({"url": "https://93.184.215.14/shop"}, "bad_url", "url"),
        ({"url": "https://93.184.215.14/?branch=1"}, "bad_url", "url"),
        ({"url": 5}, "bad_url", "url"),
        ({"robots": "maybe"}, "bad_body", "robots"),
        ({"urls": STAGING}, "bad_body", "urls"),
        ({"urls": [STAGING] * 101}, "bad_body", "urls"),
        ({"urls": [STAGING, f"https://anna:{SECRET}@93.184.215.15/"]}, "bad_url", "urls[1]"),
        ({"urls": ["/a"]}, "bad_url", "urls[0]"),
        ({"urls": ["javascript:alert(1)"]}, "bad_url", "urls[0]"),
        ({"urls": [f"{STAGING}logo.png"]}, "bad_url", "urls[0]"),
        ({"urls": [STAGING + "\U0001f600" * 1_900]}, "bad_url", "urls[0]"),
        ({"headers": SECRET}, "bad_headers", "headers"),
        ({"headers": {"X-Token": 4711}}, "bad_headers", "headers.X-Token"),
        ({"headers": {"X-Token": SECRET + "\r\nHost: x"}}, "bad_headers", "headers"),
        ({"headers": {"X-Token": SECRET * 200}}, "bad_headers", "headers"),
        ({"headers": {"X Token": SECRET}}, "bad_headers", "headers"),
        ({"headers": {"host": SECRET}}, "bad_headers", "headers"),
        ({"headers": {"X-Token": SECRET, "x-token": SECRET}}, "bad_headers", "headers"),
        ({"headers": {f"X-{number}": SECRET for number in range(11)}}, "bad_headers", "headers"),
        (
            {"headers": {"Authorization": SECRET}, "basicAuth": {"username": "a", "password": "b"}},
            "bad_headers",
            "headers",
        ),
        ({"headers": {"A": SECRET * 100, "B": SECRET * 100}}, "bad_headers", "headers"),
        ({"headers": {"A": '"' * 2_000, "B": '"' * 900}}, "bad_headers", "headers"),
        ({"basicAuth": f"anna:{SECRET}"}, "bad_basic_auth", "basicAuth"),
        ({"basicAuth": {"username": "a:b", "password": SECRET}}, "bad_basic_auth", "basicAuth"),
        ({"basicAuth": {"username": "", "password": SECRET}}, "bad_basic_auth", "basicAuth"),
        ({"pageBudget": 0}, "bad_page_budget", "pageBudget"),
    ],
)
def test_an_invalid_preview_is_refused_and_nothing_is_stored(
    api: Client, path: str, wrong: dict[str, object], code: str, param: str, caplog: pytest.LogCaptureFixture
) -> None:
    before = aws.stored("crawls")
    refused = api.post(path, {"url": STAGING, **wrong})
    assert (refused.status, refused.code, refused.json["error"]["param"]) == (400, code, param), refused.text
    assert SECRET not in caplog.text
    if "url" not in wrong:
        assert SECRET not in refused.text, "what lets us in is repeated nowhere"
    assert aws.stored("crawls") == before and aws.messages("crawl") == []


def test_a_preview_of_the_website_itself_is_refused(house: House, api: Client, path: str) -> None:
    refused = api.post(path, {"url": house.site.url})
    assert (refused.status, refused.code) == (400, "bad_url")


def test_no_answer_and_no_log_line_contains_preview_credentials(
    api: Client, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    body = {"url": STAGING, "headers": {"X-Token": SECRET}, "basicAuth": {"username": "anna", "password": SECRET}}
    started = api.post(path, body, Idempotency_Key="once")
    told = api.get(started.json["poll"].partition("/api/v1")[2])
    assert SECRET not in started.text + told.text + caplog.text
    stored = [row for table in ("crawls", "ops", "accounts", "sites", "jobs") for row in aws.stored(table)]
    assert SECRET not in str(stored) and "YW5uYT" not in str(stored)


def test_each_preview_request_needs_its_scopes(house: House, path: str) -> None:
    seed.audited(house.site)
    reader = Client(house.new_key("sites:read"))
    refused = reader.post(path, {"url": STAGING})
    assert (refused.status, refused.code, refused.json["error"]["scope"]) == (403, "missing_scope", "audits:run")
    one = f"{path}/{seed.PREVIEW}"
    assert reader.get(one).status == 200
    for scope in ("issues:read", "pages:read"):
        key = house.new_key(*(other for other in EVERY_SCOPE if other != scope))
        assert Client(key).get(f"{one}/report").json["error"]["scope"] == scope
    assert reader.get(f"{one}/gate").json["error"]["scope"] == "issues:read"
    gate: Received = reader.get(f"{one}/gate?min_score=10")
    assert (gate.status, gate.json["outcome"], "new" in gate.json) == (200, "pass", False)


def test_a_finished_preview_has_a_score_and_a_gate_result(house: House, api: Client, path: str) -> None:
    seed.audited(house.site)
    one = f"{path}/{seed.PREVIEW}"
    told = api.get(one).json
    assert (told["status"], told["url"], told["score"]) == ("done", "https://staging.example/", 81.4)
    gate = api.get(f"{one}/gate").json
    assert (gate["outcome"], gate["previewId"], gate["against"]["auditId"]) == ("pass", seed.PREVIEW, seed.AUDIT)
    assert "link" not in gate and "link" not in told
    text = api.get(f"{one}/gate?format=text&min_score=99").text
    assert text.splitlines()[:2] == ["fail", "status: done"]
    loss = api.get(f"{one}/gate?no_new=low&max_loss=0&against={seed.BEFORE}").json
    assert [condition["condition"] for condition in loss["conditions"]] == ["no_new", "max_loss"]
    report = api.get(f"{one}/report").json
    assert api.get(f"{one}/report?offset=1").json["findings"] == report["findings"][1:]
    assert report["total"] == len(report["findings"]) == 2 and report["preview"]["previewId"] == seed.PREVIEW
    of_audit = api.get(f"/sites/{house.site.id}/audits/{seed.AUDIT}/report").json["findings"]
    assert {one["fingerprint"] for one in report["findings"]} <= {one["fingerprint"] for one in of_audit}
    for form, begins in (("sarif", "{"), ("junit", "<?xml"), ("markdown", "## Audit"), ("csv", "fingerprint,")):
        file = api.get(f"{one}/report?format={form}")
        assert file.status == 200 and file.text.startswith(begins), (form, file.text[:40])
    assert api.get(f"{one}/gate?against={seed.PREVIEW}").status == 404, "previews are compared with audits"
    assert api.get(f"/sites/{house.site.id}/audits/{seed.PREVIEW}/gate").status == 404
    assert api.get(f"/sites/{house.other_site.id}/previews/{seed.PREVIEW}").status == 404


def test_a_preview_is_compared_with_the_last_audit(house: House, api: Client, path: str) -> None:
    seed.audited(house.site)
    one = f"{path}/{seed.PREVIEW}/diff"
    same = api.get(one).json
    assert (same["preview"]["previewId"], same["against"]["auditId"]) == (seed.PREVIEW, seed.AUDIT)
    assert same["pages"]["changed"]["count"] == 0 and same["issues"] == []
    assert "speed" not in same and "link" not in same
    told = api.get(f"{one}?against={seed.BEFORE}").json
    of_audit = api.get(f"/sites/{house.site.id}/audits/{seed.AUDIT}/diff").json
    assert told["pages"] == of_audit["pages"] and told["scores"] == of_audit["scores"]
    shown = [issue for issue in of_audit["issues"]["issues"] if issue["ruleId"] == seed.PAGE_RULE.id]
    for issue in shown:
        del issue["issueId"], issue["link"]
    assert shown and told["issues"] == shown
    for scopes in ((), ("issues:read",), ("pages:read",)):
        part = Client(house.new_key("sites:read", *scopes)).get(f"{one}?against={seed.BEFORE}").json
        assert ("issues" in part, "pages" in part) == ("issues:read" in scopes, "pages:read" in scopes)
        assert (seed.url(house.site, 0) in str(part)) <= ("pages:read" in scopes)
    assert Client(house.new_key("issues:read", "pages:read")).get(one).code == "missing_scope"
    for wrong in (seed.PREVIEW, "crawl_none", "%E2%80%AE"):
        assert (api.get(f"{one}?against={wrong}").status, api.get(f"{one}?against={wrong}").code) == (404, "not_found")
    assert api.get(f"/sites/{house.other_site.id}/previews/{seed.PREVIEW}/diff").code == "not_found"
