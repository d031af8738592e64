"""People test a page from its own screen, from Speed and from Agentic browsing, and watch it there."""

from typing import Any

import pytest

from chalicelib.domain import ids
from chalicelib.store import speed
from tests import aws
from tests.api import seed
from tests.api.conftest import House
from tests.web.conftest import Browser, Screen, viewer


def paths(house: House) -> dict[str, str]:
    site = f"/app/sites/{house.site.id}"
    page_id = ids.page_id(house.site.id, seed.url(house.site, 0))
    return {
        "page": f"{site}/pages/{page_id}",
        "speed": f"{site}/performance",
        "agentic": f"{site}/agentic",
    }


@pytest.fixture(params=("page", "speed", "agentic"))
def path(house: House, request: pytest.FixtureRequest) -> str:
    seed.audited(house.site)
    return paths(house)[request.param]


def sent(screen: Screen, house: House, **changed: str) -> dict[str, Any]:
    form = screen.dom.css_first("#test form")
    assert form is not None, screen.main
    fields = {str(one.attributes["name"]): one.attributes.get("value") or "" for one in form.css("input[name]")}
    return {**fields, "url": seed.url(house.site, 0), "strategy": "mobile", **changed}


def waiting(house: House) -> list[tuple[str, str]]:
    return [(run.url, run.strategy) for run in speed.load_state(house.site.id).waiting]


def test_a_speed_test_is_started_once_and_its_progress_is_shown(house: House, browser: Browser, path: str) -> None:
    fields = sent(browser.get(path), house)
    first, again = browser.post(path, fields), browser.post(path, fields)
    assert first.location == again.location and len(aws.messages("agentic")) == 1
    assert waiting(house) == [(seed.url(house.site, 0), "mobile")]
    done = browser.follow(first)
    assert "The test is queued." in done.main
    live = done.dom.css_first("#running[data-live]")
    assert live is not None and "Phone" in live.text() and "Queued" in live.text()
    for other in paths(house).values():
        assert browser.get(other).dom.css_first("#running[data-live]") is not None, other


def test_a_running_speed_test_is_not_started_again(house: House, browser: Browser, path: str) -> None:
    first, second = browser.get(path), browser.get(path)
    assert browser.post(path, sent(first, house, strategy="desktop")).status == 303
    refused = browser.post(path, sent(second, house, strategy="desktop"))
    assert refused.status == 409 and "already queued or running" in refused.main
    chosen = refused.dom.css_first("#test option[selected]")
    assert chosen is not None and chosen.attributes["value"] == "desktop" and len(waiting(house)) == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"url": "https://elsewhere.example/"}, "must be an address of"), ({"url": "nothing"}, "whole http or https")],
)
def test_an_untestable_page_is_explained_and_keeps_the_typed_address(
    house: House, browser: Browser, changed: dict[str, str], said: str
) -> None:
    seed.audited(house.site)
    path = paths(house)["speed"]
    refused = browser.post(path, sent(browser.get(path), house, **changed))
    assert refused.status == 422 and said in refused.main and waiting(house) == []
    assert refused.dom.css_first("#test input[name=url]").attributes["value"] == changed["url"]


def test_an_unknown_device_is_refused(house: House, browser: Browser, path: str) -> None:
    refused = browser.post(path, sent(browser.get(path), house, strategy="watch"))
    assert refused.status == 422 and waiting(house) == []


def test_a_viewer_cannot_start_a_speed_test(house: House, browser: Browser, path: str) -> None:
    fields = sent(browser.get(path), house)
    client = viewer(house, house.site.id)
    assert not client.get(path).dom.css("#test")
    token = client.get("/app/sessions").dom.css_first("input[name=token]").attributes["value"]
    assert client.post(path, fields | {"token": token}).status == 403 and waiting(house) == []
