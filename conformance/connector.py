"""A client of a connector that sends requests like the service, and reads the connector's website like a visitor.

It records each write until the write is undone, so that ``restore`` can bring back the original values.
"""

import contextlib
import hashlib
import hmac
import json
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any, Final, NamedTuple

from conformance.page import Head, Pictures, directives

SECONDS: Final = 30
MOST_ANSWER: Final = 4 * 1024 * 1024  # the most bytes of an answer that the service reads
BASE_URL: Final = "https://service.invalid/api/v1"  # the service's address in a pairing; nothing answers there
_MOST_LOOKED_AT: Final = 20  # pages that are searched for an image
_SHOWN: Final = 200  # characters of an answer that a message quotes


class Wrong(Exception):
    """A violation of docs/connector.md, described in one sentence."""


class Answer(NamedTuple):
    """An answer: the status, the raw body and, if the body is a JSON object, the members of this object."""

    status: int
    body: bytes
    content: dict[str, Any] | None
    headers: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.status} {shown(self.body.decode('utf-8', 'replace'))}"


class _Made(NamedTuple):
    """A write: the request's members and its outcome."""

    members: dict[str, Any]
    outcome: dict[str, Any]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirects of a connector, like the service."""

    def redirect_request(self, *_: Any) -> None:
        return None


_ASKING: Final = urllib.request.build_opener(_NoRedirect)
_VISITING: Final = urllib.request.build_opener()


def shown(value: object) -> str:
    """Return a value for a message: short, and without control characters."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def sign(secret: str, at: int, nonce: str, operation: str, body: bytes) -> str:
    """Compute the value of ``X-Wos-Signature``."""
    lines = (str(at), nonce, "POST", f"/wos/v1/{operation}", hashlib.sha256(body).hexdigest())
    return "v1=" + hmac.new(secret.encode(), "\n".join(lines).encode(), hashlib.sha256).hexdigest()


def make_secret() -> str:
    return "wos_cn_" + secrets.token_hex(32)


def encoded(members: Mapping[str, Any]) -> bytes:
    return json.dumps(members).encode()


class Connector:
    """A connector under test.

    - ``address``: the connector's address.
    - ``item``: the ``cmsId`` of the item to write; None if ``choose`` should find an item.
    - ``sequence``: the sequence number of every write: the time at which the checks began. The service uses the current
      time too. So these writes count as newer than its earlier writes, and as older than its later ones.
    """

    def __init__(self, address: str, secret: str, item: str | None = None) -> None:
        self.address = address.rstrip("/")
        self.secret = secret
        self.sequence = int(time.time())
        self.item, self.url, self.is_named = item, "", item is not None
        self.status: dict[str, Any] = {}
        self.pictured: dict[str, Any] = {}  # cmsId and url of an item whose page shows an image; {}: none was found
        self._made: list[_Made] = []  # writes that were not undone, oldest first

    # -- requests ------------------------------------------------------------------------------------------

    def ask(self, operation: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Send a request with these headers. Raises ``Wrong`` if no answer comes."""
        given = {"Content-Type": "application/json", **headers}
        request = urllib.request.Request(f"{self.address}/{operation}", body, given, method="POST")  # noqa: S310
        return _read(_ASKING, request)

    def signed(
        self, operation: str, body: bytes, at: float | None = None, secret: str | None = None, nonce: str | None = None
    ) -> dict[str, str]:
        """Make the three headers of a request: time, nonce and signature."""
        moment, token = int(time.time() if at is None else at), nonce or secrets.token_hex(16)
        signature = sign(secret or self.secret, moment, token, operation, body)
        return {"X-Wos-Time": str(moment), "X-Wos-Nonce": token, "X-Wos-Signature": signature}

    def send(self, operation: str, members: Mapping[str, Any]) -> Answer:
        """Send a correctly signed request."""
        body = encoded(members)
        return self.ask(operation, body, self.signed(operation, body))

    def call(self, operation: str, members: Mapping[str, Any]) -> dict[str, Any]:
        """Send a signed request, and return the members of a 200. Raises ``Wrong`` for any other answer."""
        answer = self.send(operation, members)
        if answer.status != 200 or answer.content is None:
            raise Wrong(f"{operation} was answered with {answer}; a JSON object with status 200 is expected.")
        return answer.content

    def pair(self, code: str, secret: str) -> Answer:
        """Send a pairing request that contains ``secret`` and is signed with it."""
        body = encoded({"code": code, "siteId": "site_conformance", "baseUrl": BASE_URL} | _keys(secret))
        return self.ask("pair", body, self.signed("pair", body, secret=secret))

    def items(self, after: str | None = None, limit: int = 200) -> dict[str, Any]:
        return self.call("items", {"after": after, "limit": limit})

    def all_items(self) -> list[dict[str, Any]]:
        """Read all items, in the connector's order. Raises ``Wrong`` if there are more than 100 pages of 200 items."""
        found, after = [], None
        for _ in range(100):
            page = self.items(after)
            if not isinstance(page.get("items"), list) or not all(isinstance(one, dict) for one in page["items"]):
                raise Wrong(f"items is not a list of objects: {shown(page)}")
            found += page["items"]
            after = page.get("next")
            if after is None:
                return found
        raise Wrong("next is not null after 100 pages of 200 items.")

    def choose(self) -> None:
        """Choose the item to write. If an item was named, choose this item. Otherwise choose the first item without
        values of its own. If all items have values, choose the first."""
        items = self.all_items()
        free = [one for one in items if not any(value is not None for value in _fields(one).values())]
        wanted = [one for one in items if one.get("cmsId") == self.item] if self.item else free or items
        if not wanted:
            raise Wrong(
                f"There is no item {self.item}." if self.item else "The connector lists no item that can be written."
            )
        self.item, self.url = str(wanted[0].get("cmsId")), str(wanted[0].get("url"))

    def choose_image(self) -> None:
        """Choose an item whose page shows an image. If an item was named, it is this item. Otherwise it is one of the
        first items."""
        others = [] if self.is_named else self.all_items()[:_MOST_LOOKED_AT]
        for one in ({"cmsId": self.item, "url": self.url}, *others):
            if self.alts(str(one.get("url"))):
                self.pictured = {"cmsId": one.get("cmsId"), "url": one.get("url")}
                return

    def own(self) -> dict[str, Any]:
        """The values that the CMS stores for the chosen item itself."""
        for one in self.all_items():
            if one.get("cmsId") == self.item:
                return _fields(one)
        raise Wrong(f"The item {self.item} is no longer listed.")

    # -- writes --------------------------------------------------------------------------------------------

    def asked(self, field: str, value: str | None, **more: Any) -> dict[str, Any]:
        """Make the request for a change of the chosen item."""
        return self._write({"cmsId": self.item, "url": self.url, "field": field, "value": value, **more})

    def asked_file(self, file: str, value: str | None, **more: Any) -> dict[str, Any]:
        return self._write({"file": file, "value": value, **more})

    def _write(self, members: dict[str, Any]) -> dict[str, Any]:
        return {"changeId": secrets.token_hex(8), "sequence": self.sequence, "restore": None, **members}

    def write(self, members: dict[str, Any]) -> dict[str, Any]:
        """Send a change of the item, or of a file if ``members`` names one. Returns its outcome."""
        operation = "files" if "file" in members else "changes"
        outcome = self.call(operation, members)
        if outcome.get("state") not in ("written", "refused", "superseded"):
            raise Wrong(f"state is not written, refused or superseded: {shown(outcome)}")
        if outcome["state"] == "written":
            self._remember(members, outcome)
        return outcome

    def _remember(self, members: dict[str, Any], outcome: dict[str, Any]) -> None:
        """Add a write to the list of writes to undo; for an undo, remove the write that it undid."""
        undone = [made for made in self._made if members["restore"] and made.outcome.get("undo") == members["restore"]]
        if undone:
            self._made.remove(undone[-1])
        elif all(made.members["changeId"] != members["changeId"] for made in self._made):
            self._made.append(_Made(members, outcome))

    def written(self, members: dict[str, Any]) -> dict[str, Any]:
        """Send a change and return its outcome. Raises ``Wrong`` if the change was not written."""
        outcome = self.write(members)
        if outcome["state"] != "written":
            raise Wrong(f"{_named(members)} is {outcome['state']}: {shown(outcome.get('reason'))}.")
        return outcome

    def undo(self, members: dict[str, Any], outcome: dict[str, Any]) -> dict[str, Any]:
        """Undo a write. Returns the outcome of the undo."""
        if not isinstance(outcome.get("undo"), str):
            raise Wrong(f"`undo` of a written change is not a text: {shown(outcome)}")
        target = {name: members[name] for name in ("cmsId", "url", "field", "key", "file") if name in members}
        return self.write(self._write(target | {"value": None, "restore": outcome["undo"]}))

    def restore(self) -> None:
        """Undo the writes that checks have not undone, the last write first. Raises ``Wrong`` if the connector refuses
        an undo."""
        left = []
        while self._made:
            last = self._made[-1]
            with contextlib.suppress(Wrong):
                self.undo(*last)
            if last in self._made:
                self._made.remove(last)
                left.append(_named(last.members))
        if left:
            raise Wrong(f"These values, written by a check, could not be undone: {', '.join(dict.fromkeys(left))}.")

    # -- what visitors see ---------------------------------------------------------------------------------

    def shown(self, field: str) -> str | None:
        """Return the value that the item's page shows; None if it shows none. Raises ``Wrong`` if it shows two
        values."""
        answer = self.visit(self.url)
        if answer.status != 200:
            raise Wrong(f"The item's page {self.url} answers {answer.status}.")
        values = Head(answer.body.decode("utf-8", "replace")).values(field)
        if field == "noindex" and "noindex" in directives(answer.headers.get("X-Robots-Tag", "")):
            values = ["true"]
        if len(values) > 1:
            raise Wrong(f"The item's page {self.url} shows {len(values)} values of {field}.")
        return values[0] if values else None

    def alts(self, url: str) -> dict[str, str | None]:
        """Return the alt texts of a page's images, in page order, each by the image's key (see docs/connector.md).

        The result is empty if the page does not answer 200.
        """
        answer = self.visit(url)
        return Pictures(answer.body.decode("utf-8", "replace"), url).alts if answer.status == 200 else {}

    def file(self, name: str) -> str | None:
        """Return the text at the address of a file such as /llms.txt or /robots.txt; None if it is not found."""
        answer = self.visit(urllib.parse.urljoin(str(self.status.get("siteUrl")), f"/{name}"))
        if answer.status not in (200, 404):
            raise Wrong(f"/{name} answers {answer.status}.")
        return answer.body.decode("utf-8", "replace") if answer.status == 200 else None

    def visit(self, url: str, method: str = "GET", *, follow: bool = True) -> Answer:
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise Wrong(f"{shown(url)} is not an address with http or https.")
        request = urllib.request.Request(url, headers={"Cache-Control": "no-cache"}, method=method)  # noqa: S310
        return _read(_VISITING if follow else _ASKING, request)


def _fields(item: Mapping[str, Any]) -> dict[str, Any]:
    """An item's own values, unchanged. Returns none if the item is malformed."""
    fields = item.get("fields")
    return fields if isinstance(fields, dict) else {}


def _keys(secret: str) -> dict[str, str]:
    return {"websiteKey": "wos_site_conformance", "secret": secret}


def _named(members: Mapping[str, Any]) -> str:
    return str(members.get("file") or members.get("field"))


def _read(opener: urllib.request.OpenerDirector, request: urllib.request.Request) -> Answer:
    try:
        try:
            with opener.open(request, timeout=SECONDS) as found:
                status, headers, body = found.status, found.headers, found.read(MOST_ANSWER + 1)
        except urllib.error.HTTPError as error:
            with error:
                status, headers, body = error.code, error.headers, error.read(MOST_ANSWER + 1)
    except (OSError, HTTPException, ValueError) as error:
        raise Wrong(f"{request.full_url} does not answer: {shown(str(error))}") from None
    if len(body) > MOST_ANSWER:
        raise Wrong(f"{request.full_url} answers more than 4 MB.")
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    return Answer(status, body, content if isinstance(content, dict) else None, headers)
