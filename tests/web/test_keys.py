"""Keys are made in the app, shown once, edited and revoked; and by nobody whose role may not."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib import clock
from chalicelib.domain.accounts import keys as key_format
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, websites
from chalicelib.store import api_keys
from chalicelib.web import choosing
from tests.api.client import Client
from tests.api.conftest import House, settle
from tests.web.conftest import Browser, Screen, signed_in
from tests.web.settings import of_role, sent

PATH = "/app/settings/keys"
HOSTILE = "</h1><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


def made(house: House) -> list[api_keys.ApiKey]:
    """The keys of the workspace without the one that it began with."""
    return [key for key in api_keys.list_all(house.workspace_id) if key.name is not None]


def secret_of(screen: Screen) -> str:
    found = screen.dom.css_first(".secret")
    assert found is not None, screen.main
    return str(found.text())


def test_a_new_key_is_shown_once_and_works(house: House, browser: Browser) -> None:
    form = sent(browser.get(PATH), name="Reports", scope=["sites:read"], covers="some", site=[house.site.id])
    shown = browser.post(PATH, form)
    assert shown.status == 200 and shown.headers["cache-control"] == "private, no-store"
    secret = secret_of(shown)
    (key,) = made(house)
    assert (key.name, list(key.scopes), key.site_ids) == ("Reports", ["sites:read"], [house.site.id])
    assert key.person_id == house.person_id, "it acts as who made it"
    assert Client(secret).get(f"/sites/{house.site.id}").status == 200
    again = browser.follow(browser.post(PATH, form))
    assert len(made(house)) == 1 and secret not in again.text
    assert "shown once" in again.main and "Reports" in again.main


def test_the_key_of_a_website_names_it(house: House, browser: Browser) -> None:
    new = accounts.create_website_key(OPERATOR, house.site.id, house.person_id)
    facts = browser.get(f"{PATH}/{new.listed.id}").dom.css("dl.facts dt, dl.facts dd")
    texts = [one.text() for one in facts]
    assert texts[texts.index("Website") + 1] == house.site.name


def test_the_same_form_sent_twice_at_the_same_time_creates_one_key(house: House, browser: Browser) -> None:
    form = sent(browser.get(PATH), name="Reports", scope=["sites:read"])
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: browser.post(PATH, form), range(4)))
    assert len(made(house)) == 1
    assert sum(answer.status == 200 for answer in answers) == 1
    assert {answer.status for answer in answers} <= {200, 303, 409}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"scope": []}, "at least one scope"),
        ({"scope": ["everything"]}, "is not a scope"),
        ({"name": ""}, "1 to 100 printable"),
        ({"name": "x" * 101}, "1 to 100 printable"),
        ({"covers": "some", "site": []}, "at least one website"),
        ({"covers": "some", "site": ["site_of_others"]}, "There is no website"),
    ],
)
def test_a_refusal_is_explained_and_keeps_the_typed_values(
    house: House, browser: Browser, changed: dict[str, object], said: str
) -> None:
    form = sent(browser.get(PATH), name="Reports", scope=["pages:read"]) | changed
    refused = browser.post(PATH, form)
    assert refused.status == 422 and said in refused.main
    typed = sent(refused)
    assert (typed["name"], typed["covers"]) == (form["name"], form["covers"])
    assert typed["scope"] == [scope for scope in form["scope"] if scope == "pages:read"]
    assert made(house) == []


def test_editing_a_key_keeps_the_other_keys(house: House, browser: Browser) -> None:
    key = accounts.create_workspace_key(
        OPERATOR, house.workspace_id, house.person_id, ["sites:read"], [house.site.id], "Old"
    ).listed
    path = f"{PATH}/{key.id}"
    form = sent(browser.get(path))
    assert (form["name"], form["scope"], form["site"]) == ("Old", ["sites:read"], [house.site.id])
    saved = browser.follow(browser.post(path, form | {"name": "New", "scope": ["ai:read"], "covers": "all"}))
    assert saved.heading == "New" and "Saved." in saved.main
    changed = api_keys.get(key.id)
    assert changed is not None and (list(changed.scopes), changed.site_ids) == (["ai:read"], None)
    assert browser.post(path, form | {"scope": []}).status == 422


def test_revoking_a_key_requires_confirmation(house: House, browser: Browser) -> None:
    new = accounts.create_workspace_key(OPERATOR, house.workspace_id, house.person_id, ["sites:read"], None, "Old")
    path = f"{PATH}/{new.listed.id}"
    asked = browser.get(f"{path}?ask=revoke")
    assert "Revoke this key for good?" in asked.main
    assert Client(new.secret).get(f"/sites/{house.site.id}").status == 200, "asking does nothing"
    done = browser.follow(browser.post(path, sent(asked)))
    assert "The key is revoked." in done.main
    assert Client(new.secret).get(f"/sites/{house.site.id}").status == 401
    gone = browser.get(path)
    assert not gone.dom.css("main form[method=post]") and "Nothing any more" in gone.main
    assert browser.post(path, sent(asked) | {"nonce": "b" * 32}).status == 303, "revoking it again changes nothing"
    assert browser.post(path, {"token": sent(asked)["token"], "do": "edit", "scope": "ai:read"}).status == 422


def test_the_last_use_of_a_key_is_shown_to_the_hour(house: House, browser: Browser) -> None:
    new = accounts.create_workspace_key(OPERATOR, house.workspace_id, house.person_id, ["sites:read"], None, "New")
    path = f"{PATH}/{new.listed.id}"
    assert browser.get(path).main.count("never") == 1
    part = key_format.parse(new.secret)
    assert part is not None
    then = clock.now() - 5 * 3_600
    api_keys.authenticate(part.sha256, then)
    assert api_keys.last_used([new.listed]) == {new.listed.id: then // 3_600 * 3_600}
    assert "never" not in browser.get(path).main and ":00 UTC" in browser.get(path).main


@pytest.mark.parametrize("role", ["member", "client_viewer"])
def test_a_role_without_the_right_cannot_see_or_change_keys(house: House, browser: Browser, role: str) -> None:
    key = accounts.create_workspace_key(OPERATOR, house.workspace_id, house.person_id, ["sites:read"], None, "Ours")
    other = of_role(house, role)
    portfolio = other.get("/app")
    assert "API keys" not in portfolio.text
    token = portfolio.dom.css_first("input[name=token]").attributes["value"]
    before = [(one.id, list(one.scopes), one.revoked_at) for one in api_keys.list_all(house.workspace_id)]
    for path in (PATH, f"{PATH}/{key.listed.id}"):
        assert other.get(path).status == 403
        for do in ("", "edit", "revoke"):
            fields = {"token": token, "do": do, "name": "X", "scope": "sites:read", "covers": "all"}
            assert other.post(path, fields).status == 403
    assert [(one.id, list(one.scopes), one.revoked_at) for one in api_keys.list_all(house.workspace_id)] == before


def test_the_key_of_another_workspace_is_not_found(house: House, browser: Browser) -> None:
    others = settle("Others", "others.example")
    key = accounts.create_workspace_key(OPERATOR, others.workspace_id, others.person_id, ["sites:read"], None, "Theirs")
    path = f"{PATH}/{key.listed.id}"
    assert browser.get(path).status == 404
    token = sent(browser.get(PATH))["token"]
    assert browser.post(path, {"token": token, "do": "revoke"}).status == 404
    assert browser.post(path, {"token": token, "scope": "ai:read", "covers": "all"}).status == 404
    stays = api_keys.get(key.listed.id)
    assert stays is not None and stays.revoked_at is None and list(stays.scopes) == ["sites:read"]


def test_hosts_are_typed_and_not_ticked_if_there_are_many_websites(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "MOST_TICKED", 1)
    browser = signed_in(house)
    form = sent(browser.get(PATH), name="Some", scope=["sites:read"], covers="some")
    refused = browser.post(PATH, form | {"hosts": f"{house.site.host}\nnowhere.example"})
    assert refused.status == 422 and "nowhere.example" in refused.main
    assert secret_of(browser.post(PATH, sent(refused) | {"hosts": f" {house.site.host.upper()} "}))
    (key,) = made(house)
    assert key.site_ids == [house.site.id]
    assert sent(browser.get(f"{PATH}/{key.id}"))["hosts"] == house.site.host


def test_hostile_names_are_escaped(house: House, browser: Browser) -> None:
    websites.edit(OPERATOR, house.site.id, name=HOSTILE)
    shown = browser.post(PATH, sent(browser.get(PATH), name=HOSTILE, scope=["sites:read"]))
    (key,) = made(house)
    for screen in (shown, browser.get(PATH), browser.get(f"{PATH}/{key.id}")):
        assert HOSTILE in screen.dom.css_first("main").text()
        assert not screen.dom.css("img, script:not([src]), [onerror]")


def test_keys_are_shown_in_pages_and_limited_in_number(
    house: House, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "MOST_KEYS", 27)
    for number in range(26):
        accounts.create_workspace_key(OPERATOR, house.workspace_id, house.person_id, ["ai:read"], None, f"Key {number}")
    first, second = browser.get(PATH), browser.get(f"{PATH}?page=2")
    assert (len(first.dom.css("tbody tr")), len(second.dom.css("tbody tr"))) == (25, 2)
    for page in ("0", "-1", "x", "9" * 30, "١"):
        assert browser.get(f"{PATH}?page={page}").status == 200
    refused = browser.post(PATH, sent(first, name="One more", scope=["ai:read"]))
    assert refused.status == 422 and "at most 27 valid keys" in refused.main
