"""Reads and writes a shop's content through Shopify's Admin GraphQL API, with an app's access token.

To make a change, the service reads the stored value, compares it with the expected value, and writes the new value
(``domain.connector.shop_changes``). Most of these writes contain a digest of the value that was read; if the value has
changed since, the API writes nothing. Titles and descriptions of products and collections (in ``seo``) are written
without a digest. If somebody else changes a text between the reading and the writing, their change may be lost.

The API limits the total cost of requests, in points. A throttled request was not executed. It is repeated when enough
points are available, if the time limit of the call allows that.

The address comes from a customer, so it is vetted, and the connection goes to the vetted IP address
(``net.calls.call``). Alt texts and redirects: ``shop_keyed``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import msgspec

from chalicelib import clock
from chalicelib.connectors import shop_keyed
from chalicelib.connectors.answers import decoded, in_one_line
from chalicelib.connectors.errors import Declined, NoAccess, OutsideError, Quota, Unavailable
from chalicelib.domain.connector import shop as api
from chalicelib.domain.connector import shop_changes as changes
from chalicelib.domain.connector import shop_notes as notes
from chalicelib.domain.connector.messages import MOST_ITEMS, Change, ContentPage, Outcome, Status
from chalicelib.domain.content import ContentItem
from chalicelib.net.calls import NoAnswer, Reply, call
from chalicelib.settings.network import network_settings
from chalicelib.settings.shop import shop_settings

SECONDS: Final = {"status": 15.0, "items": 30.0, "change": 30.0}  # time limit of all requests of a call together
PAGE: Final = 100  # items per request: 250 are allowed, but cost nearly all of a request's points
MOST_REQUESTS: Final = 8  # requests of one call for items
LEAST_LEFT: Final = 10.0  # seconds that must be left to request a further page of items
MOST_WAITS: Final = 6  # how often one request waits for points
LEAST_WAIT: Final = 1.0
LONGEST_TOKEN: Final = 255
USER_AGENT: Final = "WebsiteOptimizationService/1"

_HOST: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}\.myshopify\.com")
_TOKEN: Final = re.compile(rf"[!-~]{{1,{LONGEST_TOKEN}}}")
Data = TypeVar("Data")


def shop_address(shop: str) -> str | None:
    """Return the address of a shop's Admin API. ``shop``: its name, such as ``name.myshopify.com``. Returns None for
    any other text. Only Shopify assigns such names, so the token is sent to nobody else. A shop's own domain could
    point to any server."""
    host = shop.strip().lower().removeprefix("https://").rstrip("/")
    return f"https://{host}" if _HOST.fullmatch(host) else None


def is_token(text: str) -> bool:
    """Whether the text has the form of an access token: visible ASCII characters, since the token is sent in a
    header."""
    return _TOKEN.fullmatch(text) is not None


class _Denied(NoAccess):
    """Raised if the app's scopes do not cover the request."""


@dataclass(frozen=True, slots=True)
class HttpShop:
    """A shop over HTTP. ``address``: the result of ``shop_address``. ``token``: the app's access token."""

    address: str
    token: str = field(repr=False)

    def status(self) -> Status:
        deadline = clock.monotonic() + SECONDS["status"]
        about, version = self._about(deadline)
        return about.status(version)

    def items(self, after: str | None = None, limit: int = MOST_ITEMS) -> ContentPage:
        """Return the content items after the cursor ``after``: first the shop's products, then its collections, then
        its pages, as far as the scopes allow."""
        if not 1 <= limit <= MOST_ITEMS:
            raise Declined(f"At most {MOST_ITEMS} items are listed at once.")
        deadline = clock.monotonic() + SECONDS["items"]
        about, _ = self._about(deadline)
        kinds = [kind for kind in api.KINDS.values() if kind.reads & about.scopes]
        if not kinds:
            raise Declined(api.missing_scopes(list(api.KINDS.values())))  # the connection itself works
        found: list[ContentItem] = []
        position = _position(after, kinds)
        for _ in range(MOST_REQUESTS):
            if position is None:
                break
            kind, cursor = position
            try:
                listed = self._list(kind, cursor, min(limit - len(found), PAGE), deadline)
            except _Denied as denied:
                raise Declined(denied.message) from None
            told = [api.content_item(node, about.home) for node in listed.nodes]
            found += [item for item in told if item is not None]
            position = _behind(kind, listed, kinds)
            if len(found) >= limit or deadline - clock.monotonic() < LEAST_LEFT:
                break
        return ContentPage(found, None if position is None else _cursor(*position))

    def change(self, change: Change) -> Outcome:
        deadline = clock.monotonic() + SECONDS["change"]
        try:
            if change.field == "alt":
                return shop_keyed.change_alt(change, self._asking(deadline))
            if change.field == "redirect":
                return shop_keyed.change_redirect(change, self._asking(deadline))
            at_once = changes.refused_at_once(change)
            return self._change(change, deadline) if at_once is None else at_once
        except _Denied:
            return changes.denied(change)

    def _asking(self, deadline: float) -> shop_keyed.Ask:
        def ask(document: str, variables: Mapping[str, Any], data: type[Data]) -> Data:
            return self._ask(document, variables, data, deadline)

        return ask

    # -- a change --------------------------------------------------------------------------------------------

    def _change(self, change: Change, deadline: float) -> Outcome:
        try:
            found = self._read(change, deadline)
        except OutsideError as error:
            error.sent = False  # a failed read means that nothing was written
            raise
        plan = changes.planned(change, found)
        if isinstance(plan, Outcome):
            return plan
        answers: list[api.Written] = []
        for mutation in plan.mutations:
            data = self._ask(mutation.document, mutation.variables, _Mutated, deadline)
            answers.append(data.written)
            if data.written.user_errors:
                break
        if notes.is_stale(answers[-1].user_errors):
            # A concurrent write came first. If it was this change, sent twice, reading the value again shows it.
            again = changes.planned(change, self._read(change, deadline))
            return again if isinstance(again, Outcome) else notes.refused(notes.CHANGING)
        return changes.told(plan, change.field, answers)

    def _read(self, change: Change, deadline: float) -> api.Read:
        return self._ask(api.READ, {"id": change.cms_id, "key": change.field}, api.Read, deadline)

    # -- items -----------------------------------------------------------------------------------------------

    def _about(self, deadline: float) -> tuple[api.About, str]:
        """Return the shop's data and granted scopes, and the version of the API that answered."""
        reply, about = self._asked(api.ABOUT, {}, api.About, deadline)
        return about, (reply.headers.get("x-shopify-api-version") or shop_settings().api_version)[:64]

    def _list(self, kind: api.Kind, cursor: str | None, first: int, deadline: float) -> api.Listed:
        found = self._ask(kind.document, {"first": first, "after": cursor}, dict[str, api.Listed], deadline)
        if kind.list not in found:
            raise self._senseless()
        return found[kind.list]

    # -- requests --------------------------------------------------------------------------------------------

    def _ask(self, document: str, variables: Mapping[str, Any], data: type[Data], deadline: float) -> Data:
        return self._asked(document, variables, data, deadline)[1]

    def _asked(
        self, document: str, variables: Mapping[str, Any], data: type[Data], deadline: float
    ) -> tuple[Reply, Data]:
        """Make one request. If it was throttled, repeat it, as far as the time allows."""
        body = msgspec.json.encode({"query": document, "variables": variables})
        for _ in range(MOST_WAITS):
            reply = self._post(body, deadline)
            answer = self._decoded(reply.body, _Reply)
            if not answer.errors:
                return reply, self._decoded(answer.data, data)
            if not any(error.extensions.code == "THROTTLED" for error in answer.errors):
                raise self._of(answer.errors)
            wait = max(LEAST_WAIT, answer.extensions.cost.seconds)
            if clock.monotonic() + wait >= deadline:
                break
            clock.sleep(wait)
        raise Quota(f"{self._host} accepts no more requests for now.", wait)

    def _post(self, body: bytes, deadline: float) -> Reply:
        network, settings = network_settings(), shop_settings()
        base = settings.admin_url.rstrip("/") or self.address
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": USER_AGENT,
            "X-Shopify-Access-Token": self.token,
        }
        try:
            reply = call(
                "POST",
                f"{base}/admin/api/{settings.api_version}/graphql.json",
                headers,
                body,
                seconds=max(0.0, deadline - clock.monotonic()),
                allow_addresses=network.allow_addresses,
                extra_hosts=network.extra_hosts,
                ca_file=network.extra_ca_file,
                service="shop",
            )
        except NoAnswer as reason:
            raise Unavailable(f"The shop could not be reached: {reason}.") from None
        if reply.status != 200:
            raise self._failure(reply)
        return reply

    def _decoded(self, body: bytes | msgspec.Raw, wire: type[Data]) -> Data:
        try:
            return decoded(body, wire)
        except ValueError:
            raise self._senseless() from None

    @property
    def _host(self) -> str:
        return urlsplit(self.address).hostname or "the shop"

    def _senseless(self) -> OutsideError:
        return Unavailable(f"{self._host} answered, but not as Shopify's Admin API does.")

    def _failure(self, reply: Reply) -> OutsideError:
        status = reply.status
        if 300 <= status < 400:
            return Unavailable(f"{self._host} redirects requests to another address: the shop has a new name.")
        if status == 401:
            return NoAccess(
                "Shopify refused the access token. Copy the app's current token, and connect the shop again."
            )
        if status == 403:
            return NoAccess(f"{self._host} refused the service's request; the app may have been blocked.")
        if status in (402, 423):
            return NoAccess(f"{self._host} is frozen or locked by Shopify.")
        if status == 404:
            return Unavailable(f"There is no shop {self._host}.")
        if status in (429, 430):
            return Quota(f"{self._host} accepts no more requests for now.", reply.retry_after)
        if status == 408 or status >= 500 or status < 400:
            return Unavailable(f"{self._host} answered {status}; try again later.", reply.retry_after)
        return Declined(f"{self._host} did not understand the request ({status}).")

    def _of(self, errors: "list[_Error]") -> OutsideError:
        """Make the error for a request that was not executed."""
        codes = {error.extensions.code for error in errors}
        said = in_one_line(" ".join(error.message for error in errors), (self.token,))
        if "ACCESS_DENIED" in codes:
            return _Denied(f"Shopify does not let the app do this: {said}")
        if "SHOP_INACTIVE" in codes:
            return NoAccess(f"{self._host} is closed.")
        if codes & {"INTERNAL_SERVER_ERROR", "TIMEOUT"}:
            return Unavailable(f"{self._host} could not answer: {said}")
        return Declined(f"{self._host} did not understand the request: {said}")


def _position(after: str | None, kinds: list[api.Kind]) -> tuple[api.Kind, str | None] | None:
    """Return the position of our cursor in the shop's lists. Returns None at the end. Raises ``Declined``."""
    if after is None:
        return kinds[0], None
    name, _, cursor = after.partition(":")
    if name not in api.KINDS:
        raise Declined("The cursor is unknown.")
    order = list(api.KINDS.values())
    found = next((kind for kind in kinds if order.index(kind) >= order.index(api.KINDS[name])), None)
    if found is None:  # a scope was revoked meanwhile
        return None
    return found, (cursor or None) if found.list == name else None


def _behind(kind: api.Kind, listed: api.Listed, kinds: list[api.Kind]) -> tuple[api.Kind, str | None] | None:
    """Return the position after a page of items. Returns None at the end."""
    if listed.page_info.has_next_page and listed.page_info.end_cursor:
        return kind, listed.page_info.end_cursor
    rest = kinds[kinds.index(kind) + 1 :]
    return (rest[0], None) if rest else None


def _cursor(kind: api.Kind, cursor: str | None) -> str:
    return f"{kind.list}:{cursor or ''}"


# -- the common part of all answers --------------------------------------------------------------------------


class _Throttle(msgspec.Struct, frozen=True, rename="camel"):
    currently_available: float = 0.0
    restore_rate: float = 0.0


class _Cost(msgspec.Struct, frozen=True, rename="camel"):
    requested_query_cost: float = 0.0
    throttle_status: _Throttle = _Throttle()

    @property
    def seconds(self) -> float:
        """How many seconds to wait until the API has enough points for the request."""
        missing = self.requested_query_cost - self.throttle_status.currently_available
        return missing / self.throttle_status.restore_rate if self.throttle_status.restore_rate > 0 else LEAST_WAIT


class _Extensions(msgspec.Struct, frozen=True):
    cost: _Cost = _Cost()


class _ErrorExtensions(msgspec.Struct, frozen=True):
    code: str = ""


class _Error(msgspec.Struct, frozen=True):
    message: str = ""
    extensions: _ErrorExtensions = _ErrorExtensions()


class _Reply(msgspec.Struct, frozen=True):
    data: msgspec.Raw = msgspec.Raw(b"null")
    errors: list[_Error] = []
    extensions: _Extensions = _Extensions()


class _Mutated(msgspec.Struct, frozen=True):
    written: api.Written
