"""A website is added in the app: looked up, once, within the plan, with its first audit."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawls, website_names, websites
from chalicelib.store.website_names import NameRow
from tests.api.conftest import House
from tests.web.conftest import Browser, Screen, viewer

PATH = "/app/add-website"
HOSTILE = "</title><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def named(monkeypatch: pytest.MonkeyPatch, settings: None) -> None:
    """What name servers would say of some hosts."""
    monkeypatch.setenv(
        "EXTRA_HOSTS", "new.example=1.1.1.1,acme.example=1.1.1.1,www.acme.example=1.1.1.1,inside.example=10.0.0.1"
    )
    forget_settings()


def listed(house: House) -> list[NameRow]:
    known = {house.site.id, house.other_site.id}
    return [row for row in website_names.list_all(house.workspace_id) if row.id not in known]


def send(browser: Browser, screen: Screen, **typed: str) -> Screen:
    return browser.post(PATH, {**screen.fields(PATH), **typed})


def test_adding_a_website_starts_its_first_audit(house: House, browser: Browser) -> None:
    assert PATH in browser.get("/app").text
    screen = browser.get(PATH)
    assert "2 of the plan's 3 websites are in use" in screen.main
    done = browser.follow(send(browser, screen, address="new.example/shop", name="The new one"))
    (row,) = listed(house)
    assert (row.name, row.url, row.host) == ("The new one", "https://new.example/shop", "new.example")
    assert done.heading == "The new one" and "its first audit is queued" in done.main
    (audit,) = crawls.list_audits(row.id, 25)
    assert (audit.status, audit.person_id) == ("queued", house.person_id)


def test_without_a_tick_no_first_audit_starts_but_the_screen_offers_one(house: House, browser: Browser) -> None:
    screen = browser.get(PATH)
    fields = {name: value for name, value in screen.fields(PATH).items() if name != "audit"}
    done = browser.follow(browser.post(PATH, {**fields, "address": "https://new.example"}))
    (row,) = listed(house)
    assert row.name == "new.example" and crawls.list_audits(row.id, 25) == []
    assert "Run its first audit now" in done.main and "Run audit" in done.main


@pytest.mark.parametrize(
    ("address", "name", "said"),
    [
        ("", "", "is not an http or https address"),
        ("ftp://new.example", "", "is not an http or https address"),
        ("https://u:p@new.example", "", "is not an http or https address"),
        ("http://127.0.0.1/", "", "not a public address"),
        ("http://inside.example/", "", "not a public address"),
        ("nowhere.example", "", "was not found in the DNS"),
        ("https://acme.example/elsewhere", "", "already has a website at that address"),
        ("https://www.acme.example/", "", "already has a website at that address"),
        ("https://new.example", "\u200b", "printable"),
        ("https://new.example/" + "a" * 5_000, "", "is not an http or https address"),
        (HOSTILE, HOSTILE, "is not an http or https address"),
    ],
)
def test_an_error_is_explained_and_the_typed_values_are_kept(
    house: House, browser: Browser, address: str, name: str, said: str
) -> None:
    refused = send(browser, browser.get(PATH), address=address, name=name)
    assert refused.status == 422 and said in refused.main
    assert refused.fields(PATH)["address"] == address[:2_048].strip()
    assert not refused.dom.css("img, script:not([src])")
    assert listed(house) == []


def test_adding_a_website_over_the_plan_is_refused_with_a_reason(house: House, browser: Browser) -> None:
    screen = browser.get(PATH)
    accounts.set_plan(OPERATOR, house.workspace_id, "free")
    refused = send(browser, screen, address="https://new.example")
    assert refused.status == 409 and "The plan Free has room for 1 website" in refused.main
    assert not browser.get(PATH).dom.css("main form[method=post]")
    assert listed(house) == []


def test_a_double_click_adds_one_website_and_two_tabs_respect_the_plan(house: House, browser: Browser) -> None:
    screen, *other = (browser.get(PATH) for _ in range(3))
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: send(browser, screen, address="https://new.example"), range(4)))
    assert len(listed(house)) == 1
    assert {one.status for one in answers} <= {303, 409}
    assert [send(browser, one, address="https://1.1.1.1").status for one in other] == [409, 409]
    found = accounts.existing_workspace(house.workspace_id)
    assert found.websites == len(website_names.list_all(house.workspace_id)) == 3


def test_a_viewer_gets_no_form_and_is_refused(house: House, browser: Browser) -> None:
    fields = browser.get(PATH).fields(PATH)
    client = viewer(house, house.site.id)
    assert client.get(PATH).status == 403 and PATH not in client.get("/app").text
    token = client.get("/app/sessions").dom.css_first("input[name=token]").attributes["value"]
    assert client.post(PATH, {**fields, "token": token, "address": "https://new.example"}).status == 403
    assert listed(house) == [] and websites.get(house.workspace_id, house.site.id) is not None
