"""Connections in the app: made against the stand-ins, told, asked, ended; nothing that was pasted is shown or kept."""

import json
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from chalicelib.connectors import google
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, websites, workspace
from chalicelib.settings.reading import forget_settings
from chalicelib.store import api_keys, secrets
from chalicelib.store import connections as stored
from chalicelib.store import sources as stored_sources
from chalicelib.store import websites as records
from chalicelib.store.websites import Website
from chalicelib.web.screens.connections import NOT_A_FILE
from local.standins.analytics import Analytics, Property
from local.standins.cms import Cms, ListSite
from local.standins.google import GoogleAccounts
from local.standins.search_console import Search
from local.standins.search_data import ListSearch
from local.standins.shop import NAME, TOKEN, Shop
from local.standins.shop_items import ListShop
from tests import aws
from tests.api.conftest import House
from tests.searched import today
from tests.web.conftest import Browser, Screen, signed_in, viewer

URL = "https://shop.example/"
HOSTILE = "</textarea><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


@pytest.fixture
def site(house: House, monkeypatch: pytest.MonkeyPatch) -> Website:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    return websites.add(OPERATOR, house.workspace_id, URL, name="Shop")


@pytest.fixture
def path(site: Website) -> str:
    return f"/app/sites/{site.id}/connections"


@pytest.fixture
def cms(site: Website) -> Iterator[Cms]:
    found = Cms(ListSite(3))
    yield found
    found.stop()


def form_of(screen: Screen, what: str, kind: str) -> dict[str, str]:
    """The fields of the form that does this to a connection, as a browser would send them."""
    for form in screen.dom.css("main form[method=post]"):
        fields = {str(one.attributes["name"]): one.attributes.get("value") or "" for one in form.css("input[name]")}
        if (fields["do"], fields["kind"]) == (what, kind):
            for one in form.css("textarea"):
                assert one.text() == "", "nothing that was pasted is shown"
            return fields
    raise AssertionError(f"nothing to {what} {kind}")


def card(screen: Screen, kind: str) -> str:
    found = screen.dom.css_first(f"#{kind}")
    assert found is not None
    return str(found.text())


def kept(site: Website) -> Any:
    found = records.get(site.workspace_id, site.id)
    assert found is not None
    return found.connections


def asked_anew(browser: Browser, path: str, kind: str) -> Screen:
    """The screen after a connection was asked by a process that holds no secret and no token of it."""
    secrets._kept.clear()
    google.forget_tokens()
    return browser.follow(browser.post(path, form_of(browser.get(path), "check", kind)))


def live_keys(site: Website) -> list[str]:
    return [key.id for key in api_keys.list_all(site.workspace_id) if key.kind == "website" and key.revoked_at is None]


# -- CMS ---------------------------------------------------------------------------------------------------


def test_a_cms_can_be_connected_by_its_code_checked_and_disconnected(
    site: Website, browser: Browser, path: str, cms: Cms, house: House
) -> None:
    form = form_of(browser.get(path), "connect", "cms")
    assert form["url"] == URL
    code = cms.code()
    done = browser.follow(browser.post(path, form | {"url": cms.url, "code": code}))
    assert "CMS is connected." in done.main and "works" in card(done, "cms") and code not in done.text
    credentials = stored.get(site.id, "cms")
    assert credentials is not None and live_keys(site) == [credentials.key_id]
    key = api_keys.get(credentials.key_id)
    assert key is not None and (key.person_id, list(key.scopes)) == (house.person_id, ["content:write"])
    assert cms.pairing is not None and cms.pairing.base_url.startswith("http://localhost")
    cms.fault = "access"
    asked = browser.follow(browser.post(path, form_of(done, "check", "cms")))
    assert "does not work" in card(asked, "cms") and "Its answer is below" in asked.main
    cms.fault = "none"
    assert "and works" in asked_anew(browser, path, "cms").main
    gone = browser.follow(browser.post(path, form_of(browser.get(path), "disconnect", "cms")))
    assert "CMS is disconnected." in gone.main and "not connected" in card(gone, "cms")
    assert kept(site).cms is None and live_keys(site) == [] and stored.get(site.id, "cms") is None
    noted = [
        one.act for one in workspace.log(OPERATOR, house.workspace_id, 500) if one.act.act.startswith("connection.")
    ]
    assert [(one.act, one.person_id, one.about) for one in noted] == [
        ("connection.removed", house.person_id, "Shop: cms"),
        ("connection.made", house.person_id, "Shop: cms"),
    ]


def test_a_wrong_code_is_reported_and_not_shown_again(site: Website, browser: Browser, path: str, cms: Cms) -> None:
    form = form_of(browser.get(path), "connect", "cms") | {"url": cms.url, "code": "a-wrong-code"}
    refused = browser.post(path, form)
    assert refused.status == 422 and "The code is not the one that the connector shows" in card(refused, "cms")
    assert "a-wrong-code" not in refused.text and form_of(refused, "connect", "cms")["url"] == cms.url
    assert kept(site).cms is None and live_keys(site) == []


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"url": "http://10.0.0.1", "code": "x"}, "could not be reached"),
        ({"url": "ftp://shop.example", "code": "x"}, "must be the address of the connector"),
        ({"url": HOSTILE, "code": "x"}, "must be the address of the connector"),
        ({"url": URL, "code": ""}, "The pairing code is invalid"),
        ({"url": URL, "code": "x" * 900}, "The pairing code is invalid"),
    ],
)
def test_an_error_of_the_cms_is_shown(
    site: Website, browser: Browser, path: str, typed: dict[str, str], said: str
) -> None:
    refused = browser.post(path, form_of(browser.get(path), "connect", "cms") | typed)
    assert refused.status == 422 and said in card(refused, "cms")
    assert not refused.dom.css("img, script:not([src])") and kept(site).cms is None


def test_a_double_click_pairs_once(site: Website, browser: Browser, path: str, cms: Cms) -> None:
    form = form_of(browser.get(path), "connect", "cms") | {"url": cms.url, "code": cms.code()}
    with ThreadPoolExecutor(3) as pool:
        answers = [one.status for one in pool.map(lambda _: browser.post(path, form), range(3))]
    assert 303 in answers and set(answers) <= {303, 409}
    credentials = stored.get(site.id, "cms")
    assert credentials is not None and live_keys(site) == [credentials.key_id]
    assert cms.pairing is not None and cms.pairing.secret == credentials.secret().reveal()


# -- shop --------------------------------------------------------------------------------------------------


def test_the_key_for_a_shop_is_shown_once_and_is_not_created_twice(
    site: Website, browser: Browser, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(ListShop(3))
    monkeypatch.setenv("SHOP_ADMIN_URL", shop.url)
    forget_settings()
    try:
        form = form_of(browser.get(path), "connect", "shop") | {"shop": NAME, "access_token": TOKEN}
        shown = browser.post(path, form)
        assert shown.status == 200 and shown.headers["cache-control"] == "private, no-store"
        key = shown.dom.css_first("#key").text()
        assert key.startswith("wos_site_") and TOKEN not in shown.text
        again = browser.follow(browser.post(path, form))
        assert key not in again.text and "was shown once" in again.main
        credentials = stored.get(site.id, "shop")
        assert credentials is not None and live_keys(site) == [credentials.key_id]
        assert [row for row in aws.rows("ops") if key in str(row)] == []
        working = asked_anew(browser, path, "shop").main
        assert "and works" in working and "lacks" not in working
        assert "alt texts, description, noindex, title, redirects" in working
        shop.scopes = ("write_products", "write_files")
        assert "write_online_store_navigation (redirects)" in asked_anew(browser, path, "shop").main
        wrong = browser.post(path, form_of(again, "connect", "shop") | {"shop": "a b", "access_token": "shpat_secret"})
        assert wrong.status == 422 and "shpat_secret" not in wrong.text
        gone = browser.follow(browser.post(path, form_of(browser.get(path), "disconnect", "shop")))
        assert "Shop is disconnected." in gone.main and kept(site).shop is None and live_keys(site) == []
    finally:
        shop.stop()


# -- Search Console and Analytics --------------------------------------------------------------------------


@pytest.fixture
def search(site: Website, monkeypatch: pytest.MonkeyPatch) -> Iterator[Search]:
    found = Search("sc-domain:shop.example", ListSearch({}, today()))
    for name, value in found.settings({}).items():
        monkeypatch.setenv(name, value)
    forget_settings()
    google.forget_tokens()
    yield found
    found.stop()
    google.forget_tokens()


def test_search_console_is_connected_by_a_pasted_file_that_is_never_shown(
    site: Website,
    browser: Browser,
    path: str,
    search: Search,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    form = form_of(browser.get(path), "connect", "search")
    assert form["property"] == "sc-domain:shop.example"
    given = search.credentials()
    pasted = json.dumps(given["credentials"], indent=2)
    posted = browser.post(path, form | {"property": given["property"], "file": pasted})
    done = browser.follow(posted)
    assert "Search Console is connected." in done.main
    shown = card(done, "search")
    assert given["property"] in shown and given["credentials"]["client_email"] in shown
    kept_account = stored_sources.get(site.id, "search")
    assert kept_account is not None
    assert google.unpacked(kept_account.secret().reveal()) == google.account(given["credentials"])
    assert "and works" in asked_anew(browser, path, "search").main
    key = given["credentials"]["private_key"][60:120]
    for said in (done.text, caplog.text, *capsys.readouterr(), repr(posted), str(aws.rows("ops"))):
        assert key not in said and key.replace("\n", "\\n") not in said
    gone = browser.follow(browser.post(path, form_of(browser.get(path), "disconnect", "search")))
    assert "Search Console is disconnected." in gone.main
    assert kept(site).search is None and stored_sources.get(site.id, "search") is None


def test_a_refused_account_is_explained_without_its_file(
    site: Website, browser: Browser, path: str, search: Search
) -> None:
    form = form_of(browser.get(path), "connect", "search")
    given = search.credentials()["credentials"]
    other = json.dumps(given | {"client_email": "nobody@else.example"})
    refused = browser.post(path, form | {"property": "sc-domain:shop.example", "file": other})
    assert refused.status == 422 and card(refused, "search") and given["private_key"][60:120] not in refused.text
    elsewhere = browser.post(path, form | {"property": "sc-domain:other.example", "file": json.dumps(given)})
    assert elsewhere.status == 422 and "does not belong to shop.example" in card(elsewhere, "search")
    assert form_of(elsewhere, "connect", "search")["property"] == "sc-domain:other.example"
    assert kept(site).search is None


@pytest.mark.parametrize(
    "pasted",
    [
        "",
        "x",
        "{",
        "[" * 8000,
        "[1]",
        '"a secret word"',
        '{"type": "service_account", "private_key": "a secret word"}',
        '{"a secret word": 1' + " " * 9000 + "}",
    ],
)
def test_an_invalid_file_is_refused_and_not_shown_again(
    site: Website, browser: Browser, path: str, pasted: str, caplog: pytest.LogCaptureFixture
) -> None:
    for kind, name in (("search", "sc-domain:shop.example"), ("analytics", "123")):
        form = form_of(browser.get(path), "connect", kind)
        refused = browser.post(path, form | {"property": name, "file": pasted})
        assert refused.status == 422
        assert NOT_A_FILE in card(refused, kind) or "In `credentials`" in card(refused, kind)
        assert "a secret word" not in refused.text + caplog.text
    assert kept(site).search is None and kept(site).analytics is None


def test_analytics_is_connected_by_its_property_number(
    site: Website, browser: Browser, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = GoogleAccounts()
    told = Analytics(named, Property(lambda _: [], hosts=["shop.example"]))
    monkeypatch.setenv("GOOGLE_TOKEN_URL", named.url)
    monkeypatch.setenv("ANALYTICS_DATA_URL", told.url)
    forget_settings()
    google.forget_tokens()
    try:
        given = told.credentials()
        form = form_of(browser.get(path), "connect", "analytics")
        pasted = json.dumps(given["credentials"])
        done = browser.follow(browser.post(path, form | {"property": str(given["property"]), "file": pasted}))
        assert "Analytics is connected." in done.main and str(given["property"]) in card(done, "analytics")
        assert "and works" in asked_anew(browser, path, "analytics").main
    finally:
        told.stop()
        named.stop()
        google.forget_tokens()
    gone = browser.follow(browser.post(path, form_of(browser.get(path), "disconnect", "analytics")))
    assert "Analytics is disconnected." in gone.main and kept(site).analytics is None


# -- who may -----------------------------------------------------------------------------------------------


def test_a_member_can_check_but_not_connect_or_disconnect(
    site: Website, browser: Browser, path: str, cms: Cms, house: House
) -> None:
    form = form_of(browser.get(path), "connect", "cms")
    browser.post(path, form | {"url": cms.url, "code": cms.code()})
    person = accounts.add_person(OPERATOR, house.workspace_id, "member@example.com", "member")
    member = signed_in(house, person.id)
    screen = member.get(path)
    token = form_of(screen, "check", "cms")["token"]
    assert [form.css_first("[name=do]").attributes["value"] for form in screen.dom.css("main form[method=post]")] == [
        "check"
    ]
    before = kept(site)
    for what in ("connect", "disconnect"):
        for kind, more in (("cms", {"url": cms.url, "code": "x"}), ("search", {"property": "x", "file": "{}"})):
            sent = {"token": token, "do": what, "kind": kind, **more}
            assert member.post(path, sent).status in (403, 422), (what, kind)
    assert kept(site) == before and live_keys(site)
    assert member.post(path, form_of(screen, "check", "cms")).status == 303


def test_a_viewer_sees_connection_states_but_no_form(site: Website, house: House) -> None:
    client = viewer(house, site.id)
    shown = client.get(f"/app/sites/{site.id}/connections")
    assert shown.status == 200 and not shown.dom.css("main form") and "not connected" in card(shown, "cms")


@pytest.mark.parametrize(("what", "kind"), [("connect", "other"), ("", "cms"), ("steal", "search"), ("connect", "")])
def test_form_values_outside_the_form_are_refused(
    site: Website, browser: Browser, path: str, what: str, kind: str
) -> None:
    token = form_of(browser.get(path), "connect", "cms")["token"]
    assert browser.post(path, {"token": token, "do": what, "kind": kind}).status == 404
    assert browser.post(path, {"token": token, "do": "check", "kind": "cms"}).status == 409
    assert browser.post(path, {"token": token, "do": "disconnect", "kind": "cms"}).status == 409
