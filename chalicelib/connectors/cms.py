"""Calls a website's CMS through the connector that is installed in the CMS.

The protocol is described in ``docs/connector.md``. The address comes from a customer, so it is vetted, and the
connection goes to the vetted IP address (``net.calls.call``).
"""

from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar
from urllib.parse import urlsplit

import msgspec

from chalicelib import clock
from chalicelib.connectors.answers import decoded, in_one_line
from chalicelib.connectors.errors import Declined, NoAccess, Quota, Unavailable
from chalicelib.connectors.target import Target
from chalicelib.domain.connector import signature
from chalicelib.domain.connector.messages import (
    MOST_ITEMS,
    Change,
    ContentPage,
    FileChange,
    FileOutcome,
    Items,
    Operation,
    Outcome,
    Status,
    content_page,
)
from chalicelib.net.calls import NoAnswer, Reply, call
from chalicelib.randomness import random_bytes
from chalicelib.settings.network import network_settings

# Time limits of one request. A person waits for the pairing, in a function that runs 29 seconds.
SECONDS: Final = {"pair": 20.0, "status": 15.0, "items": 30.0, "changes": 30.0, "files": 30.0}
USER_AGENT: Final = "WebsiteOptimizationService/1"
PATH: Final = "/wp-json/wos/v1"  # the connector's default path below a website's address

Wire = TypeVar("Wire")


class Cms(Target, Protocol):
    """The connector in a website's CMS. Each call is one request, never retried.

    Raises the errors of ``Target``: ``NoAccess`` also if the connector no longer knows the pairing, or if a firewall in
    front of the website refuses the service; ``Unavailable`` also if the plugin is switched off.
    """

    def pair(self, code: str, site_id: str, base_url: str, website_key: str) -> Status:
        """Send the secret of this connection and the website's API key to the connector, with a one-time code.

        ``base_url``: the address of the public API. The connector calls it with the API key. While the code is valid, a
        repeated call with the same code and secret gets the same answer. So a call whose answer was lost can be
        repeated.
        """

    def change_file(self, change: FileChange) -> FileOutcome:
        """Write llms.txt or the service's block in robots.txt. Safe to repeat with the same ``change_id``."""


def connector_address(url: str) -> str:
    """Return the address of the connector. ``url``: the address that the connector's settings page shows, or the
    website's home address."""
    base = url.strip().rstrip("/")
    return base if "/wos/v" in base else base + PATH


@dataclass(frozen=True, slots=True)
class HttpCms:
    """A connector over HTTP. ``address``: the result of ``connector_address``. ``secret``: signs the requests."""

    address: str
    secret: str = field(repr=False)

    def pair(self, code: str, site_id: str, base_url: str, website_key: str) -> Status:
        body = {"code": code, "siteId": site_id, "baseUrl": base_url, "websiteKey": website_key, "secret": self.secret}
        return self._ask("pair", msgspec.json.encode(body), Status, hidden=(code, website_key))

    def status(self) -> Status:
        return self._ask("status", b"{}", Status)

    def items(self, after: str | None = None, limit: int = MOST_ITEMS) -> ContentPage:
        return content_page(self._ask("items", msgspec.json.encode({"after": after, "limit": limit}), Items))

    def change(self, change: Change) -> Outcome:
        return self._ask("changes", msgspec.json.encode(change), Outcome)

    def change_file(self, change: FileChange) -> FileOutcome:
        return self._ask("files", msgspec.json.encode(change), FileOutcome)

    # -- requests ------------------------------------------------------------------------------------------

    def _ask(self, operation: Operation, body: bytes, wire: type[Wire], hidden: tuple[str, ...] = ()) -> Wire:
        """Make one request. ``hidden``: texts that no message may repeat, in addition to the secret."""
        network = network_settings()
        at, nonce = int(clock.machine()), random_bytes(signature.NONCE_BYTES).hex()
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": USER_AGENT,
            "Cache-Control": "no-cache",
            **signature.headers(self.secret, at, nonce, signature.ROOT + operation, body),
        }
        try:
            reply = call(
                signature.METHOD,
                f"{self.address}/{operation}",
                headers,
                body,
                seconds=SECONDS[operation],
                allow_addresses=network.allow_addresses,
                extra_hosts=network.extra_hosts,
                ca_file=network.extra_ca_file,
                service="cms",
            )
        except NoAnswer as reason:
            raise Unavailable(f"The website's connector could not be reached: {reason}.", sent=reason.sent) from None
        if reply.status != 200:
            raise self._failure(reply, hidden)
        try:
            return decoded(reply.body, wire)
        except ValueError:
            raise Unavailable(f"{self._host} answered, but the answer is not from the connector.") from None

    @property
    def _host(self) -> str:
        try:
            return urlsplit(self.address).hostname or "the website"
        except ValueError:
            return "the website"

    def _failure(self, reply: Reply, hidden: tuple[str, ...]) -> Exception:
        status = reply.status
        try:
            said = decoded(reply.body, _ErrorAnswer)
        except ValueError:
            said = _ErrorAnswer()
        words = self._words(said.message, hidden)
        if 300 <= status < 400:
            return Unavailable(
                f"{self._host} redirects requests to another address; connect with that address.",
                sent=False,
            )
        if status == 401 and said.code == "repeated":  # a proxy sent the request twice: a nonce is never used again
            return Unavailable("The connector has already received this request; try again later.")
        if status in (401, 403):
            return NoAccess(
                _ACCESS.get(said.code) or f"{self._host} refused the service's request: {words}", sent=False
            )
        if status == 404:
            return Unavailable(
                f"There is no connector at {self._host}: its plugin is switched off, or the address is wrong.",
                sent=False,
            )
        if status == 429:
            return Quota(f"{self._host} accepts no more requests for now.", reply.retry_after, sent=False)
        if status in (408, 409, 425) or status >= 500 or status < 400:
            # A 503 of the connector means that nothing was done; a 503 of a proxy says nothing about the connector.
            is_untouched = status == 503 and bool(said.code)
            return Unavailable(
                f"{self._host} answered {status}; try again later.", reply.retry_after, sent=not is_untouched
            )
        return Declined(f"The website's connector refused the request ({status}): {words}")

    def _words(self, text: str, hidden: tuple[str, ...]) -> str:
        """Return a connector's message as one short line, without secrets."""
        return in_one_line(text, (self.secret, *hidden))


_ACCESS: Final = {
    "not_paired": "The connector is no longer paired with the service; connect it again.",
    "bad_signature": "The connector has a different secret than the service; connect it again.",
    "late": "The clock of the website's server differs from the service's by more than five minutes.",
    "bad_code": "The code is not the one that the connector shows, or it has expired after 15 minutes.",
}


class _ErrorAnswer(msgspec.Struct):
    code: str = ""
    message: str = ""
