"""Signing in and out, the cookies, several workspaces, and what ends a session."""

from urllib.parse import quote

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, sessions
from chalicelib.settings.reading import forget_settings
from chalicelib.store import sessions as stored
from chalicelib.web.forms import Form
from chalicelib.web.page import Page
from chalicelib.web.replies import Redirect, View
from chalicelib.web.routing import ROUTES
from local.embedded import MAILBOX
from tests.api.conftest import House, settle
from tests.web.conftest import DOMAIN, Browser, Screen, signed_in

SENDER = "audits@example.com"


@pytest.fixture
def mail(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mail is sent, into the mailbox that stands in for everybody's."""
    monkeypatch.setenv("MAIL_FROM", SENDER)
    forget_settings()
    MAILBOX.verify(SENDER)
    monkeypatch.setattr(clock, "sleep", lambda seconds: None)


def link_of_last_mail() -> str:
    """The path of the link in the mail that was sent last."""
    text = MAILBOX.sent()[-1].text
    (address,) = [word for word in text.split() if "/app/sign-in?token=" in word]
    return "/app" + address.partition("/app")[2]


def test_a_mailed_link_signs_in_and_opens_the_requested_page(house: House, mail: None) -> None:
    browser = Browser()
    wanted = f"/app/sites/{house.site.id}?q=a%20b"
    signing = browser.follow(browser.get(wanted))
    sent = browser.submit(signing, "/app/sign-in", email="owner@acme.example")
    assert (sent.status, sent.heading) == (200, "Look into your mailbox")
    opened = browser.get(link_of_last_mail())
    assert "owner@acme.example" in opened.main
    answer = browser.submit(opened, "/app/sign-in")
    assert answer.location == f"/app/sites/{house.site.id}?q=a+b"
    assert browser.follow(answer).heading == "Main"
    assert set(browser.cookies) == {"wos-session"}, "where to go is forgotten"


def test_the_answer_does_not_reveal_known_addresses(house: House, mail: None) -> None:
    browser = Browser()
    answers = []
    for email in ("owner@acme.example", "nobody@acme.example"):
        screen = browser.submit(browser.get("/app/sign-in"), "/app/sign-in", email=email)
        answers.append((screen.status, screen.main.replace(email, "E"), set(screen.headers)))
    assert answers[0] == answers[1]
    assert len(MAILBOX.sent()) == 1


def test_the_form_explains_invalid_addresses_and_the_rate_limit(house: House, mail: None) -> None:
    browser = Browser()
    wrong = browser.submit(browser.get("/app/sign-in"), "/app/sign-in", email="a@b\nBcc: c@example.com")
    assert wrong.status == 422 and wrong.dom.css_first("[role=alert]") is not None
    for _ in range(5):
        screen = browser.submit(browser.get("/app/sign-in"), "/app/sign-in", email="owner@acme.example")
        assert screen.status == 200
    refused = browser.submit(browser.get("/app/sign-in"), "/app/sign-in", email="owner@acme.example")
    assert refused.status == 429
    assert refused.fields("/app/sign-in")["email"] == "owner@acme.example"


def test_the_form_says_when_no_mail_is_configured(house: House) -> None:
    browser = Browser()
    screen = browser.submit(browser.get("/app/sign-in"), "/app/sign-in", email="owner@acme.example")
    assert screen.status == 422 and "sends no mail" in screen.main


def test_opening_a_sign_in_link_does_not_use_it(house: House) -> None:
    path = f"/app/sign-in?token={sessions.make_link(house.workspace_id, house.person_id)}"
    scanner, browser = Browser(), Browser()
    for method in ("GET", "HEAD", "GET"):
        assert scanner.request(method, path).status == 200
    assert not scanner.cookies
    opened = browser.get(path)
    assert browser.submit(opened, "/app/sign-in").status == 303
    again = browser.submit(opened, "/app/sign-in")
    assert (again.status, again.heading) == (404, "This link is not valid")
    assert Browser().get(path).heading == "This link is not valid"
    assert Browser().get("/app/sign-in?token=nonsense").status == 404


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example/",
        "//evil.example/app",
        "/\\evil.example",
        "/app/../api",
        "/app//evil.example",
        "/application",
        "javascript:alert(1)",
        "/app/\r\nSet-Cookie: a=1",
        "/app\u2028x",
        "/app/\u65e5\u672c",
        "/app/%2e%2e/api",
        "/app/.%2E/api",
        "/app?q=" + "a" * 2_000,
    ],
)
def test_after_sign_in_other_websites_are_never_opened(house: House, mail: None, wanted: str) -> None:
    browser = Browser()
    browser.post("/app/sign-in", {"email": "owner@acme.example", "next": wanted})
    assert not browser.cookies
    browser.cookies["wos-next"] = quote(wanted)
    answer = browser.submit(browser.get(link_of_last_mail()), "/app/sign-in")
    assert answer.location == "/app"


def test_over_https_the_session_cookie_is_bound_to_the_host(house: House) -> None:
    token = sessions.make_link(house.workspace_id, house.person_id)
    browser = Browser(stage="/prod")
    answer = browser.submit(browser.get(f"/prod/app/sign-in?token={token}"), "/prod/app/sign-in")
    (cookie, _) = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-wos-session=")
    assert cookie.endswith("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure")
    assert answer.location == "/prod/app"
    assert browser.follow(answer).heading == "Acme"
    plain = signed_in(house)
    assert set(plain.cookies) == {"wos-session"}


def test_signing_out_ends_the_session_permanently(browser: Browser) -> None:
    screen = browser.get("/app")
    kept = dict(browser.cookies)
    fields = {str(one.attributes["name"]): str(one.attributes["value"]) for one in screen.dom.css(".who input[name]")}
    out = browser.post("/app/sign-out", fields)
    assert (out.location, browser.cookies) == ("/app/sign-in", {})
    assert Browser(kept).get("/app").status == 303
    assert browser.get("/app/sign-out").status == 405


def test_a_session_on_another_device_is_listed_and_can_be_ended(house: House, browser: Browser) -> None:
    elsewhere = signed_in(house)
    screen = browser.get("/app/sessions")
    assert len(screen.dom.css("tbody tr")) == 2
    ended = browser.follow(browser.submit(screen, "/app/sessions"))
    assert "The session has ended." in ended.main and len(ended.dom.css("tbody tr")) == 1
    assert elsewhere.get("/app").status == 303
    assert browser.get("/app").status == 200


def test_a_session_of_another_person_cannot_be_ended(house: House, browser: Browser) -> None:
    stranger = signed_in(settle("Others", "others.example"))
    (other,) = sessions.others("owner@others.example")
    signed_in(house)
    screen = browser.submit(browser.get("/app/sessions"), "/app/sessions", key=other.key)
    assert (screen.status, screen.heading) == (404, "Not found")
    assert stranger.get("/app").status == 200


@pytest.mark.parametrize("key", ["", "x", "0f" * 32, "F" * 64, "0" * 3_000, "\u00e9" * 64, "../\r\n"])
def test_ending_an_unknown_session_returns_404(browser: Browser, key: str) -> None:
    signed = browser.get("/app/sessions")
    elsewhere = {"token": browser_token(signed), "nonce": "a" * 32, "key": key}
    for _ in range(2):
        screen = browser.post("/app/sessions", elsewhere)
        assert (screen.status, screen.heading) == (404, "Not found")


def browser_token(screen: Screen) -> str:
    """The form token of a screen."""
    (field,) = screen.dom.css(".who input[name=token]")
    return str(field.attributes["value"])


def test_secrets_of_a_request_do_not_appear_in_its_repr() -> None:
    secret = "s" * 43
    form = Form({"token": [secret]}, f"token={secret}".encode())
    view = View("sign_in_link.html", {"token": secret}, cookies=(f"wos-session={secret}",))
    asked = {"asked": (), "path": {}, "now": 0.0, "ip": "", "secure": False}
    page = Page(ROUTES[0], "/app", "/app", query={"token": secret}, cookies=f"wos-session={secret}", **asked)  # type: ignore[arg-type]
    shown = [repr(one) for one in (form, view, page, Redirect("/app", (f"wos-session={secret}",)))]
    assert not [text for text in shown if secret in text]


def test_a_changed_role_or_removed_person_takes_effect_with_the_next_request(house: House) -> None:
    person = accounts.add_person(OPERATOR, house.workspace_id, "member@example.com", "member")
    browser = signed_in(house, person.id)
    path = f"/app/sites/{house.site.id}"
    assert browser.get(path).dom.css("main form[method=post]")
    accounts.remove_person(OPERATOR, house.workspace_id, person.id)
    for screen in (browser.get(path), browser.get("/app")):
        assert (screen.status, screen.heading) == (403, "No workspace")
        assert house.site.name not in screen.main


def test_a_person_in_two_workspaces_can_switch_between_them(house: House) -> None:
    others = settle("Zeta", "zeta.example")
    accounts.add_person(OPERATOR, others.workspace_id, "owner@acme.example", "member")
    browser = signed_in(house)
    assert browser.get("/app").heading == "Acme"
    chosen = browser.follow(browser.submit(browser.get("/app/workspaces"), "/app/workspaces"))
    assert chosen.heading == "Zeta"
    for site in (house.site, others.site):
        assert browser.get(f"/app/sites/{site.id}").status == 200
    assert browser.get("/app").heading == "Zeta"
    refused = browser.submit(browser.get("/app/workspaces"), "/app/workspaces", workspace="wsp_of_nobody")
    assert refused.status == 404


def test_an_unknown_cookie_counts_as_no_cookie(house: House) -> None:
    for value in ("x", "é", "a" * 3_000, "", '"; DROP', "\x00"):
        assert Browser({"wos-session": value}).get("/app").status == 303


def test_the_requests_of_a_session_are_limited(house: House, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    def used_up(*_: object) -> None:
        raise stored.LimitReached(int(clock.now()) + 60)

    monkeypatch.setattr(stored, "find", used_up)
    screen = browser.get("/app")
    assert (screen.status, screen.heading) == (429, "Too many requests")
    assert int(screen.headers["retry-after"]) > 0


def test_the_link_in_a_mail_ignores_the_host_header(house: House, mail: None) -> None:
    browser = Browser(stage="/prod")
    browser.post("/prod/app/sign-in", {"email": "owner@acme.example"}, host="evil.example")
    assert f"https://{DOMAIN}/prod/app/sign-in?token=" in MAILBOX.sent()[-1].text
    Browser().post("/app/sign-in", {"email": "owner@acme.example"}, host="evil.example")
    assert "evil.example" not in MAILBOX.sent()[-1].text
