"""The app of a service without a browser: a person signs in by a link and sends the forms that its pages hold."""

import urllib.error
import urllib.parse
import urllib.request
from html.parser import HTMLParser
from typing import Any

SECONDS = 60.0


class Field:
    """A field of a form: ``sent`` False for a box that is not ticked."""

    def __init__(self, name: str, value: str, *, sent: bool) -> None:
        self.name, self.value, self.sent = name, value, sent


class Forms(HTMLParser):
    """``forms``: of each form that is posted its address and its fields, in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.forms: list[tuple[str, list[Field]]] = []
        self._in_form = False
        self._area: Field | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._in_form = given.get("method") == "post"
            if self._in_form:
                self.forms.append((given["action"], []))
        elif self._in_form and tag in ("input", "textarea") and "name" in given:
            sent = given.get("type") not in ("checkbox", "radio") or "checked" in given
            field = Field(given["name"], given.get("value", ""), sent=sent)
            self.forms[-1][1].append(field)
            self._area = field if tag == "textarea" else None

    def handle_endtag(self, tag: str) -> None:
        self._in_form = self._in_form and tag != "form"
        if tag == "textarea" and self._area is not None:
            self._area.value = self._area.value.removeprefix("\n")
            self._area = None

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self._area.value += data


class App:
    """Who has signed in by ``link``. ``root``: the app's address."""

    def __init__(self, link: str) -> None:
        self.root = link.partition("/sign-in")[0]
        self._origin = self.root.removesuffix("/app")
        self._cookies: dict[str, str] = {}
        token = urllib.parse.parse_qs(urllib.parse.urlsplit(link).query)["token"][0]
        status, _, said = self._ask(f"{self.root}/sign-in", {"token": token})
        assert status == 303 and self._cookies, said

    def read(self, path: str) -> str:
        """A page below the app's root."""
        status, _, text = self._ask(f"{self.root}/{path}")
        assert status == 200, f"{path}: {status} {text}"
        return text

    def fields(self, path: str, holding: str) -> tuple[str, list[Field]]:
        """The form of a page that has a field whose name begins so: where it is posted, and its fields."""
        for action, fields in Forms(self.read(path)).forms:
            if any(field.name.startswith(holding) for field in fields):
                return action, fields
        raise AssertionError(f"{path} has no form with {holding}")

    def send(self, action: str, fields: list[Field]) -> str:
        """Send a form; the address to which its answer leads."""
        sent = [(field.name, field.value) for field in fields if field.sent]
        status, location, text = self._ask(urllib.parse.urljoin(self.root, action), sent)
        assert status == 303, f"{action}: {status} {text}"
        return location

    def _ask(self, url: str, form: Any = None) -> tuple[int, str, str]:
        data = None if form is None else urllib.parse.urlencode(form).encode()
        request = urllib.request.Request(url, data)
        request.add_header("Origin", self._origin)
        request.add_header("Cookie", "; ".join(f"{name}={value}" for name, value in self._cookies.items()))
        try:
            with _OPENER.open(request, timeout=SECONDS) as answer:
                status, headers, body = answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                status, headers, body = error.code, error.headers, error.read()
        for cookie in headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self._cookies[name.strip()] = value
        return status, headers.get("Location") or "", body.decode()


class _Unfollowed(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_Unfollowed, urllib.request.ProxyHandler({}))
