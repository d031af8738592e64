"""Choosing when notices come, and ending them from a mail without signing in."""

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import Actor
from chalicelib.operations import notices
from chalicelib.store import bounces
from chalicelib.store import notices as stored
from tests.api.conftest import House
from tests.web.conftest import Browser, signed_in, viewer
from tests.web.test_viewers import stored as rows

PATH = "/app/notices"
ONE_CLICK = b"List-Unsubscribe=One-Click"


def owner(house: House) -> Actor:
    return Actor(house.workspace_id, house.person_id, "owner")


def link(house: House) -> str:
    """The address in the mails of the house's owner."""
    found = stored.get(house.workspace_id, house.person_id)
    assert found is not None
    return f"{PATH}/off?token={notices.token_of(found)}"


@pytest.mark.parametrize("when", ["at_once", "daily", "weekly", "off"])
def test_a_person_can_choose_when_notices_are_sent(house: House, when: str) -> None:
    browser = signed_in(house)
    screen = browser.get(PATH)
    assert screen.dom.css_first("input[checked]").attributes["value"] == "off"
    assert "sends no mail" in screen.main
    saved = browser.follow(browser.submit(screen, PATH, when=when))
    assert saved.dom.css_first("input[checked]").attributes["value"] == when == notices.current(owner(house))
    assert "Saved." in saved.text


def test_a_person_whose_mail_bounced_is_told_and_can_try_again(house: House) -> None:
    browser = signed_in(house)
    assert not browser.get(PATH).dom.css("#came-back")
    bounces.put("owner@acme.example", "bounce", clock.now())
    screen = browser.get(PATH)
    note = screen.dom.css_first("#came-back")
    assert "Mail to this address bounced" in note.text()
    fields = {str(one.attributes["name"]): one.attributes.get("value") or "" for one in note.css("input[name]")}
    assert viewer(house, house.site.id).post(PATH, fields).status == 403, "a form of somebody else"
    assert bounces.get("owner@acme.example") is not None
    done = browser.follow(browser.post(PATH, fields))
    assert "The next mail goes to your address again" in done.main and not done.dom.css("#came-back")
    assert notices.current(owner(house)) == "off"


def test_a_viewer_chooses_only_for_themselves(house: House) -> None:
    notices.choose(owner(house), "daily")
    browser = viewer(house, house.site.id)
    browser.follow(browser.submit(browser.get(PATH), PATH, when="weekly"))
    assert notices.current(owner(house)) == "daily"


@pytest.mark.parametrize("when", ["", "hourly", "off\n", "x" * 10_000])
def test_an_unknown_choice_is_refused_and_changes_nothing(house: House, when: str) -> None:
    notices.choose(owner(house), "daily")
    browser = signed_in(house)
    refused = browser.submit(browser.get(PATH), PATH, when=when.strip() + "!")
    assert refused.status == 409 and "Choose one of off" in refused.main
    assert notices.current(owner(house)) == "daily"


def test_opening_the_unsubscribe_link_changes_nothing_until_confirmed(house: House) -> None:
    notices.choose(owner(house), "daily")
    browser = Browser()
    before = rows()
    screen = browser.get(link(house))
    assert (screen.status, rows()) == (200, before)
    done = browser.post(str(screen.dom.css_first("main form").attributes["action"]), {})
    assert done.status == 200 and "Your notices are off" in done.main
    assert [one.attributes["href"] for one in done.dom.css("main a")] == [PATH]
    assert notices.current(owner(house)) == "off"


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("application/x-www-form-urlencoded", ONE_CLICK),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n'),
        ("text/plain", b""),
    ],
)
def test_a_mail_program_can_unsubscribe_with_one_request(house: House, media_type: str, body: bytes) -> None:
    notices.choose(owner(house), "at_once")
    for _ in range(2):
        done = Browser().request("POST", link(house), {"content-type": media_type}, body)
        assert done.status == 200 and "set-cookie" not in done.headers
    assert notices.current(owner(house)) == "off"


def test_one_click_unsubscribing_has_no_other_effect(house: House) -> None:
    notices.choose(owner(house), "at_once")
    browser = signed_in(house)
    before = rows()
    done = browser.post(link(house), {"when": "weekly", "do": "remove"}, sec_fetch_site="cross-site", origin="null")
    assert done.status == 200
    after = rows()
    changed = [key for key in after if after[key] != before.get(key)]
    assert len(changed) == 1 and "NOTICES#" in changed[0] and set(before) == set(after)
    assert stored.get(house.workspace_id, house.person_id).when == "off"  # type: ignore[union-attr]


def test_other_forms_refuse_posts_from_other_websites(house: House) -> None:
    browser = signed_in(house)
    fields = browser.get(PATH).fields(PATH)
    refused = browser.post(PATH, fields | {"when": "daily"}, sec_fetch_site="cross-site")
    assert refused.status == 403 and notices.current(owner(house)) == "off"


def test_only_the_persons_own_token_unsubscribes(house: House) -> None:
    notices.choose(owner(house), "daily")
    before = rows()
    good = link(house).partition("token=")[2]
    workspace, person, secret = good.split(".")
    for token in (
        "",
        "x",
        f"{workspace}.{person}.",
        f"{workspace}.{person}.{secret[:-1]}",
        f"{workspace}.usr_other.{secret}",
        f"{workspace}.{person}.{secret}.x",
        "%C3%A9." * 3,
        "a." * 5_000,
    ):
        for browser in (Browser(), signed_in(house)):
            done = browser.request("POST", f"{PATH}/off?token={token}", {}, ONE_CLICK)
            assert done.status == 404, token
    assert notices.current(owner(house)) == "daily" and set(before) <= set(rows())
    assert Browser().get(f"{PATH}/off?token=x").status == 404
