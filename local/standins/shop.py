"""A stand-in for Shopify's Admin GraphQL API. It works with any website that can be written to: the demo website, or a
list in memory.

It uses the real wire format: access token, GraphQL documents, cursors, metafields with digests, user errors, costs. It
has the types, members and inputs that Shopify documents. A request with any other type, member or input gets an error.
The stand-in stores the items' own values. The website decides what visitors see, so that tests can hide a write from
visitors.
"""

import base64
import json
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from local.serving import Answer, Request, Standin
from local.standins import graphql
from local.standins.cms import CmsSite
from local.standins.graphql import Wrong
from local.standins.shop_files import TAKEN, Files, Redirects
from local.standins.shop_items import VALUES, Items, Place, digest, space, type_of

# access: the token is unknown. quota: no points are left. down: server error. partial: the request is carried out, but
# the answer breaks off half-way. hide_writes: values are stored, but visitors do not see them. refuse: each change is
# refused. fail: each change fails.
FAULTS: Final = ("none", "access", "quota", "down", "partial", "hide_writes", "refuse", "fail")
NAME: Final = "alderfell.myshopify.com"
TOKEN: Final = "shpat_stand-in"
SCOPES: Final = (
    *("read_products", "write_products", "read_content", "write_content"),
    *("write_files", "write_online_store_navigation"),
)
INSTALLATION: Final = "gid://shopify/AppInstallation/1"
REFUSAL: Final = "The stand-in refuses every change, because it is set to do so."
POINTS: Final = 20_000.0  # the most that requests may cost at once, as in the plan Plus
RESTORED: Final = 1_000.0  # points a second
COST: Final = 10.0  # points of a request
MOST_ITEMS: Final = 250
MOST_METAFIELDS: Final = 25
_KEPT: Final = 1_000
_PATH: Final = re.compile(r"/admin/api/(\d{4}-\d{2})/graphql\.json")
_SEO: Final = {"title": ("global", "title_tag"), "description": ("global", "description_tag")}
_UPDATED: Final = "2026-11-20T10:00:00Z"


class Exchange(NamedTuple):
    """One received request: its path, its headers (lower-case names) and its raw body."""

    path: str
    headers: dict[str, str]
    body: bytes


class _Failure(Exception):
    """Raised to answer a request with an HTTP error."""

    def __init__(self, status: int, content: Any) -> None:
        super().__init__(status)
        self.status = status
        self.content = content


class _Throttled(Exception):
    """Raised if a request costs more points than remain."""


class _Denied(Exception):
    """Raised if the granted scopes do not allow a request."""


class Shop(Standin):
    """A stand-in for a shop's Admin API, as an HTTP server on a free port. It runs from its creation until ``stop``.

    - ``url``: the value for ``SHOP_ADMIN_URL``.
    - ``exchanges``: the last requests, oldest first.
    - ``counts``: how often each member was requested, by name.
    - ``writes``: the values that were really written, in order, as (item, field, value). For an alt text or a redirect,
      item is "". The field of an alt text is "alt" and the file; the field of a redirect is "redirect" and the path.

    Tests may set ``scopes``, ``points`` and ``home``, and the attributes of ``files`` and ``redirects``.
    """

    name = "shop"
    called = "the shop"
    faults = FAULTS
    json_type = "application/json; charset=utf-8"

    def __init__(self, site: CmsSite) -> None:
        self.site = site
        self.scopes: tuple[str, ...] = SCOPES
        self.points = POINTS
        self.home = site.url
        self.exchanges: deque[Exchange] = deque(maxlen=_KEPT)
        self.counts: Counter[str] = Counter()
        self.writes: list[tuple[str, str, str | None]] = []
        self._lock = threading.RLock()
        self._restored_at = time.monotonic()
        self._items = Items(site)
        self.files = Files(site)
        self.redirects = Redirects(site, lambda: self.home)
        self._installation: dict[Place, str] = {}  # metafields of the app's installation
        super().__init__()

    # -- a user's actions ------------------------------------------------------------------------------------

    def misbehave(self, fault: str) -> None:
        with self._lock:
            super().misbehave(fault)
            if fault != "hide_writes" and self.writes:  # hidden writes become visible
                self._items.show_all()
                self.files.show()
                self.redirects.show()

    def credentials(self) -> dict[str, str]:
        """Return the credentials that connect a website to the shop."""
        return {"shop": NAME, "accessToken": TOKEN}

    def edit(self, item: str, field: str, value: str | None) -> None:
        """Write a value as an editor in the shop would. ``item`` and ``field``: see ``value``."""
        kind, _, name = field.partition(" ")
        hide = self.fault == "hide_writes"
        with self._lock:
            if kind == "alt":
                self.files.store(name, value, hide=hide)
                return
            if kind == "redirect":
                self.redirects.store(self.redirects.of_path(name), name, value, hide=hide)
                return
            place = next(place for place, name in VALUES.items() if name == field)
            stored = None if value is None else {"true": "1", "false": "0"}[value] if field == "noindex" else value
            self._items.store(item, {place: stored}, hide=self.fault == "hide_writes")

    def value(self, item: str, field: str) -> str | None:
        """Return the value that the shop stores for a field of an item itself; None if it stores none.

        For an alt text, ``field`` is "alt" and the file's path. For a redirect, it is "redirect" and the path. In both
        cases, ``item`` is "".
        """
        kind, _, name = field.partition(" ")
        with self._lock:
            if kind == "alt":
                return self.files.alts.get(name)
            if kind == "redirect":
                return self.redirects.targets().get(name)
            return self._items.own(item).get(field)

    def forget_notes(self) -> None:
        """Delete the metafields that apps have stored with the items and with their own installation."""
        with self._lock:
            self._items.forget(self._items.notes())
            self._installation.clear()

    def notes(self) -> int:
        """Count the metafields that an app has stored, both with the items and with its own installation."""
        with self._lock:
            return len(self._items.notes()) + len(self._installation)

    def id_of(self, item: str) -> str:
        """Return the id of an item in the API."""
        return next(gid for gid, name in self._items.names().items() if name == item)

    def restore(self, seconds: float) -> None:
        """Give back as many rate-limit points as the shop gives back in this many seconds."""
        self.points = min(POINTS, self.points + seconds * RESTORED)

    # -- the service's requests -----------------------------------------------------------------------------

    def respond(self, request: Request) -> Answer:
        try:
            version, content = self.answer(Exchange(request.path, request.lower_headers(), request.body))
        except _Failure as failure:
            return self.json_answer(failure.status, failure.content)
        return self.json_answer(200, content, {"X-Shopify-API-Version": version}, broken=self.fault == "partial")

    def answer(self, exchange: Exchange) -> tuple[str, dict[str, Any]]:
        """Answer one request. Returns the API's version and the answer. Raises ``_Failure``."""
        with self._lock:
            self.exchanges.append(exchange)
            path = _PATH.fullmatch(exchange.path)
            if path is None:
                raise _Failure(404, {"errors": "Not Found"})
            if self.fault == "down":
                raise _Failure(503, {"errors": "Service Unavailable"})
            if self.fault == "access" or exchange.headers.get("x-shopify-access-token") != TOKEN:
                said = "[API] Invalid API key or access token (unrecognized login or wrong password)"
                raise _Failure(401, {"errors": said})
            return path[1], self._answered(_request(exchange.body))

    def _answered(self, request: dict[str, Any]) -> dict[str, Any]:
        now = time.monotonic()
        self.restore(now - self._restored_at)
        self._restored_at = now
        try:
            if self.fault == "quota":
                self.points = 0.0
            if self.points < COST:
                raise _Throttled
            operation = graphql.parse(request["query"])
            if operation.kind == "mutation" and self.fault == "fail":
                raise _Failure(500, {"errors": "Internal Server Error"})
            self.points -= COST
            self.counts.update(one.name for one in operation.selections if isinstance(one, graphql.Field))
            root = self._queries() if operation.kind == "query" else self._mutations()
            data = graphql.answer(root, operation, request["variables"])
            return {"data": data, "extensions": self._cost(COST)}
        except _Throttled:
            error = _error("Throttled", "THROTTLED", documentation="https://shopify.dev/api/usage/rate-limits")
            return {"errors": [error], "extensions": self._cost(None)}
        except _Denied as denied:
            error = _error(f"Access denied. Required access: `{denied}` access scope.", "ACCESS_DENIED")
            return {"data": None, "errors": [error], "extensions": self._cost(COST)}
        except Wrong as wrong:
            return {"errors": [_error(str(wrong), "undefinedField")]}

    def _cost(self, actual: float | None) -> dict[str, Any]:
        throttle = {"maximumAvailable": POINTS, "currentlyAvailable": self.points, "restoreRate": RESTORED}
        return {"cost": {"requestedQueryCost": COST, "actualQueryCost": actual, "throttleStatus": throttle}}

    def _queries(self) -> dict[str, Any]:
        return {
            "__typename": "QueryRoot",
            "shop": {
                "__typename": "Shop",
                "name": "Alderfell",
                "myshopifyDomain": NAME,
                "primaryDomain": {"__typename": "Domain", "url": self.home},
            },
            "currentAppInstallation": {
                "__typename": "AppInstallation",
                "id": INSTALLATION,
                "metafield": _metafields(self._installation),
                "accessScopes": [{"__typename": "AccessScope", "handle": scope} for scope in self.scopes],
            },
            "node": self._node,
            "products": self._list("Product", "products"),
            "collections": self._list("Collection", "products"),
            "pages": self._list("Page", "content"),
            "files": self._list_files,
            "urlRedirects": self._list_redirects,
            "urlRedirect": self._redirect,
        }

    def _mutations(self) -> dict[str, Any]:
        return {
            "__typename": "Mutation",
            "productUpdate": lambda product: self._update("Product", product),
            "collectionUpdate": lambda input: self._update("Collection", input),
            "metafieldsSet": self._set,
            "metafieldsDelete": self._delete,
            "fileUpdate": self._update_files,
            "urlRedirectCreate": lambda **given: self._write_redirect(None, given["urlRedirect"]),
            "urlRedirectUpdate": lambda **given: self._write_redirect(given["id"], given["urlRedirect"]),
            "urlRedirectDelete": self._delete_redirect,
        }

    # -- stored data ---------------------------------------------------------------------------------------

    def _write(self, item: str, written: Mapping[Place, str | None]) -> None:
        """Write an item's metafields, like a mutation."""
        self._items.store(item, written, hide=self.fault == "hide_writes")
        fields = [VALUES[place] for place in written if place in VALUES]
        self.writes += [(item, field, self._items.own(item).get(field)) for field in fields]

    def _node(self, id: str) -> dict[str, Any] | None:
        if re.fullmatch(r"gid://shopify/[A-Za-z]+/\d+", id) is None:
            raise Wrong(f"Invalid global id '{id}'")
        if "/MediaImage/" in id:
            self._require("files", "read")
            file = self.files.by_id(id)
            return None if file is None else self.files.node(file)
        names = self._items.names()
        if id not in names:
            return None
        self._require("products" if "/Page/" not in id else "content", "read")
        return self._object(id, names[id])

    def _object(self, gid: str, item: str) -> dict[str, Any]:
        entry, held = self.site.entries()[item], self._items.metafields(item)
        kind = type_of(entry.url)
        found: dict[str, Any] = {
            "__typename": kind,
            "id": gid,
            "title": entry.title,
            "updatedAt": _UPDATED,
            "metafield": _metafields(held),
        }
        found["handle"] = urlsplit(entry.url).path.strip("/").rpartition("/")[2]
        if kind == "Product":
            found["onlineStoreUrl"] = entry.url
        if kind == "Page":
            return found | {"isPublished": True}
        return found | {"seo": {"__typename": "SEO"} | {name: held.get(place) for name, place in _SEO.items()}}

    def _list(self, kind: str, scope: str) -> Callable[..., dict[str, Any]]:
        def listed(first: int, after: str | None = None, query: str = "", **other: Any) -> dict[str, Any]:
            self._require(scope, "read")
            if query not in ("", "published_status:published"):
                raise Wrong(f"The stand-in does not know this query of {kind}")
            _check_list(kind, first, other)
            names = self._items.names()
            found = [gid for gid in names if f"/{kind}/" in gid]
            return _page(kind, found, first, after, lambda gid: self._object(gid, names[gid]))

        return listed

    def _list_files(self, first: int, query: str, after: str | None = None, **other: Any) -> dict[str, Any]:
        self._require("files", "read")
        _check_list("File", first, other)
        found = {one.gid: self.files.node(one) for one in self.files.find(query)}
        found["gid://shopify/Video/1"] = {"__typename": "Video", "id": "gid://shopify/Video/1"}
        return _page("File", list(found), first, after, found.__getitem__)

    def _list_redirects(self, first: int, query: str, after: str | None = None, **other: Any) -> dict[str, Any]:
        self._require("online_store_navigation", "read")
        _check_list("UrlRedirect", first, other)
        return _page("UrlRedirect", self.redirects.find(query), first, after, self.redirects.node)

    def _redirect(self, id: str) -> dict[str, Any] | None:
        self._require("online_store_navigation", "read")
        return self.redirects.node(id) if id in self.redirects.held else None

    def _require(self, scope: str, access: str) -> None:
        granted = set(self.scopes)
        if access == "read":  # a scope for writing includes reading
            granted |= {f"read_{name.removeprefix('write_')}" for name in self.scopes if name.startswith("write_")}
        if scope == "content":
            granted |= {f"{access}_content"} if f"{access}_online_store_pages" in granted else set()
        if f"{access}_{scope}" not in granted:
            raise _Denied(f"{access}_{scope}")

    # -- mutations -----------------------------------------------------------------------------------------

    def _update(self, kind: str, given: dict[str, Any]) -> dict[str, Any]:
        """Do productUpdate or collectionUpdate for ``seo`` and ``metafields``. Other members do not change."""
        member = kind.lower()
        self._require("products", "write")
        if not given.keys() <= {"id", "seo", "metafields"} or not given.get("seo", {}).keys() <= _SEO.keys():
            raise Wrong(f"Field is not defined on {kind}UpdateInput")
        item = self._items.names().get(given["id"]) if f"/{kind}/" in given["id"] else None
        errors = self._refusals() if item else [_user_error(f"{kind} does not exist")]
        if item is None or errors:
            return {"__typename": "Payload", member: None, "userErrors": errors}
        written = {_SEO[name]: (value or "").strip() or None for name, value in given.get("seo", {}).items()}
        beside = {_place(metafield): metafield["value"] for metafield in given.get("metafields", [])}
        self._write(item, written | beside)
        return {"__typename": "Payload", member: self._object(given["id"], item), "userErrors": []}

    def _set(self, metafields: list[dict[str, Any]]) -> dict[str, Any]:
        names, errors = self._items.names(), self._refusals()
        if len(metafields) > MOST_METAFIELDS:
            raise Wrong("The input array size is greater than the maximum allowed of 25")
        for given in metafields:
            if given["ownerId"] == INSTALLATION:  # no scope is needed
                held = self._installation
            else:
                self._require("products" if "/Page/" not in given["ownerId"] else "content", "write")
                item = names.get(given["ownerId"])
                if item is None:
                    errors.append(_user_error("Owner does not exist", "INVALID_VALUE"))
                    continue
                held = self._items.metafields(item)
            standing = held.get(_place(given))
            seen = None if standing is None else digest(standing)
            if "compareDigest" in given and given["compareDigest"] != seen:
                errors.append(_user_error("The resource has been updated since it was loaded", "STALE_OBJECT"))
            elif not given["value"].strip():
                errors.append(_user_error("Value can't be blank.", "BLANK"))
        if not errors:  # all or none
            by_item: dict[str, dict[Place, str | None]] = {}
            for given in metafields:
                if given["ownerId"] == INSTALLATION:
                    self._installation[_place(given)] = given["value"].strip()
                    continue
                by_item.setdefault(names[given["ownerId"]], {})[_place(given)] = given["value"].strip()
            for item, written in by_item.items():
                self._write(item, written)
        return {"__typename": "MetafieldsSetPayload", "userErrors": errors}

    def _delete(self, metafields: list[dict[str, Any]]) -> dict[str, Any]:
        names, errors = self._items.names(), self._refusals()
        for given in metafields:
            self._require("products" if "/Page/" not in given["ownerId"] else "content", "write")
            if not errors:
                self._write(names[given["ownerId"]], {(space(given["namespace"]), given["key"]): None})
        return {"__typename": "MetafieldsDeletePayload", "userErrors": errors}

    def _update_files(self, files: list[dict[str, Any]]) -> dict[str, Any]:
        self._require("files", "write")
        errors, written = self._refusals(), []
        for given in files:
            if not given.keys() <= {"id", "alt"}:
                raise Wrong("Field is not defined on FileUpdateInput")
            file = self.files.by_id(given["id"])
            wrong = self.files.fault(file, given["alt"])
            if wrong is not None:
                errors.append(_user_error(*wrong))
            if file is None or errors:
                continue
            self.files.store(file.path, given["alt"], hide=self.fault == "hide_writes")
            self.writes.append(("", f"alt {file.path}", given["alt"]))
            written.append(self.files.node(file))
        return {"__typename": "FileUpdatePayload", "files": written, "userErrors": errors}

    def _write_redirect(self, gid: str | None, given: dict[str, str]) -> dict[str, Any]:
        self._require("online_store_navigation", "write")
        if given.keys() != {"path", "target"}:
            raise Wrong("Field is not defined on UrlRedirectInput")
        errors, path, target = self._refusals(), given["path"], given["target"]
        if gid is not None and gid not in self.redirects.held:
            errors.append(_user_error("Redirect does not exist", "DOES_NOT_EXIST"))
        elif self.redirects.of_path(path) not in (None, gid):
            errors.append(_user_error(TAKEN, "CREATE_FAILED" if gid is None else "UPDATE_FAILED"))
        if errors:
            return {"__typename": "UrlRedirectPayload", "urlRedirect": None, "userErrors": errors}
        gid = self.redirects.store(gid, path, target, hide=self.fault == "hide_writes")
        assert gid is not None
        self.writes.append(("", f"redirect {path}", target))
        return {"__typename": "UrlRedirectPayload", "urlRedirect": self.redirects.node(gid), "userErrors": []}

    def _delete_redirect(self, id: str) -> dict[str, Any]:
        self._require("online_store_navigation", "write")
        errors = self._refusals()
        if id not in self.redirects.held:
            errors.append(_user_error("Redirect does not exist", "DOES_NOT_EXIST"))
        if not errors:
            path, _ = self.redirects.held[id]
            self.redirects.store(id, path, None, hide=self.fault == "hide_writes")
            self.writes.append(("", f"redirect {path}", None))
        deleted = None if errors else id
        return {"__typename": "UrlRedirectDeletePayload", "deletedUrlRedirectId": deleted, "userErrors": errors}

    def _refusals(self) -> list[dict[str, Any]]:
        return [_user_error(REFUSAL)] if self.fault == "refuse" else []


def _check_list(kind: str, first: int, other: Mapping[str, Any]) -> None:
    if other != {"sortKey": "ID"}:
        raise Wrong(f"The stand-in does not know these arguments of {kind}")
    if not 1 <= first <= MOST_ITEMS:
        raise Wrong(f"first is 1 to {MOST_ITEMS}")


def _metafields(held: Mapping[Place, str]) -> Callable[[str, str], dict[str, Any] | None]:
    """Make the member ``metafield`` of an owner, which looks up one of its metafields."""

    def metafield(namespace: str, key: str) -> dict[str, Any] | None:
        value = held.get((space(namespace), key))
        if value is None:
            return None
        return {"__typename": "Metafield", "value": value, "compareDigest": digest(value)}

    return metafield


def _page(
    kind: str, gids: Sequence[str], first: int, after: str | None, node: Callable[[str], dict[str, Any]]
) -> dict[str, Any]:
    """Return one page of a list, after the cursor ``after``."""
    start = 0 if after is None else 1 + _position(after, gids)
    chosen, more = gids[start : start + first], start + first < len(gids)
    end = _cursor(chosen[-1]) if chosen else None
    info = {"__typename": "PageInfo", "hasNextPage": more, "endCursor": end}
    return {"__typename": f"{kind}Connection", "pageInfo": info, "nodes": [node(gid) for gid in chosen]}


def _place(metafield: Mapping[str, Any]) -> Place:
    if not metafield.keys() <= {"ownerId", "namespace", "key", "type", "value", "compareDigest"}:
        raise Wrong("Field is not defined on MetafieldInput")
    return space(metafield["namespace"]), metafield["key"]


def _cursor(gid: str) -> str:
    return base64.b64encode(json.dumps({"last_id": gid}).encode()).decode()


def _position(cursor: str, gids: Sequence[str]) -> int:
    try:
        return gids.index(json.loads(base64.b64decode(cursor, validate=True))["last_id"])
    except (ValueError, TypeError, KeyError):
        raise Wrong("Invalid cursor for current pagination sort.") from None


def _error(message: str, code: str, **more: str) -> dict[str, Any]:
    return {"message": message, "extensions": {"code": code, **more}}


def _user_error(message: str, code: str | None = None) -> dict[str, Any]:
    return {"__typename": "UserError", "field": None, "message": message, "code": code}


def _request(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("query"), str):
        raise _Failure(400, {"errors": {"query": "Required parameter missing or invalid"}})
    return {"query": found["query"], "variables": found.get("variables") or {}}
