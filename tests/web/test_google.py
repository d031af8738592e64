"""Search Console and Analytics by a Google account, over the wire: the authorise page, the way back, every refusal."""

import logging
import re
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import urlopen

import msgspec
import pytest
from selectolax.lexbor import LexborHTMLParser

from chalicelib import clock
from chalicelib.connectors import google
from chalicelib.connectors.analytics import MOST_ASKED
from chalicelib.connectors.search_console import SearchConsole
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.connections import SourceKind
from chalicelib.operations import accounts, websites, workspace
from chalicelib.operations import sources as operations_sources
from chalicelib.settings.reading import forget_settings
from chalicelib.store import accounts as stored_accounts
from chalicelib.store import grants, sealed, secrets, sources
from chalicelib.store import websites as records
from chalicelib.store.websites import Website
from chalicelib.web.screens.google_callback import DENIED, NOTHING
from local.standins.analytics import PROPERTY, Analytics, Property
from local.standins.google import CLIENT_ID
from local.standins.search_console import Search
from local.standins.search_data import ListSearch
from tests import aws
from tests.api.conftest import House
from tests.searched import today
from tests.web.conftest import Browser, Screen, signed_in

URL = "https://shop.example/"
OWN = "sc-domain:shop.example"
BACK = "/app/google/callback"
NOT_VALID = "was already used, is older than ten minutes, or belongs to another person"


@pytest.fixture
def site(house: House, monkeypatch: pytest.MonkeyPatch) -> Website:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    return websites.add(OPERATOR, house.workspace_id, URL, name="Shop")


@pytest.fixture
def search(site: Website, monkeypatch: pytest.MonkeyPatch) -> Iterator[Search]:
    found = Search(OWN, ListSearch({}, today()))
    for name, value in found.settings({}).items():
        monkeypatch.setenv(name, value)
    forget_settings()
    google.forget_tokens()
    yield found
    found.stop()
    google.forget_tokens()


@pytest.fixture
def analytics(search: Search, monkeypatch: pytest.MonkeyPatch) -> Iterator[Analytics]:
    found = Analytics(search.accounts, Property(lambda _: [], hosts=["shop.example"]))
    for name, value in found.settings({}).items():
        monkeypatch.setenv(name, value)
    forget_settings()
    yield found
    found.stop()


def path_of(site: Website) -> str:
    return f"/app/sites/{site.id}/connections"


def pressed(browser: Browser, site: Website, kind: str = "search") -> Screen:
    """The screen after the button "Connect with Google" of a kind was pressed."""
    path = path_of(site)
    for form in browser.get(path).dom.css("main form[method=post]"):
        fields = {str(one.attributes["name"]): one.attributes.get("value") or "" for one in form.css("input[name]")}
        if (fields["do"], fields["kind"]) == ("google", kind):
            return browser.post(path, fields)
    raise AssertionError(f"no button for {kind}")


def link(screen: Screen) -> str:
    found = screen.dom.css_first("#google")
    assert found is not None, screen.main
    return str(found.attributes["href"])


def at_google(url: str, answer: str = "allow") -> str:
    """Path and query that a person's answer on the authorise page leads back to."""
    with urlopen(url, timeout=10) as page:
        found = LexborHTMLParser(page.read().decode()).css_first(f"#{answer}")
    assert found is not None
    back = urlsplit(str(found.attributes["href"]))
    assert f"{back.scheme}://{back.netloc}{back.path}" == f"http://localhost{BACK}"
    return f"{back.path}?{back.query}"


def led_back(browser: Browser, site: Website, kind: str = "search") -> Screen:
    return browser.get(at_google(link(pressed(browser, site, kind))))


def connection(site: Website, kind: SourceKind) -> Any:
    found = records.get(site.workspace_id, site.id)
    assert found is not None
    return found.connections.source(kind)


def forget_secrets() -> None:
    """What a new process knows: no secret and no access token."""
    secrets._kept.clear()
    google.forget_tokens()


def test_a_person_connects_search_console_with_their_google_account(
    site: Website,
    browser: Browser,
    search: Search,
    house: House,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    url = link(pressed(browser, site))
    asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    assert asked["scope"] == "https://www.googleapis.com/auth/webmasters.readonly"
    back = at_google(url)
    code = parse_qs(urlsplit(back).query)["code"][0]
    screen = browser.get(back)
    assert screen.status == 200 and "Connect Search Console to Shop (shop.example)" in screen.main
    assert search.accounts.codes == 0 and connection(site, "search") is None, "to be led back changes nothing"
    done = browser.follow(browser.submit(screen, BACK))
    assert "Search Console is connected." in done.main and OWN in done.main and CLIENT_ID in done.main
    granted = search.accounts.grant_file()
    kept = sources.get(site.id, "search")
    assert kept is not None and google.unpacked(kept.secret().reveal()) == google.account(granted)
    assert grants.get(site.id, "search") is None
    noted = [one.act for one in workspace.log(OPERATOR, house.workspace_id, 500) if one.act.act == "connection.made"]
    assert [(one.person_id, one.about) for one in noted] == [(house.person_id, "Shop: search")]
    told = capsys.readouterr()
    stored = "".join(str(aws.stored(table)) for table in ("accounts", "ops", "sites", "jobs"))
    for said in (done.text, stored, caplog.text, told.out, told.err):
        for secret in (granted["refresh_token"], granted["client_secret"], code, asked["state"]):
            assert secret not in said


def test_a_form_or_a_google_code_that_is_sent_twice_takes_effect_once(
    site: Website, browser: Browser, search: Search
) -> None:
    screen = led_back(browser, site)
    first = browser.submit(screen, BACK)
    made = sources.get(site.id, "search")
    again = browser.submit(screen, BACK)
    assert first.status == 303 and again.status == 404 and NOT_VALID in again.main
    assert sources.get(site.id, "search") == made and search.accounts.codes == 1


def test_a_refusal_at_google_is_shown_and_changes_nothing(site: Website, browser: Browser, search: Search) -> None:
    screen = browser.get(at_google(link(pressed(browser, site)), "deny"))
    assert screen.status == 200 and DENIED in screen.main and not screen.dom.css("main form")
    assert connection(site, "search") is None
    back = screen.dom.css_first("main a")
    assert back is not None and back.attributes["href"] == path_of(site)


def test_a_google_sign_in_must_be_completed_within_ten_minutes(
    site: Website, browser: Browser, search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = led_back(browser, site)
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + 601)
    late = browser.submit(screen, BACK)
    assert late.status == 404 and NOT_VALID in late.main
    assert search.accounts.codes == 0 and connection(site, "search") is None


def test_a_google_sign_in_must_be_completed_in_the_same_session(
    site: Website, browser: Browser, search: Search, house: House
) -> None:
    back = at_google(link(pressed(browser, site)))
    other = signed_in(house, accounts.add_person(OPERATOR, house.workspace_id, "two@example.com", "admin").id)
    shown = other.get(back)
    assert shown.status == 404 and NOT_VALID in shown.main and "shop.example" not in shown.main
    fields = browser.get(back).fields(BACK)
    forged = {name: value for name, value in fields.items() if name != "nonce"} | {"token": pressed_token(other)}
    assert other.post(BACK, forged).status == 404
    assert search.accounts.codes == 0 and connection(site, "search") is None
    stranger = Browser().get(back)
    assert stranger.status == 303 and urlsplit(stranger.location).path == "/app/sign-in"


def test_a_website_can_be_connected_even_if_another_workspace_is_selected(
    site: Website, browser: Browser, search: Search, house: House
) -> None:
    url = link(pressed(browser, site))
    first = accounts.create_workspace(OPERATOR, "Aardvark", "starter")
    owner = stored_accounts.person(house.workspace_id, house.person_id)
    assert owner is not None
    accounts.add_person(OPERATOR, first.id, owner.email, "owner")
    screen = browser.get(at_google(url))
    assert screen.status == 200 and "Connect Search Console to Shop (shop.example)" in screen.main
    assert "Search Console is connected." in browser.follow(browser.submit(screen, BACK)).main
    assert connection(site, "search") is not None


def test_an_unknown_error_of_google_is_shown_as_text(site: Website, browser: Browser, search: Search) -> None:
    back = at_google(link(pressed(browser, site)), "deny")
    hostile = urlencode({"error": "<img src=x>\u202e" + "x" * 500})
    screen = browser.get(back.replace("error=access_denied", hostile))
    assert "returned no code (<img src=x>xxx" in screen.main and not screen.dom.css("main img, main form")
    assert len(screen.main) < 400
    none = browser.get(back.replace("error=access_denied&", ""))
    assert "returned no code (no error)" in none.main and not none.dom.css("main form")


@pytest.mark.parametrize(
    "state", ["x", "", "a.search." + "b" * 43, "a.cms." + "b" * 43, "é.search." + "b" * 43, "x" * 5000]
)
def test_an_invalid_state_parameter_is_refused_with_a_reason(browser: Browser, search: Search, state: str) -> None:
    query = urlencode({"state": state, "code": "4/x"})
    shown = browser.get(f"{BACK}?{query}")
    assert (NOT_VALID if state else NOTHING) in shown.main and not shown.dom.css("main form")
    token = pressed_token(browser)
    assert browser.post(BACK, {"token": token, "state": state, "code": "4/x"}).status == 404


def pressed_token(browser: Browser) -> str:
    """A form token of the session."""
    found = browser.get("/app/sessions").dom.css_first("[name=token]")
    assert found is not None
    return str(found.attributes["value"])


def test_a_second_google_sign_in_invalidates_the_first(site: Website, browser: Browser, search: Search) -> None:
    first, second = link(pressed(browser, site)), link(pressed(browser, site))
    assert NOT_VALID in browser.get(at_google(first)).main
    assert browser.submit(browser.get(at_google(second)), BACK).status == 303


def test_a_permission_not_granted_at_google_is_explained(site: Website, browser: Browser, search: Search) -> None:
    search.accounts.scopes = "openid"
    refused = browser.submit(led_back(browser, site), BACK)
    assert refused.status == 422 and "was not ticked at Google" in refused.main
    assert connection(site, "search") is None


def test_a_google_code_works_only_in_the_sign_in_it_was_issued_in(
    site: Website, browser: Browser, search: Search, analytics: Analytics
) -> None:
    stolen = parse_qs(urlsplit(at_google(link(pressed(browser, site, "analytics")))).query)["code"][0]
    screen = led_back(browser, site)
    refused = browser.submit(screen, BACK, code=stolen)
    assert refused.status == 422 and "no longer accepts this sign-in" in refused.main and stolen not in refused.main
    assert browser.submit(screen, BACK).status == 422 and search.accounts.codes == 0
    assert connection(site, "search") is None


def test_a_person_chooses_between_several_properties_of_the_website(
    site: Website, browser: Browser, search: Search
) -> None:
    search.listed = {
        "https://shop.example/": "siteOwner",
        OWN: "siteFullUser",
        "sc-domain:other.example": "siteOwner",
        "http://shop.example/": "siteUnverifiedUser",
    }
    choice = browser.submit(led_back(browser, site), BACK)
    assert choice.status == 200 and connection(site, "search") is None
    shown = [option.attributes["value"] for option in choice.dom.css("main option")]
    assert shown == ["https://shop.example/", OWN]
    forget_secrets()
    foreign = browser.submit(choice, BACK, property="sc-domain:other.example")
    assert foreign.status == 422 and "does not belong to shop.example" in foreign.main
    done = browser.follow(browser.submit(choice, BACK, property=OWN))
    assert "Search Console is connected." in done.main and connection(site, "search").name == OWN
    assert search.accounts.codes == 1
    again = browser.submit(choice, BACK, property=OWN)
    assert again.status == 404 and NOT_VALID in again.main


def test_an_account_without_a_property_of_the_website_gets_advice(
    site: Website, browser: Browser, search: Search
) -> None:
    search.listed = {"sc-domain:other.example": "siteOwner"}
    screen = led_back(browser, site)
    refused = browser.submit(screen, BACK)
    assert refused.status == 422 and "no property of shop.example in Search Console" in refused.main
    search.listed = {OWN: "siteOwner"}
    done = browser.submit(screen, BACK)
    assert done.status == 303 and search.accounts.codes == 1, "what was granted is still there for ten minutes"


def test_the_analytics_property_that_measures_the_website_is_connected(
    site: Website, browser: Browser, analytics: Analytics
) -> None:
    analytics.listed = {"42": ["https://other.example"], PROPERTY: ["https://www.shop.example/"], "43": []}
    done = browser.follow(browser.submit(led_back(browser, site, "analytics"), BACK))
    assert "Analytics is connected." in done.main and connection(site, "analytics").name == PROPERTY


def test_a_property_of_another_address_is_connected_only_when_chosen(
    site: Website, browser: Browser, analytics: Analytics
) -> None:
    analytics.listed = {PROPERTY: ["https://app.shop.example", "::", "https://[bad"]}
    choice = browser.submit(led_back(browser, site, "analytics"), BACK)
    assert choice.status == 200 and connection(site, "analytics") is None
    assert [one.text().strip() for one in choice.dom.css("main option")] == [f"Property {PROPERTY} ({PROPERTY})"]
    done = browser.follow(browser.submit(choice, BACK, property=PROPERTY))
    assert "Analytics is connected." in done.main and connection(site, "analytics").name == PROPERTY


def test_a_matching_property_is_not_chosen_automatically_while_others_are_unread(
    site: Website, browser: Browser, analytics: Analytics
) -> None:
    others = {str(number): ["https://other.example"] for number in range(1, MOST_ASKED)}
    analytics.listed = {PROPERTY: ["https://shop.example/"], **others, "99": ["https://shop.example/"]}
    choice = browser.submit(led_back(browser, site, "analytics"), BACK)
    assert choice.status == 200 and connection(site, "analytics") is None
    assert [one.attributes["value"] for one in choice.dom.css("main option")] == [PROPERTY, "99"]
    done = browser.follow(browser.submit(choice, BACK, property=PROPERTY))
    assert "Analytics is connected." in done.main and connection(site, "analytics").name == PROPERTY


def test_the_property_of_a_folder_is_connected_only_when_chosen(
    site: Website, browser: Browser, search: Search
) -> None:
    search.listed = {"https://shop.example/blog/": "siteOwner"}
    choice = browser.submit(led_back(browser, site), BACK)
    assert choice.status == 200 and connection(site, "search") is None
    assert [one.attributes["value"] for one in choice.dom.css("main option")] == ["https://shop.example/blog/"]


def test_restarting_the_google_sign_in_invalidates_a_running_connection(
    site: Website, browser: Browser, search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen, checked, asked = led_back(browser, site), SearchConsole.check, []

    def begun_again(console: SearchConsole) -> None:
        checked(console)
        found = grants.get(site.id, "search")
        assert found is not None
        grants.put(msgspec.structs.replace(found, state="0" * 64))

    def once(seconds: float | None = None) -> Iterator[int]:
        asked.append(seconds)
        yield 0

    monkeypatch.setattr(SearchConsole, "check", begun_again)
    monkeypatch.setattr(operations_sources, "tries", once)  # only the first is made
    refused = browser.submit(screen, BACK)
    assert refused.status == 422 and NOT_VALID in refused.main and len(asked) == 1
    assert connection(site, "search") is None


def test_after_a_busy_error_the_same_choice_can_be_sent_again(
    site: Website, browser: Browser, search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = led_back(browser, site)

    def never(seconds: float | None = None) -> Iterator[int]:
        yield from ()

    with monkeypatch.context() as patched:
        patched.setattr(operations_sources, "tries", never)
        refused = browser.submit(screen, BACK)
    assert refused.status == 409 and connection(site, "search") is None
    assert "Try again" in refused.main and not refused.dom.css("main select")
    assert browser.submit(refused, BACK).status == 303 and connection(site, "search") is not None


def test_a_google_code_is_not_kept_if_the_person_must_sign_in_first(
    site: Website, browser: Browser, search: Search
) -> None:
    code = led_back(browser, site).fields(BACK)["code"]
    stranger = Browser()
    asked = stranger.get(f"{BACK}?{urlencode({'state': 'a', 'code': code})}")
    assert asked.status == 303 and code not in f"{asked.headers}"
    assert parse_qs(urlsplit(asked.location).query)["next"] == [BACK]
    assert NOTHING in browser.get(BACK).main


def test_an_account_without_any_analytics_property_gets_advice(
    site: Website, browser: Browser, analytics: Analytics
) -> None:
    analytics.listed = {}
    refused = browser.submit(led_back(browser, site, "analytics"), BACK)
    assert refused.status == 422 and "may read no property in Analytics" in refused.main


def test_access_withdrawn_at_google_is_explained_with_the_button_to_press(
    site: Website, browser: Browser, search: Search
) -> None:
    done = browser.follow(browser.submit(led_back(browser, site), BACK))
    search.accounts.refuses = True
    forget_secrets()
    form = next(
        {str(one.attributes["name"]): one.attributes.get("value") or "" for one in form.css("input[name]")}
        for form in done.dom.css("#search form[method=post]")
        if form.css_first("[value=check]") is not None
    )
    asked = browser.follow(browser.post(path_of(site), form))
    assert connection(site, "search").broken
    assert "it was withdrawn or has expired. Connect the account again" in asked.main
    search.accounts.refuses = False
    assert browser.submit(led_back(browser, site), BACK).status == 303
    assert not connection(site, "search").broken


def test_a_missing_oauth_client_names_the_settings(
    site: Website, browser: Browser, search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = pressed_token(browser)
    monkeypatch.setenv("GOOGLE_CLIENT_SECRET", "")
    forget_settings()
    refused = pressed(browser, site)
    assert refused.status == 422 and "must first set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET" in refused.main
    monkeypatch.setenv("GOOGLE_CLIENT_ID", "")
    forget_settings()
    screen = browser.get(path_of(site))
    assert "GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET" in screen.main and "Connect with Google" not in screen.main
    sent = {"token": token, "do": "google", "kind": "search"}
    assert browser.post(path_of(site), sent).status == 422 and grants.get(site.id, "search") is None


def test_a_member_or_an_invalid_kind_cannot_start_a_google_sign_in(
    site: Website, browser: Browser, search: Search, house: House
) -> None:
    person = accounts.add_person(OPERATOR, house.workspace_id, "member@example.com", "member")
    member = signed_in(house, person.id)
    assert "Connect with Google" not in member.get(path_of(site)).main
    sent = {"token": pressed_token(member), "do": "google", "kind": "search"}
    assert member.post(path_of(site), sent).status == 403
    sent = {"token": pressed_token(browser), "do": "google", "kind": "cms"}
    assert browser.post(path_of(site), sent).status == 422
    assert grants.get(site.id, "search") is None


def test_credentials_of_an_unfinished_google_sign_in_are_reencrypted_too(
    site: Website, browser: Browser, search: Search
) -> None:
    pressed(browser, site)
    grant = grants.get(site.id, "search")
    assert grant is not None and grant.secret().reveal() not in repr(grant)
    (found,) = sealed.of_connections(site.workspace_id, site.id)
    assert (
        found.value == grant.sealed and secrets.unseal(found.value, **found.context).reveal() == grant.secret().reveal()
    )
    assert re.fullmatch(r"[0-9a-f]{64}", grant.state)


def test_the_google_stand_in_refuses_an_incomplete_request(search: Search) -> None:
    with pytest.raises(HTTPError, match="400"):
        urlopen(f"{search.accounts.auth_url}?client_id={CLIENT_ID}", timeout=10)
