"""A stand-in for Shopify's Admin GraphQL API, over any website that lets itself be written: the demo website, or a
list.

It uses the real wire format: access token, GraphQL documents, cursors, metafields with digests, user errors, costs. It
has the types, members and inputs that Shopify documents, and answers others with an error. It keeps the items' own
values. The website decides what visitors see, so that a write can be hidden from them.
"""

import base64
import json
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from local.serving import Answer, Request, Standin
from local.standins import graphql
from local.standins.cms import Site
from local.standins.graphql import Wrong
from local.standins.shop_items import VALUES, Items, Place, digest, space, type_of

# access: the token is not known; quota: no points are left; down: out of order; partial: what was asked is done, but
# the answer breaks off half-way; hide_writes: values are stored, and visitors do not see them; refuse: each change is
# refused; fail: none gets through.
FAULTS: Final = ("none", "access", "quota", "down", "partial", "hide_writes", "refuse", "fail")
NAME: Final = "alderfell.myshopify.com"
TOKEN: Final = "shpat_stand-in"
SCOPES: Final = ("read_products", "write_products", "read_content", "write_content")
REFUSAL: Final = "The stand-in refuses every change, as it was told to."
POINTS: Final = 20_000.0  # that requests may cost at once: of the plan Plus
RESTORED: Final = 1_000.0  # points a second
COST: Final = 10.0  # of a request
MOST_ITEMS: Final = 250
MOST_METAFIELDS: Final = 25
_KEPT: Final = 1_000
_PATH: Final = re.compile(r"/admin/api/(\d{4}-\d{2})/graphql\.json")
_SEO: Final = {"title": ("global", "title_tag"), "description": ("global", "description_tag")}
_UPDATED: Final = "2026-11-20T10:00:00Z"


class Exchange(NamedTuple):
    """One request: its path, its headers (names in lower case) and its raw body."""

    path: str
    headers: dict[str, str]
    body: bytes


class _Failure(Exception):
    """A request that is answered with an HTTP error."""

    def __init__(self, status: int, content: Any) -> None:
        super().__init__(status)
        self.status = status
        self.content = content


class _Throttled(Exception):
    """A request that the remaining points do not cover."""


class _Denied(Exception):
    """A request beyond the scopes."""


class Shop(Standin):
    """The stand-in on a free port, from its creation to ``stop``.

    ``url`` is the value for ``SHOP_ADMIN_URL``. ``exchanges``: the last requests, oldest first; ``counts``: how often
    each member was requested, by name; ``writes``: the real writes in order, as (item, field, value). ``scopes``,
    ``points`` and ``home`` may be set.
    """

    name = "shop"
    called = "the shop"
    faults = FAULTS
    json_type = "application/json; charset=utf-8"

    def __init__(self, site: Site) -> None:
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
        super().__init__()

    # -- what a person does --------------------------------------------------------------------------------

    def misbehave(self, fault: str) -> None:
        with self._lock:
            super().misbehave(fault)
            if fault != "hide_writes" and self.writes:  # what was hidden is seen now
                self._items.show_all()

    def credentials(self) -> dict[str, str]:
        """The credentials that connect a website to the shop."""
        return {"shop": NAME, "accessToken": TOKEN}

    def edit(self, item: str, field: str, value: str | None) -> None:
        """An editor writes a value into the shop himself."""
        with self._lock:
            place = next(place for place, name in VALUES.items() if name == field)
            stored = None if value is None else {"true": "1", "false": "0"}[value] if field == "noindex" else value
            self._items.store(item, {place: stored}, hide=self.fault == "hide_writes")

    def value(self, item: str, field: str) -> str | None:
        """An item's own value, as the shop holds it."""
        with self._lock:
            return self._items.own(item).get(field)

    def forget_notes(self) -> None:
        """Delete all notes that apps have stored with the items."""
        with self._lock:
            self._items.forget(self._items.notes())

    def notes(self) -> int:
        """How many metafields an app has stored with the items."""
        with self._lock:
            return len(self._items.notes())

    def id_of(self, item: str) -> str:
        """The id of an item in the API."""
        return next(gid for gid, name in self._items.names().items() if name == item)

    def restore(self, seconds: float) -> None:
        """Let time pass, so that points are restored."""
        self.points = min(POINTS, self.points + seconds * RESTORED)

    # -- what the service asks -----------------------------------------------------------------------------

    def respond(self, request: Request) -> Answer:
        try:
            version, content = self.answer(Exchange(request.path, request.lower_headers(), request.body))
        except _Failure as failure:
            return self.json_answer(failure.status, failure.content)
        return self.json_answer(200, content, {"X-Shopify-API-Version": version}, broken=self.fault == "partial")

    def answer(self, exchange: Exchange) -> tuple[str, dict[str, Any]]:
        """The API's version, and the answer to one request. Raises ``_Failure``."""
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
                "accessScopes": [{"__typename": "AccessScope", "handle": scope} for scope in self.scopes],
            },
            "node": self._node,
            "products": self._list("Product", "products"),
            "collections": self._list("Collection", "products"),
            "pages": self._list("Page", "content"),
        }

    def _mutations(self) -> dict[str, Any]:
        return {
            "__typename": "Mutation",
            "productUpdate": lambda product: self._update("Product", product),
            "collectionUpdate": lambda input: self._update("Collection", input),
            "metafieldsSet": self._set,
            "metafieldsDelete": self._delete,
        }

    # -- what it holds -------------------------------------------------------------------------------------

    def _write(self, item: str, written: Mapping[Place, str | None]) -> None:
        """Write an item's metafields, as a mutation does."""
        self._items.store(item, written, hide=self.fault == "hide_writes")
        fields = [VALUES[place] for place in written if place in VALUES]
        self.writes += [(item, field, self._items.own(item).get(field)) for field in fields]

    def _node(self, id: str) -> dict[str, Any] | None:
        if re.fullmatch(r"gid://shopify/[A-Za-z]+/\d+", id) is None:
            raise Wrong(f"Invalid global id '{id}'")
        names = self._items.names()
        if id not in names:
            return None
        self._require("products" if "/Page/" not in id else "content", "read")
        return self._object(id, names[id])

    def _object(self, gid: str, item: str) -> dict[str, Any]:
        entry, held = self.site.entries()[item], self._items.metafields(item)

        def metafield(namespace: str, key: str) -> dict[str, Any] | None:
            value = held.get((space(namespace), key))
            if value is None:
                return None
            return {"__typename": "Metafield", "value": value, "compareDigest": digest(value)}

        kind = type_of(entry.url)
        found: dict[str, Any] = {
            "__typename": kind,
            "id": gid,
            "title": entry.title,
            "updatedAt": _UPDATED,
            "metafield": metafield,
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
            if other != {"sortKey": "ID"} or query not in ("", "published_status:published"):
                raise Wrong(f"The stand-in does not know these arguments of {kind}")
            if not 1 <= first <= MOST_ITEMS:
                raise Wrong(f"first is 1 to {MOST_ITEMS}")
            found = [(gid, item) for gid, item in self._items.names().items() if f"/{kind}/" in gid]
            start = 0 if after is None else 1 + _position(after, [gid for gid, _ in found])
            chosen, more = found[start : start + first], start + first < len(found)
            end = _cursor(chosen[-1][0]) if chosen else None
            info = {"__typename": "PageInfo", "hasNextPage": more, "endCursor": end}
            nodes = [self._object(gid, item) for gid, item in chosen]
            return {"__typename": f"{kind}Connection", "pageInfo": info, "nodes": nodes}

        return listed

    def _require(self, scope: str, access: str) -> None:
        granted = set(self.scopes)
        if access == "read":  # who may write may read
            granted |= {f"read_{name.removeprefix('write_')}" for name in self.scopes if name.startswith("write_")}
        if scope == "content":
            granted |= {f"{access}_content"} if f"{access}_online_store_pages" in granted else set()
        if f"{access}_{scope}" not in granted:
            raise _Denied(f"{access}_{scope}")

    # -- mutations -----------------------------------------------------------------------------------------

    def _update(self, kind: str, given: dict[str, Any]) -> dict[str, Any]:
        """productUpdate and collectionUpdate for ``seo`` and ``metafields``. Other members do not change."""
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
            self._require("products" if "/Page/" not in given["ownerId"] else "content", "write")
            item = names.get(given["ownerId"])
            if item is None:
                errors.append(_user_error("Owner does not exist", "INVALID_VALUE"))
                continue
            standing = self._items.metafields(item).get(_place(given))
            seen = None if standing is None else digest(standing)
            if "compareDigest" in given and given["compareDigest"] != seen:
                errors.append(_user_error("The resource has been updated since it was loaded", "STALE_OBJECT"))
            elif not given["value"].strip():
                errors.append(_user_error("Value can't be blank.", "BLANK"))
        if not errors:  # all or none
            by_item: dict[str, dict[Place, str | None]] = {}
            for given in metafields:
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

    def _refusals(self) -> list[dict[str, Any]]:
        return [_user_error(REFUSAL)] if self.fault == "refuse" else []


def _place(metafield: Mapping[str, Any]) -> Place:
    if not metafield.keys() <= {"ownerId", "namespace", "key", "type", "value", "compareDigest"}:
        raise Wrong("Field is not defined on MetafieldInput")
    return space(metafield["namespace"]), metafield["key"]


def _cursor(gid: str) -> str:
    return base64.b64encode(json.dumps({"last_id": gid}).encode()).decode()


def _position(cursor: str, gids: list[str]) -> int:
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
