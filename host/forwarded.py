"""Finds a request's client address and domain, from the connection or from the headers of a trusted proxy.

The operator names the trusted proxies. Anyone can send ``X-Forwarded-For``, ``-Proto`` and ``-Host``, so these headers
count only on a connection from a trusted address.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

_Address = IPv4Address | IPv6Address
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class Caller:
    """The client's IP address, and the domain at which a trusted proxy received the request over TLS.

    The domain includes the port, if it has one. The domain is None if no trusted proxy named it.
    """

    ip: str
    domain: str | None = None


class Proxies:
    """The trusted proxies."""

    def __init__(self, ranges: str) -> None:
        """``ranges``: comma-separated addresses and networks, such as ``10.0.0.2,fd00::/8``.

        Raises ``ValueError`` for any other text.
        """
        parts = [part.strip() for part in ranges.split(",")]
        self._networks: tuple[IPv4Network | IPv6Network, ...] = tuple(ip_network(part) for part in parts if part)

    def caller(self, peer: str, headers: Mapping[str, str]) -> Caller:
        """Return the address of the client that sent a request, and the domain that it requested.

        - ``peer``: the address at the other end of the connection.
        - ``headers``: values by lower-case names. The values of a repeated header are joined by commas, as HTTP
          defines.
        """
        address = _address(peer)
        if address is None or not self._trusts(address):
            return Caller(peer if address is None else str(address))
        return Caller(str(self._client(address, _values(headers, "x-forwarded-for"))), _domain(headers))

    def _client(self, peer: _Address, hops: Sequence[str]) -> _Address:
        """Return the last address that is not a trusted proxy. Earlier entries can be forged."""
        client = peer
        for hop in reversed(hops):
            address = _address(hop)
            if address is None:
                return client
            client = address
            if not self._trusts(client):
                return client
        return client

    def _trusts(self, address: _Address) -> bool:
        return any(address in network for network in self._networks)


def _domain(headers: Mapping[str, str]) -> str | None:
    # The last value was written by the proxy at the other end of the connection.
    scheme, host = (_values(headers, name)[-1].lower() for name in ("x-forwarded-proto", "x-forwarded-host"))
    return host if scheme == "https" and _HOST.fullmatch(host) else None


def _values(headers: Mapping[str, str], name: str) -> list[str]:
    return [value.strip() for value in headers.get(name, "").split(",")]


def _address(text: str) -> _Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
