"""A stand-in for the connector in a CMS. It works with any website that can be written to: the demo website, or a list
in memory.

It implements all of docs/connector.md: pairing, signatures, nonces, known changes, sequences, undo. The stand-in stores
the items' own values. The website decides what visitors see, so that tests can hide a write from visitors.
"""

import json
import re
import secrets
import threading
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import urlsplit

import msgspec

from chalicelib import typed
from chalicelib.domain.connector import signature
from chalicelib.domain.connector.messages import (
    MOST_ALT,
    MOST_FILE,
    MOST_ITEMS,
    MOST_KEY,
    MOST_VALUE,
    PROTOCOL,
    Cache,
    Change,
    FileChange,
    FileOutcome,
    Item,
    ItemFields,
    Items,
    Outcome,
    Status,
)
from local.demo.serve import Server
from local.serving import Answer, Request, Standin
from local.standins.content import ContentQueue, Pairing
from local.standins.undo import Undos

# access: the pairing is gone. down: server error. partial: the request is carried out, but the answer breaks off.
# hide_writes: values are stored, but visitors do not see them. refuse: each change is refused. fail: each change fails.
# readonly: robots.txt is a file that the CMS cannot replace. sender: another plugin submits changes to search engines.
FAULTS: Final = ("none", "access", "down", "partial", "hide_writes", "refuse", "fail", "readonly", "sender")
WITHOUT: Final = {"readonly": "robotsBlock", "sender": "indexNowKey"}  # fault -> the file that cannot be written
FIELDS: Final = ("title", "meta_description", "canonical", "noindex", "alt")
FILES: Final = ("llmsTxt", "robotsBlock", "indexNowKey")
SENDER: Final = "Another plugin"
CODE_SECONDS: Final = 900
KNOWN_CHANGES: Final = 1_000
MOST_BODY: Final = 1_048_576
CACHE: Final = "Stand-in page cache"
READONLY: Final = "There is a file robots.txt in the website's folder, which the stand-in may not replace."
REFUSAL: Final = "The stand-in refuses every change, because it is set to do so."
KEY: Final = re.compile(r"[A-Za-z0-9-]{8,128}", re.ASCII)  # a key for IndexNow
KEYS: Final = {"alt": re.compile(r"https?://[!-~]+ [1-9][0-9]{0,3}"), "redirect": re.compile(r"/[!-~]*")}
PLAIN: Final = re.compile(rf"[!-~]{{1,{MOST_KEY}}}")
NEVER: Final = re.compile(r"/(?:wp-json(?:/.*)?|robots\.txt|llms\.txt)?(?:\?.*)?")  # paths that are never redirected
_KEPT: Final = 1_000


class Entry(NamedTuple):
    """An item of a website: its address, its type in the CMS (such as ``page``), and its title."""

    url: str
    type: str
    title: str


class Site(Protocol):
    """The website behind the CMS. Only one thread at a time calls it."""

    url: str

    def entries(self) -> Mapping[str, Entry]:
        """Return the website's items by id, always in the same order."""

    def show(self, item: str, values: Mapping[str, str]) -> None:
        """Show visitors these values of the item from now on. The website fills in missing values."""

    def show_files(self, values: Mapping[str, str]) -> None:
        """Show visitors these files from now on: ``llmsTxt``, ``robotsBlock`` in robots.txt, and ``indexNowKey`` at its
        address."""


class CmsSite(Site, Protocol):
    """A website whose images and redirects can be written too."""

    def images(self, item: str) -> Sequence[str]:
        """Return the keys of the images that the item's page shows, as the field ``alt`` uses them."""

    def show_alts(self, item: str, alts: Mapping[str, str]) -> None:
        """Show these alt texts at the item's images from now on. ``alts``: the alt text of each image, by the image's
        key.

        Other images get the website's own alt texts.
        """

    def show_redirects(self, targets: Mapping[str, str]) -> None:
        """Redirect these paths from now on. A path at which the website has a page is not redirected."""


class DemoSite:
    """The website of the simulated CMS: the demo website. Every page that answers 200 is an item, except at addresses
    with a query."""

    def __init__(self, server: Server) -> None:
        self.url = server.url
        self._server = server

    @cached_property
    def _paths(self) -> dict[str, str]:
        """Item id -> path. Computed when first needed, because it makes the website's pages."""
        return {f"page:{number}": path for number, path in enumerate(self._server.pages) if "?" not in path}

    def entries(self) -> Mapping[str, Entry]:
        base = self.url.rstrip("/")
        return {item: Entry(base + path, "page", path) for item, path in self._paths.items()}

    def show(self, item: str, values: Mapping[str, str]) -> None:
        self._server.write(self._paths[item], values)

    def show_files(self, values: Mapping[str, str]) -> None:
        self._server.write_files(values)

    def images(self, item: str) -> Sequence[str]:
        return self._server.images(self._paths[item])

    def show_alts(self, item: str, alts: Mapping[str, str]) -> None:
        self._server.write_alts(self._paths[item], alts)

    def show_redirects(self, targets: Mapping[str, str]) -> None:
        self._server.write_redirects(targets)


class ListSite:
    """A website that serves nothing. It only records the values to show: ``shown`` and ``alts``, by item, ``files`` and
    ``redirects``.

    Each page has three images, two of them with the same address.
    """

    def __init__(self, count: int, url: str = "https://shop.example/") -> None:
        self.url = url
        self._entries = {f"page:{n}": Entry(f"{url}page-{n}/", "page", f"Page {n}") for n in range(1, count + 1)}
        self.shown: dict[str, dict[str, str]] = {}
        self.files: dict[str, str] = {}
        self.alts: dict[str, dict[str, str]] = {}
        self.redirects: dict[str, str] = {}

    def entries(self) -> Mapping[str, Entry]:
        return self._entries

    def show(self, item: str, values: Mapping[str, str]) -> None:
        self.shown[item] = dict(values)

    def show_files(self, values: Mapping[str, str]) -> None:
        self.files = dict(values)

    def images(self, item: str) -> Sequence[str]:
        return [f"{self.url}a.jpg 1", f"{self.url}b.jpg 1", f"{self.url}a.jpg 2"]

    def show_alts(self, item: str, alts: Mapping[str, str]) -> None:
        self.alts[item] = dict(alts)

    def show_redirects(self, targets: Mapping[str, str]) -> None:
        self.redirects = dict(targets)


class Exchange(NamedTuple):
    """One received request: its operation, its headers (lower-case names) and its raw body."""

    operation: str
    headers: dict[str, str]
    body: bytes


class Refusal(Exception):
    """Raised to refuse a request with this status, code and message."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.content = {"code": code, "message": message}


class Cms(Standin):
    """A stand-in for a CMS's connector, as an HTTP server on a free port. It runs from its creation until ``stop``.

    - ``address``: the connector's address.
    - ``exchanges``: the last requests, oldest first.
    - ``counts``: the number of requests of each operation.
    - ``writes``: the values that were really written, in order, as (item, field, value). For a file or redirect, item
      is "". If a field has a key, the name of the field is "field key".
    """

    name = "cms"
    called = "the CMS"
    faults = FAULTS
    json_type = "application/json; charset=utf-8"
    most_body = MOST_BODY

    def __init__(self, site: CmsSite, content: ContentQueue | None = None) -> None:
        """``content``: the queue that sends all content to the service after a pairing; None to send nothing."""
        self.site = site
        self._content = content
        self.exchanges: deque[Exchange] = deque(maxlen=_KEPT)
        self.counts: Counter[str] = Counter()
        self.writes: list[tuple[str, str, str | None]] = []
        self.pairing: Pairing | None = None
        self._lock = threading.RLock()
        self._code: tuple[str, float] | None = None
        self._used = ""  # the code of the last pairing: repeating that pairing gets the same answer
        self._nonces: dict[str, float] = {}
        self._values: dict[str, dict[str, str]] = {}
        self._files: dict[str, str] = {}
        self._alts: dict[str, dict[str, str]] = {}
        self._redirects: dict[str, str] = {}
        self._sequences: dict[tuple[str, str], int] = {}
        self._known: dict[str, bytes] = {}
        self._undos = Undos()
        super().__init__()
        self.address = f"{self.url}/wp-json/wos/v1"

    # -- a user's actions ------------------------------------------------------------------------------------

    def misbehave(self, fault: str) -> None:
        with self._lock:
            super().misbehave(fault)
            if fault != "hide_writes" and self.writes:  # hidden writes become visible
                for item, values in self._values.items():
                    self.site.show(item, values)
                for item, values in self._alts.items():
                    self.site.show_alts(item, values)
                self.site.show_files(self._files)
                self.site.show_redirects(self._redirects)

    def code(self, seconds: float = CODE_SECONDS) -> str:
        """Make a one-time pairing code. The previous code stops working."""
        with self._lock:
            self._code = (secrets.token_hex(8), time.time() + seconds)
            return self._code[0]

    def disconnect(self) -> None:
        """Forget the pairing. Requests are refused from then on."""
        with self._lock:
            self.pairing = self._code = None

    def edit(self, item: str, field: str, value: str | None) -> None:
        """Write a value as an editor in the CMS would. ``item`` and ``field``: see ``value``."""
        with self._lock:
            self._store(item, field, value)

    def value(self, item: str, field: str) -> str | None:
        """Return the value that the CMS stores for an item's field, a file or a redirect; None if it stores none.

        For a file or redirect, ``item`` is "". If a field has a key, its name is "field key".
        """
        with self._lock:
            kept, name = self._kept(item, field)
            return kept.get(name)

    def items(self) -> list[Item]:
        """Return all items with the values that the CMS stores now."""
        with self._lock:
            return [self._item(name, entry) for name, entry in self.site.entries().items()]

    # -- the service's requests -----------------------------------------------------------------------------

    def respond(self, request: Request) -> Answer:
        if len(request.body) > MOST_BODY:
            return self._refused(Refusal(413, "too_large", "The body is too large."))
        root, _, operation = request.path.rpartition("/")
        if root != "/wp-json/wos/v1" or operation not in ("pair", "status", "items", "changes", "files"):
            return self._refused(Refusal(404, "rest_no_route", "There is no such route."))
        try:
            answer = self.answer(Exchange(operation, request.lower_headers(), request.body))
        except Refusal as refusal:
            return self._refused(refusal)
        return Answer(200, answer, {"Content-Type": self.json_type}, broken=self.fault == "partial")

    def _refused(self, refusal: Refusal) -> Answer:
        return self.json_answer(refusal.status, refusal.content)

    def answer(self, exchange: Exchange) -> bytes:
        """Return the body of the answer to one request, with status 200. Raises ``Refusal`` for any other answer."""
        with self._lock:
            self.exchanges.append(exchange)
            self.counts[exchange.operation] += 1
            if self.fault == "down":
                raise Refusal(503, "down", "The website is being maintained.")
            if exchange.operation == "pair":
                return msgspec.json.encode(self._pair(_object(exchange.body)))
            self._check(exchange)
            if exchange.operation in ("changes", "files") and self.fault == "fail":
                raise Refusal(500, "failed", "There has been a critical error on this website.")
            return self._does(exchange.operation, exchange.body)

    def _check(self, exchange: Exchange) -> None:
        if self.pairing is None or self.fault == "access":
            raise Refusal(401, "not_paired", "This website is not connected to the service.")
        path, now = signature.ROOT + exchange.operation, time.time()
        fault = signature.fault(self.pairing.secret, exchange.headers, path, exchange.body, now)
        if fault is not None:
            raise Refusal(401, fault, "The request has a wrong signature.")
        self._nonces = {seen: at for seen, at in self._nonces.items() if at > now - signature.NONCE_SECONDS}
        nonce = exchange.headers[signature.NONCE_HEADER.lower()]
        if nonce in self._nonces:
            raise Refusal(401, "repeated", "The request came before.")
        self._nonces[nonce] = now

    def _does(self, operation: str, body: bytes) -> bytes:
        if operation == "status":
            return msgspec.json.encode(self._status())
        if operation == "items":
            return msgspec.json.encode(self._items(_object(body)))
        wire: type[Change] | type[FileChange] = Change if operation == "changes" else FileChange
        try:
            change = typed.from_json(body, wire)
        except msgspec.DecodeError as error:
            raise Refusal(400, "bad_body", f"The change is invalid: {error}") from None
        return self._change(change)

    def _pair(self, body: dict[str, Any]) -> Status:
        given = [body.get(name) for name in ("siteId", "baseUrl", "websiteKey", "secret", "code")]
        if not all(isinstance(text, str) and text for text in given):
            raise Refusal(400, "bad_body", "code, siteId, baseUrl, websiteKey and secret must be texts.")
        *handed, code = map(str, given)
        good = self._code is not None and time.time() <= self._code[1] and secrets.compare_digest(self._code[0], code)
        wanted = Pairing(*handed)
        if not good or (self.pairing is not None and self._used == code and self.pairing != wanted):
            raise Refusal(403, "bad_code", "The code is wrong or has expired.")
        is_new = self.pairing != wanted
        self.pairing, self._used = wanted, code
        if is_new and self._content is not None:
            self._content.send_all(wanted, self.items)
        return self._status()

    def _status(self) -> Status:
        return Status(
            protocol=PROTOCOL,
            platform="stand-in",
            version="1.0.0",
            site_url=self.site.url,
            writable=True,
            fields=list(FIELDS),
            files=[file for file in FILES if file != WITHOUT.get(self.fault)],
            page_caches=[CACHE],
            redirects=True,
            robots_file="readonly" if self.fault == "readonly" else "virtual",
            index_now_sender=SENDER if self.fault == "sender" else None,
        )

    def _items(self, body: dict[str, Any]) -> Items:
        after, limit = body.get("after"), body.get("limit", MOST_ITEMS)
        entries = self.site.entries()
        names = list(entries)
        if not (after is None or after in entries) or not isinstance(limit, int) or not 1 <= limit <= MOST_ITEMS:
            raise Refusal(
                400, "bad_body", "`after` must be the `next` of an earlier answer, and `limit` must be 1 to 200."
            )
        start = 0 if after is None else names.index(after) + 1
        chosen = names[start : start + limit]
        found = [self._item(name, entries[name]) for name in chosen]
        return Items(items=found, next=chosen[-1] if start + limit < len(names) else None)

    def _item(self, name: str, entry: Entry) -> Item:
        own: dict[str, Any] = dict(self._values.get(name, {}))
        if "noindex" in own:
            own["noindex"] = own["noindex"] == "true"
        return Item(
            cms_id=name, url=entry.url, type=entry.type, status="published", title=entry.title, fields=ItemFields(**own)
        )

    def _change(self, change: Change | FileChange) -> bytes:
        known = self._known.get(change.change_id)
        if known is not None:
            return known
        answer = msgspec.json.encode(self._outcome(change))
        self._known[change.change_id] = answer
        if len(self._known) > KNOWN_CHANGES:
            del self._known[next(iter(self._known))]
        return answer

    def _outcome(self, change: Change | FileChange) -> Outcome | FileOutcome:
        kind = Outcome if isinstance(change, Change) else FileOutcome
        item, field = _place(change)
        if change.sequence < self._sequences.get((item, field), 0):
            return kind(state="superseded")
        before = self.value(item, field)
        reason = self._why_not(change, before)
        if reason is not None:
            return kind(state="refused", reason=reason)
        value = change.value if change.restore is None else self._undos.value(change.restore, change.value)
        self._store(item, field, value)
        self.writes.append((item, field, value))
        self._sequences[item, field] = change.sequence
        caches = [Cache(name=CACHE, cleared=self.fault != "hide_writes")]
        undo = self._undos.token(before, value)
        return kind(state="written", before=before, after=value, undo=undo, caches=caches)

    def _why_not(self, change: Change | FileChange, before: str | None) -> str | None:
        if self.fault == "refuse":
            return REFUSAL
        if isinstance(change, FileChange) and change.file == WITHOUT.get(self.fault):
            return READONLY if change.file == "robotsBlock" else f"{SENDER} sends already."
        if isinstance(change, Change) and change.field != "redirect":
            entry = self.site.entries().get(change.cms_id or "")
            if entry is None:
                return f"There is no item {change.cms_id}."
            if entry.url.rstrip("/") != change.url.rstrip("/"):
                return f"The item is not at {change.url} any more."
        if change.restore is not None:
            reason = self._undos.why_not(change.restore, before, change.value)
            value = None if reason else self._undos.value(change.restore, change.value)
            if isinstance(change, Change) and change.field == "redirect" and value is not None:
                return self._no_redirect(change, value)
            return reason
        if isinstance(change, FileChange):
            if change.file == "indexNowKey" and change.value is not None and not KEY.fullmatch(change.value):
                return "A key must have 8 to 128 letters, digits and dashes."
            return "The text is too long." if len(change.value or "") > MOST_FILE else None
        if (
            change.field == "alt"
            and change.value is not None
            and change.key not in self.site.images(change.cms_id or "")
        ):
            return f"The page shows no image {change.key}."
        if change.field == "redirect":
            return None if change.value is None else self._no_redirect(change, change.value)
        return _wrong(change.field, change.value)

    def _no_redirect(self, change: Change, target: str) -> str | None:
        """Return why the address cannot be redirected to the target. Returns None if it can."""
        source, path = change.key or "", _path(target)
        home, to = urlsplit(self.site.url), urlsplit(target)
        if (to.scheme, to.netloc) != (home.scheme, home.netloc) or not PLAIN.fullmatch(target):
            return "The target is not an address of this website."
        if source != _path(change.url) or urlsplit(change.url).netloc != home.netloc:
            return "The address and its path differ."
        if NEVER.fullmatch(source) or source in {_path(entry.url) for entry in self.site.entries().values()}:
            return "The CMS answers this address itself."
        if path == source or path in self._redirects:
            return "The target is redirected itself."
        if source in map(_path, self._redirects.values()):
            return "The address is the target of another redirect."
        return None

    def _kept(self, item: str, field: str) -> tuple[dict[str, str], str]:
        """Return the dictionary in which a value is stored, and the value's key in it."""
        kind, _, key = field.partition(" ")
        if kind == "alt":
            return self._alts.setdefault(item, {}), key
        if kind == "redirect":
            return self._redirects, key
        return (self._values.setdefault(item, {}) if item else self._files), field

    def _store(self, item: str, field: str, value: str | None) -> None:
        values, name = self._kept(item, field)
        if value is None:
            values.pop(name, None)
        else:
            values[name] = value
        if self.fault == "hide_writes":
            return
        if values is self._redirects:
            self.site.show_redirects(values)
        elif values is self._files:
            self.site.show_files(values)
        elif values is self._alts.get(item):
            self.site.show_alts(item, values)
        else:
            self.site.show(item, values)


def _place(change: Change | FileChange) -> tuple[str, str]:
    """Return what a change writes: the item ("" for a file or redirect), and the field with its key, or the file.

    Raises ``Refusal``.
    """
    if isinstance(change, FileChange):
        return "", change.file
    key, form = change.key, KEYS.get(change.field)
    if form is None:
        is_good = key is None and change.cms_id is not None
    else:
        is_item = (change.cms_id is None) == (change.field == "redirect")
        is_good = is_item and key is not None and len(key) <= MOST_KEY and form.fullmatch(key) is not None
    if not is_good:
        raise Refusal(400, "bad_body", "cmsId and key do not belong to the field.")
    return change.cms_id or "", change.field if key is None else f"{change.field} {key}"


def _path(url: str) -> str:
    """Return the path and query of an address."""
    parts = urlsplit(url)
    return f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"


def _wrong(field: str, value: str | None) -> str | None:
    """Return why a CMS refuses the value. Returns None if it accepts it."""
    if value is None:
        return None
    if field == "noindex":
        return None if value in ("true", "false") else "noindex is true or false."
    if field == "alt":
        is_line = not any(ord(character) < 32 or character == "\x7f" for character in value)
        is_good = is_line and len(value) <= MOST_ALT and (value == "" or value.strip() != "")
        return None if is_good else f"An alt text must be one line of text with at most {MOST_ALT} characters."
    if not value.strip() or len(value) > MOST_VALUE or any(ord(character) < 32 for character in value):
        return f"A {field} must be one line of text with at most {MOST_VALUE} characters."
    if field == "canonical" and not value.startswith(("http://", "https://")):
        return "A canonical address must begin with http:// or https://."
    return None


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Refusal(400, "bad_body", "The body is not a JSON object.")
    return found
