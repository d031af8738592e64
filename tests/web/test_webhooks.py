"""Endpoints are added, tested, followed, switched, edited and removed in the app; and by nobody whose role may not."""

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.webhooks.delivery import Delivery, WebhookEndpoint
from chalicelib.domain.webhooks.kinds import EVENT_KINDS
from chalicelib.operations import endpoints
from chalicelib.store import deliveries
from chalicelib.store import endpoints as store
from chalicelib.typed import from_json
from chalicelib.web.screens import webhook_delivery
from tests import webhooks
from tests.api.conftest import House, settle
from tests.aws import stored
from tests.web.conftest import Browser, Screen
from tests.web.settings import URL, of_role, sent

PATH = "/app/settings/webhooks"


def added(house: House, url: str = URL) -> WebhookEndpoint:
    return endpoints.add(OPERATOR, house.workspace_id, url, ["audit.finished"]).endpoint


def current(house: House, endpoint: WebhookEndpoint) -> WebhookEndpoint:
    found = store.get(house.workspace_id, endpoint.id)
    assert found is not None
    return found


def log(house: House, endpoint: WebhookEndpoint) -> list[Delivery]:
    return deliveries.list_latest(house.workspace_id, endpoint.id, 100)


def pressed(browser: Browser, path: str, do: str) -> Screen:
    """What follows the button of the endpoint's screen that does this."""
    screen = browser.get(path)
    for number, form in enumerate(screen.dom.css("main form[method=post]")):
        if form.css_first(f"input[name=do][value={do}]") is not None:
            return browser.follow(browser.post(path, sent(screen, number)))
    raise AssertionError(f"no button does {do}")


def test_a_new_endpoint_shows_its_secret_once(house: House, browser: Browser) -> None:
    form = sent(browser.get(PATH), url=URL, event=["audit.finished", "issue.resolved"])
    shown = browser.post(PATH, form)
    (endpoint,) = store.list_all(house.workspace_id)
    assert (endpoint.url, endpoint.state) == (URL, "on")
    assert endpoint.events == ["issue.resolved", "audit.finished"]
    secret = shown.dom.css_first(".secret").text()
    assert secret.startswith("wos_wh_") and secret not in str(stored("ops"))
    again = browser.follow(browser.post(PATH, form))
    assert len(store.list_all(house.workspace_id)) == 1 and secret not in again.text
    assert "its secret was shown once" in again.main


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"event": []}, "Tick at least one event"),
        ({"event": ["everything"]}, "There is no event"),
        ({"url": ""}, "cannot be an endpoint"),
        ({"url": "http://hooks.example/"}, "https://"),
        ({"url": "https://10.0.0.1/"}, "not a public address"),
        ({"url": "https://hooks.example/" + "x" * 2_000}, "at most 2,000 characters"),
    ],
)
def test_a_refusal_is_explained_and_keeps_the_typed_values(
    house: House, browser: Browser, changed: dict[str, object], said: str
) -> None:
    form = sent(browser.get(PATH), url=URL, event=["audit.finished"]) | changed
    refused = browser.post(PATH, form)
    assert refused.status == 422 and said in refused.main
    assert sent(refused)["url"] == form["url"]
    assert store.list_all(house.workspace_id) == []


def test_a_test_is_sent_once_and_the_log_shows_its_outcome(house: House, browser: Browser) -> None:
    endpoint = added(house)
    path = f"{PATH}/{endpoint.id}"
    form = sent(browser.get(path))
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: browser.post(path, form), range(3)))
    (ping,) = log(house, endpoint)
    waiting = browser.get(path)
    assert "data-live" in waiting.dom.css_first("#log").attributes
    webhooks.deliver()
    shown = browser.get(path)
    assert "data-live" not in shown.dom.css_first("#log").attributes
    assert "ping" in shown.main and "failed" in shown.main
    detail = browser.get(f"{path}/deliveries/{ping.id}")
    (attempt,) = log(house, endpoint)[0].attempts
    assert str(attempt.error)[:40] in detail.main and "no answer" in detail.main
    assert detail.dom.css_first("pre").text() == ping.body.decode()
    file = browser.get(f"{path}/deliveries/{ping.id}?as=json")
    assert file.text.encode() == ping.body and file.headers["content-type"].startswith("application/json")


def test_the_link_in_a_ping_event_opens_the_endpoint(house: House, browser: Browser) -> None:
    endpoint = added(house)
    ping = endpoints.ping(OPERATOR, house.workspace_id, endpoint.id)
    link = from_json(ping.body, dict)["link"]
    opened = browser.get(urlsplit(link).path)
    assert (opened.status, opened.heading) == (200, "Webhook") and URL in opened.main


def test_an_ended_delivery_can_be_sent_again(house: House, browser: Browser) -> None:
    endpoint = added(house)
    ping = endpoints.ping(OPERATOR, house.workspace_id, endpoint.id)
    path = f"{PATH}/{endpoint.id}/deliveries/{ping.id}"
    assert not browser.get(path).dom.css("main form[method=post]"), "it is still being tried"
    webhooks.deliver()
    form = sent(browser.get(path))
    replies = [browser.post(path, form) for _ in range(2)]
    assert replies[0].location == replies[1].location
    webhooks.deliver()
    (replayed,) = log(house, endpoint)
    assert [one.replay for one in replayed.attempts] == [False, True]
    assert "sent once more by a person" in browser.get(path).main


def test_an_endpoint_can_be_switched_off_and_on_and_says_who_switched_it_off(house: House, browser: Browser) -> None:
    endpoint = added(house)
    path = f"{PATH}/{endpoint.id}"
    off = pressed(browser, path, "off")
    assert current(house, endpoint).state == "off" and "switched off by a person" in off.main
    assert "switched off by a person" in browser.get(PATH).main
    pressed(browser, path, "on")
    assert current(house, endpoint).state == "on"


def test_editing_address_and_events_keeps_the_secret(house: House, browser: Browser) -> None:
    endpoint = added(house)
    path = f"{PATH}/{endpoint.id}"
    form = sent(browser.get(path), 2)
    assert (form["url"], form["event"]) == (URL, ["audit.finished"])
    other = "https://other.example/"
    saved = browser.follow(browser.post(path, form | {"url": other, "event": list(EVENT_KINDS)}))
    assert "Saved." in saved.main and other in saved.main
    changed = current(house, endpoint)
    assert (changed.url, changed.events, changed.secret) == (other, list(EVENT_KINDS), endpoint.secret)
    refused = browser.post(path, form | {"nonce": "b" * 32, "event": []})
    assert refused.status == 422 and current(house, endpoint) == changed


def test_removing_an_endpoint_requires_confirmation(house: House, browser: Browser) -> None:
    endpoint = added(house)
    path = f"{PATH}/{endpoint.id}"
    asked = browser.get(f"{path}?ask=remove")
    assert "Remove this endpoint and its secret?" in asked.main and current(house, endpoint)
    done = pressed(browser, path + "?ask=remove", "remove")
    assert "The endpoint is removed." in done.main
    assert store.list_all(house.workspace_id) == []
    assert browser.get(path).status == 404
    token = sent(browser.get(PATH))["token"]
    for do in ("remove", "test", "on", "off", "edit"):
        assert browser.post(path, {"token": token, "do": do, "url": URL, "event": "audit.finished"}).status == 404


@pytest.mark.parametrize("role", ["member", "client_viewer"])
def test_a_role_without_the_right_cannot_see_or_change_endpoints(house: House, browser: Browser, role: str) -> None:
    endpoint = added(house)
    ping = endpoints.ping(OPERATOR, house.workspace_id, endpoint.id)
    webhooks.deliver()
    other = of_role(house, role)
    portfolio = other.get("/app")
    assert "Webhooks" not in portfolio.text
    token = portfolio.dom.css_first("input[name=token]").attributes["value"]
    before = stored("webhooks")
    for path in (PATH, f"{PATH}/{endpoint.id}", f"{PATH}/{endpoint.id}/deliveries/{ping.id}"):
        assert other.get(path).status == 403
        for do in ("", "test", "on", "off", "edit", "remove"):
            fields = {"token": token, "do": do, "url": "https://evil.example/", "event": "audit.finished"}
            assert other.post(path, fields).status == 403
    assert stored("webhooks") == before


def test_endpoints_and_deliveries_of_another_workspace_are_not_found(house: House, browser: Browser) -> None:
    others = settle("Others", "others.example")
    theirs, ours = added(others), added(house)
    ping = endpoints.ping(OPERATOR, others.workspace_id, theirs.id)
    webhooks.deliver()
    token = sent(browser.get(PATH))["token"]
    own = endpoints.ping(OPERATOR, house.workspace_id, added(house).id)
    webhooks.deliver()
    before = stored("webhooks")
    for path in (
        f"{PATH}/{theirs.id}",
        f"{PATH}/{ours.id}/deliveries/{ping.id}",
        f"{PATH}/{ours.id}/deliveries/{own.id}",
    ):
        assert browser.get(path).status == 404
        for do in ("test", "on", "off", "edit", "remove"):
            assert browser.post(path, {"token": token, "do": do, "url": URL, "event": "audit.finished"}).status == 404
    assert stored("webhooks") == before


def test_a_long_body_is_shortened_on_the_screen_and_complete_in_the_file(
    house: House, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook_delivery, "MOST_SHOWN", 20)
    endpoint = added(house)
    ping = endpoints.ping(OPERATOR, house.workspace_id, endpoint.id)
    path = f"{PATH}/{endpoint.id}/deliveries/{ping.id}"
    screen = browser.get(path)
    assert screen.dom.css_first("pre").text() == ping.body.decode()[:20] and "Only the beginning" in screen.main
    assert browser.get(f"{path}?as=json").text.encode() == ping.body
