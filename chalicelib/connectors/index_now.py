"""IndexNow: one request informs all participating search engines that pages of one host have changed.

The key is not secret: the website serves it at a public address.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Protocol
from urllib.parse import urlsplit

import msgspec

from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.net.calls import NoAnswer, Reply, call_operators_address
from chalicelib.settings.index_now import index_now_settings
from chalicelib.settings.network import network_settings

SECONDS: Final = 20.0
USER_AGENT: Final = "WebsiteOptimizationService/1"


class OtherHost(Declined):
    """Raised if an address belongs to another host, or the key is not valid for the host."""

    code: ClassVar[str] = "refused"


class SearchEngines(Protocol):
    """Tells search engines which pages have changed."""

    def tell(self, location: str, key: str, urls: Sequence[str]) -> None:
        """Submit pages of one host (1 to 10,000 addresses). ``location``: the address of the key on that host.

        Raises ``NoAccess`` if the key was not found at this address, ``Declined`` if the request itself is
        wrong, ``OtherHost``, ``Quota`` and ``Unavailable``.
        """


@dataclass(frozen=True, slots=True)
class HttpSearchEngines:
    """The client of the IndexNow service at the setting INDEXNOW_URL."""

    url: str

    @classmethod
    def connected(cls) -> "HttpSearchEngines":
        """Make the client for the address in INDEXNOW_URL. Raises ``NotConnected``."""
        url = index_now_settings().url.strip()
        if not url:
            raise NotConnected("The operator of this service has switched IndexNow off.")
        return cls(url)

    def tell(self, location: str, key: str, urls: Sequence[str]) -> None:
        """Submit pages of one host. Implements ``SearchEngines.tell``."""
        network = network_settings()
        body = {"host": urlsplit(location).netloc, "key": key, "keyLocation": location, "urlList": list(urls)}
        try:
            reply = call_operators_address(
                "POST",
                self.url,
                {"Content-Type": "application/json; charset=utf-8", "User-Agent": USER_AGENT},
                msgspec.json.encode(body),
                seconds=SECONDS,
                allow_addresses=network.allow_addresses,
                extra_hosts=network.extra_hosts,
                ca_file=network.extra_ca_file,
                service="indexnow",
            )
        except NoAnswer as reason:
            raise Unavailable(f"IndexNow could not be reached: {reason}.", sent=reason.sent) from None
        if reply.status not in (200, 202):  # 202: accepted; the key is checked later
            raise _failure(reply)


def _failure(reply: Reply) -> OutsideError:
    status = reply.status
    if status in (401, 403):
        return NoAccess("IndexNow did not find the key at its address.")
    if status == 422:
        return OtherHost("IndexNow says that the addresses or the key belong to another host.")
    if status == 429:
        return Quota("IndexNow accepts no more requests for now.", reply.retry_after)
    if status == 408 or status >= 500 or status < 400:
        return Unavailable(f"IndexNow answered {status}; the notice is sent again later.", reply.retry_after)
    return Declined(f"IndexNow refused the request ({status}).")
