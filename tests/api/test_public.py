"""The endpoints that need no key."""

from pathlib import Path

import pytest

from chalicelib.domain.webhooks.kinds import EVENT_KINDS
from chalicelib.settings.reading import forget_settings
from chalicelib.version import VERSION
from tests.api.client import Client, document
from tests.api.conftest import House

ROOT = Path(__file__).resolve().parents[2]


def test_plans_show_prices_and_pages_per_audit() -> None:
    body = Client().get("/plans").json
    assert (body["trialDays"], body["currency"]) == (14, "EUR")
    pages = {plan["name"]: plan["pagesPerAudit"] for plan in body["plans"]}
    assert pages == {"Free": 200, "Starter": 500, "Agency": 1000, "Enterprise": 10000}
    websites = {plan["name"]: plan["websites"] for plan in body["plans"]}
    assert websites == {"Free": 1, "Starter": 3, "Agency": 25, "Enterprise": None}


def test_the_changelog_is_served_as_markdown() -> None:
    received = Client().get("/changelog")
    assert received.headers["content-type"] == "text/markdown; charset=utf-8"
    assert received.text == (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_a_missing_changelog_returns_404(monkeypatch: pytest.MonkeyPatch) -> None:
    from chalicelib.api import public

    public._changelog.cache_clear()
    monkeypatch.setattr(public, "_CHANGELOG", ROOT / "no such file")
    received = Client().get("/changelog")
    public._changelog.cache_clear()
    assert (received.status, received.code) == (404, "not_found")


def test_openapi_json_names_the_local_server_that_received_the_request() -> None:
    for host in ("127.0.0.1:8123", "localhost", "[::1]:8000"):
        received = Client().get("/openapi.json", Host=host)
        assert received.json["servers"] == [{"url": f"http://{host}/api/v1"}]
    assert received.json["openapi"] == "3.1.0"
    assert received.json["info"]["version"] == VERSION


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "localhost:80/x", "127.0.0.1@evil.example"])
def test_a_foreign_host_header_changes_no_link(host: str, house: House, api: Client) -> None:
    sent = {"Host": host, "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "evil"}
    described = Client().request("GET", "/openapi.json", headers=sent)
    assert described.json["servers"] == [{"url": "http://localhost/api/v1"}]
    started = api.request("POST", f"/sites/{house.site.id}/audits", headers=sent)
    assert started.json["poll"].startswith("http://localhost/api/v1/sites/")
    assert started.headers["location"] == started.json["poll"]


def test_openapi_json_names_the_configured_base_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BASE_URL", "https://api.example.org/api/v1/")
    forget_settings()
    received = Client().get("/openapi.json", Host="somebody-elses.example")
    assert received.json["servers"] == [{"url": "https://api.example.org/api/v1"}]


def test_browsers_on_other_websites_can_read_only_public_answers(api: Client) -> None:
    for path in ("/openapi.json", "/plans", "/changelog", "/plans?nonsense=1"):
        received = Client().get(path, Origin="https://elsewhere.example")
        assert received.headers["access-control-allow-origin"] == "*"
    for received in (api.get("/sites", Origin="https://elsewhere.example"), Client().get("/sites")):
        assert not any(name.startswith("access-control") for name in received.headers)


def test_openapi_json_describes_every_webhook_event_and_the_ping() -> None:
    assert document()["webhooks"].keys() == {*EVENT_KINDS, "ping"}
