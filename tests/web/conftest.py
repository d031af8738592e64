"""A browser of the app in this process: it keeps cookies, follows what forms say, and reads screens."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from app import app
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, sessions
from chalicelib.settings.reading import forget_settings
from tests.api.client import gateway
from tests.api.conftest import House, settle
from tests.prepared import continued, prepared

ORIGIN = "http://localhost"
DOMAIN = "api.execute-api.eu-central-1.amazonaws.com"


@dataclass(frozen=True)
class Screen:
    """An answer of the app. ``headers``: their names in lower case, several of one name as a list."""

    status: int
    headers: Mapping[str, Any]
    text: str

    @property
    def dom(self) -> LexborHTMLParser:
        return LexborHTMLParser(self.text)

    @property
    def main(self) -> str:
        """The words of the screen without its frame."""
        found = self.dom.css_first("main")
        assert found is not None
        return re.sub(r"\s+", " ", found.text()).strip()

    @property
    def heading(self) -> str:
        found = self.dom.css_first("h1")
        assert found is not None
        return str(found.text()).strip()

    @property
    def location(self) -> str:
        return str(self.headers["location"])

    def fields(self, action: str | None = None) -> dict[str, str]:
        """The fields of the first form that is posted (to this address), as they are shown."""
        for form in self.dom.css("main form[method=post]"):
            if action is None or form.attributes["action"] == action:
                return {
                    str(one.attributes["name"]): unescape(one.attributes.get("value") or "")
                    for one in form.css("input[name]")
                }
        raise AssertionError(f"no form is posted to {action}")


@dataclass
class Browser:
    """Keeps cookies from answer to answer, and sends what browsers send."""

    cookies: dict[str, str] = field(default_factory=dict)
    stage: str = ""  # of a gateway that answers over https; empty: this very machine

    def request(
        self, method: str, target: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Screen:
        sent = {name.lower(): value for name, value in (headers or {}).items()}
        if self.cookies:
            sent.setdefault("cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        found = self._handled(method, target, sent, body)
        answered = {name.lower(): value for name, value in (found["headers"] | found["multiValueHeaders"]).items()}
        for cookie in answered.get("set-cookie", []):
            name, _, rest = cookie.partition("=")
            value = rest.partition(";")[0]
            if "Max-Age=0" in rest:
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return Screen(found["statusCode"], answered, found["body"] or "")

    def _handled(self, method: str, target: str, sent: dict[str, str], body: bytes | None) -> dict[str, Any]:
        target = target.removeprefix(self.stage)
        event = gateway()._generate_lambda_event(method, target, sent, body)
        if self.stage:
            event["requestContext"]["path"] = self.stage + event["requestContext"]["path"]
            event["requestContext"]["domainName"] = DOMAIN
        answered: dict[str, Any] = app(event, gateway()._generate_lambda_context())
        return answered

    @property
    def origin(self) -> str:
        return f"https://{DOMAIN}" if self.stage else ORIGIN

    def get(self, target: str, **headers: str) -> Screen:
        return self.request("GET", target, headers)

    def post(self, target: str, fields: Mapping[str, Any], **headers: str) -> Screen:
        sent = {
            "content-type": "application/x-www-form-urlencoded",
            "sec-fetch-site": "same-origin",
            "origin": self.origin,
        }
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self.request("POST", target, sent, urlencode(fields, doseq=True).encode())

    def submit(self, screen: Screen, action: str, **changed: str) -> Screen:
        """Send a form of a screen as it stands there, with these values of its fields."""
        return self.post(action, screen.fields(action) | changed)

    def follow(self, screen: Screen) -> Screen:
        """Ask for the address that a form's answer leads to."""
        assert screen.status == 303, screen.text
        parts = urlsplit(screen.location)
        return self.get(f"{parts.path}?{parts.query}" if parts.query else parts.path)


def signed_in(house: House, person_id: str | None = None, stage: str = "") -> Browser:
    """A browser in which a person of the house is signed in; its owner, where no other is named."""
    person = person_id or house.person_id
    # The names of cookies depend on the app's address.
    name = "signed in", house.workspace_id, person, stage, os.environ.get("APP_URL")
    return Browser(dict(continued(name, lambda: _sign_in(house, person, stage).cookies)), stage)


def _sign_in(house: House, person_id: str, stage: str) -> Browser:
    browser = Browser(stage=stage)
    token = sessions.make_link(house.workspace_id, person_id)
    screen = browser.get(f"/app/sign-in?token={token}")
    browser.follow(browser.submit(screen, f"{stage}/app/sign-in"))
    return browser


def viewer(house: House, *sites: str) -> Browser:
    """A browser of a client viewer who was given these websites."""
    email, role = "client@example.com", "client_viewer"
    person = continued(
        ("viewer", house.workspace_id, sites),
        lambda: accounts.add_person(OPERATOR, house.workspace_id, email, role, site_ids=sites),
    )
    return signed_in(house, person.id)


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The settings of a deployed service, read anew for each test."""
    monkeypatch.setenv("CURSOR_SECRET", "a secret of the tests")
    for name in ("APP_URL", "BASE_URL", "MAIL_FROM", "SWITCHED_OFF"):
        monkeypatch.delenv(name, raising=False)
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


@pytest.fixture
def house(store: None) -> House:
    return prepared("house of the app", settle)


@pytest.fixture
def browser(house: House) -> Browser:
    """The owner's."""
    return signed_in(house)
