"""Addresses that get the report by mail: who asks them, how they confirm, and how they end it without signing in."""

import logging
from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib import clock
from chalicelib.connectors import mail
from chalicelib.connectors.errors import Unavailable
from chalicelib.domain.mails import Mail
from chalicelib.domain.report_mails import MOST_RECIPIENTS
from chalicelib.operations import recipients
from chalicelib.settings.reading import forget_settings
from chalicelib.store import bounces
from chalicelib.store import recipients as stored
from chalicelib.workers import notices
from local import embedded
from tests.api.conftest import House, settle
from tests.report_mails import APP, CLIENT, SENDER, ask, first_of_next_month, link_in, mails, taken
from tests.web.conftest import Browser, signed_in, viewer
from tests.web.settings import early_in_the_hour, of_role, sent
from tests.web.test_plan_and_log import noted, rows
from tests.web.test_report import path
from tests.web.test_viewers import stored as everything
from tests.web.test_viewers import token_of

ONE_CLICK = b"List-Unsubscribe=One-Click"
FORM = 1  # of the reports screen, where no link is open and no address is there


@pytest.fixture(autouse=True)
def sending(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_FROM", SENDER)
    monkeypatch.setenv("APP_URL", APP)
    forget_settings()
    embedded.MAILBOX.verify(SENDER)


def states(house: House) -> dict[str, bool]:
    """The addresses of the house's website, and whether they confirmed."""
    return {one.email: one.confirm is None for one in stored.list_all(house.site.id)}


def test_an_address_added_by_a_member_must_confirm(house: House) -> None:
    member = of_role(house, "member")
    asked = member.follow(member.post(path(house), sent(member.get(path(house)), FORM, email=f" {CLIENT} ")))
    assert "asks the address to confirm" in asked.text
    assert rows(asked, "#mails")[0][:3] == [CLIENT, "not confirmed yet", "–"]
    (mailed,) = mails()
    assert "Acme wants to send the report on acme.example" in mailed.text and "List-Unsubscribe" not in mailed.headers
    link = link_in(mailed, "reports/confirm")
    before = everything()
    opened = Browser().get(link)
    assert (opened.status, everything()) == (200, before) and CLIENT in opened.main
    done = Browser().post("/app/reports/confirm", sent(opened))
    assert done.status == 200 and "Confirmed." in done.main and states(house) == {CLIENT: True}
    for again in (Browser().get(link), Browser().post("/app/reports/confirm", sent(opened))):
        assert again.status == 404 and CLIENT not in again.text
    assert noted(house, "report.mail_asked") == [("member@acme.example", None, f"{CLIENT}: Main")]


def test_everyone_who_works_on_the_website_can_end_the_mails(house: House, browser: Browser) -> None:
    taken(house)
    screen = browser.get(path(house))
    assert rows(screen, "#mails")[0][1] == "confirmed"
    first, second = sent(screen, 1), sent(browser.get(path(house)), 1)
    assert "no longer sent to that address" in browser.follow(browser.post(path(house), first)).text
    assert states(house) == {} and browser.post(path(house), second).status == 404
    assert noted(house, "report.mail_ended") == [("owner@acme.example", None, f"{CLIENT}: Main")]


def test_viewers_and_strangers_cannot_add_or_remove_addresses(house: House) -> None:
    found = taken(house)
    others = settle("Others", "others.example")
    client = viewer(house, house.site.id)
    for browser, status in ((client, 403), (signed_in(others), 404)):
        for form in ({"do": "ask", "email": "x@example.com"}, {"do": "end-mails", "key": found.key}):
            assert browser.post(path(house), {"token": token_of(browser), **form}).status == status
    stranger = signed_in(others)
    form = {"token": token_of(stranger), "do": "end-mails", "key": found.key}
    assert stranger.post(path(others), form).status == 404
    assert states(house) == {CLIENT: True} and mails("x@example.com") == []
    assert not client.get(path(house)).dom.css("#mails")


def test_a_double_click_or_a_second_person_sends_one_confirmation(house: House, browser: Browser) -> None:
    form = sent(browser.get(path(house)), FORM, email=CLIENT)
    with ThreadPoolExecutor(2) as pool:
        for done in pool.map(lambda _: browser.post(path(house), form), range(2)):
            assert done.status in (303, 409)
    assert browser.post(path(house), form).status == 303
    assert len(mails()) == 1 and states(house) == {CLIENT: False}
    other = of_role(house, "admin")
    other.post(path(house), sent(other.get(path(house)), 2, email=CLIENT))
    assert states(house) == {CLIENT: False}


@pytest.mark.parametrize(
    ("email", "said"),
    [
        ("", "not an e-mail address"),
        ("a@b.example\r\nBcc: c@d.example", "not an e-mail address"),
        ("a@b.example,c@d.example", "not an e-mail address"),
        ("<script>@b.example", "not an e-mail address"),
        (CLIENT, "already gets the report"),
    ],
)
def test_an_invalid_address_is_refused(house: House, browser: Browser, email: str, said: str) -> None:
    taken(house)
    refused = browser.post(path(house), sent(browser.get(path(house)), 2, email=email))
    assert refused.status == 422 and said in refused.main and "<script>@" not in refused.text
    assert states(house) == {CLIENT: True} and embedded.MAILBOX.sent() == []


def test_a_website_has_at_most_ten_report_addresses(house: House, browser: Browser) -> None:
    for number in range(MOST_RECIPIENTS):
        ask(house, f"client{number}@example.com")
    form = sent(browser.get(path(house)), FORM + MOST_RECIPIENTS, email="one-more@example.com")
    assert "at most 10" in browser.post(path(house), form).main
    assert len(states(house)) == MOST_RECIPIENTS and mails("one-more@example.com") == []


def test_an_address_gets_at_most_five_confirmation_mails_an_hour(house: House, browser: Browser) -> None:
    early_in_the_hour()
    for _ in range(5):
        ask(house)
    refused = browser.post(path(house), sent(browser.get(path(house)), 2, email=CLIENT))
    assert refused.status == 429 and len(mails()) == 5


def test_the_screen_reports_that_no_mail_is_configured(
    house: House, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(of: Mail) -> None:
        raise Unavailable("The mail server does not answer.")

    form = sent(browser.get(path(house)), FORM, email=CLIENT)
    with monkeypatch.context() as patch:
        patch.setattr(mail, "send", fail)
        refused = browser.post(path(house), form)
    assert refused.status == 409 and "The mail server does not answer." in refused.main
    assert browser.post(path(house), form).status == 303 and len(mails()) == 1
    monkeypatch.setenv("MAIL_FROM", "")
    forget_settings()
    assert "This service sends no mail." in browser.get(path(house)).main
    assert browser.post(path(house), form | {"nonce": "b" * 32}).status == 422


@pytest.mark.parametrize(
    ("media_type", "body"),
    [("application/x-www-form-urlencoded", ONE_CLICK), ("multipart/form-data; boundary=x", b"--x--"), ("", b"")],
)
def test_one_click_unsubscribing_from_reports_has_no_other_effect(house: House, media_type: str, body: bytes) -> None:
    ask(house, "other@example.com")
    token = recipients.stop_token(taken(house))
    before = everything()
    headers = {"content-type": media_type, "sec-fetch-site": "cross-site", "origin": "null"}
    done = Browser().request("POST", f"/app/reports/off?token={token}", headers, body)
    assert done.status == 200 and "set-cookie" not in done.headers
    gone = before.keys() - everything().keys()
    assert len(gone) == 1 and "RECIPIENT#" in gone.pop()
    assert {key: before[key] for key in everything()} == everything()
    assert Browser().request("POST", f"/app/reports/off?token={token}", headers, body).status == 404


def test_opening_the_unsubscribe_link_changes_nothing_until_confirmed(house: House) -> None:
    token = recipients.stop_token(taken(house))
    before = everything()
    screen = Browser().get(f"/app/reports/off?token={token}")
    assert (screen.status, everything()) == (200, before) and CLIENT in screen.main
    done = Browser().post(str(screen.dom.css_first("main form").attributes["action"]), {})
    assert done.status == 200 and states(house) == {}


def test_a_confirmation_can_only_be_sent_from_our_own_page(house: House) -> None:
    token = ask(house)
    for headers in ({"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "none", "origin": "https://evil.example"}):
        assert Browser().post("/app/reports/confirm", {"token": token}, **headers).status == 403
    assert states(house) == {CLIENT: False}


def test_a_token_for_another_purpose_changes_nothing(house: House) -> None:
    pending, stop = ask(house, "other@example.com"), recipients.stop_token(taken(house))
    confirming, ending = pending.rpartition(".")[0], stop.rpartition(".")[0]
    good = stop.rpartition(".")[2]
    before = everything()
    wrong = ("", "x", "a.b.c", f"{ending}.", f"{ending}.{good[:-1]}", f"{confirming}.{good}", "é" * 9, "a." * 5_000)
    for token in (*wrong, f"x{stop}"):
        assert Browser().post("/app/reports/confirm", {"token": token}).status == 404, token
    for token in (*wrong[:-2], pending, "%C3%A9." * 3, "a." * 5_000):
        for browser in (Browser(), signed_in(house)):
            assert browser.request("POST", f"/app/reports/off?token={token}", {}, ONE_CLICK).status == 404, token
    assert Browser().post("/app/reports/confirm", {"token": stop}).status == 404
    assert {key: row for key, row in everything().items() if key in before} == before
    assert states(house) == {CLIENT: True, "other@example.com": False}


def test_no_token_is_logged(house: House, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        pending = ask(house)
        Browser().get(f"/app/reports/confirm?token={pending}")
        recipients.confirm(pending)
        found = stored.get(house.site.id, stored.key_of(CLIENT))
        assert found is not None
        stop = recipients.stop_token(found)
        Browser().request("POST", f"/app/reports/off?token={stop}", {}, ONE_CLICK)
    for secret in (pending.rpartition(".")[2], stop.rpartition(".")[2]):
        assert not [one for one in caplog.records if secret in str(vars(one))]


def test_revoking_the_link_of_a_report_mail_ends_its_mails(house: House) -> None:
    taken(house)
    first_of_next_month()
    assert notices.run() == 1
    screen = signed_in(house).get(path(house))
    assert rows(screen, "#links")[0][1] == f"the monthly mail to {CLIENT}"
    assert rows(screen, "#mails")[0][2] != "–"
    again = signed_in(house)
    again.follow(again.post(path(house), sent(again.get(path(house)), 1)))
    assert states(house) == {} and Browser().get(link_in(mails()[0], "r/")).status == 404


def test_an_unconfirmed_address_is_not_shown_as_bounced_and_cannot_be_retried(house: House) -> None:
    ask(house)
    bounces.put(CLIENT, "complaint", clock.now())
    embedded.MAILBOX.suppress(CLIENT, "COMPLAINT")
    member = of_role(house, "member")
    screen = member.get(path(house))
    assert rows(screen, "#mails")[0][1] == "not confirmed yet"
    forged = sent(screen, 1) | {"do": "try-again", "key": stored.key_of(CLIENT)}
    assert member.post(path(house), forged).status == 404
    assert bounces.get(CLIENT) is not None and mail.stopped(CLIENT) == "complaint"


def test_a_bounced_address_is_shown_and_can_be_tried_again(house: House) -> None:
    taken(house)
    first_of_next_month()
    embedded.MAILBOX.suppress(CLIENT, "COMPLAINT")
    before = len(mails())
    assert notices.run() == 0 and len(mails()) == before
    member = of_role(house, "member")
    screen = member.get(path(house))
    assert "reported as spam, as found on" in rows(screen, "#mails")[0][1]
    again = next(one for one in screen.dom.css("#mails form") if one.css_first("input[value=try-again]") is not None)
    fields = {str(one.attributes["name"]): one.attributes.get("value") or "" for one in again.css("input[name]")}
    refused = viewer(house, house.site.id)
    token = token_of(refused)
    assert refused.post(path(house), fields | {"token": token}).status == 403
    gone = member.post(path(house), {**fields, "key": "0" * 64, "nonce": "another"})
    assert gone.status == 404
    done = member.follow(member.post(path(house), fields))
    assert "goes to that address again" in done.main and rows(done, "#mails")[0][1] == "confirmed"
    first_of_next_month()
    assert notices.run() == 1
