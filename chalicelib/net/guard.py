"""Decides which addresses the service may reach: public addresses, and addresses that the operator allows.

Before code opens a socket to an address from a user, it checks two things here: the text with ``check_url``, and the IP
addresses of the host with ``Guard``. The caller then connects to the returned addresses, never to the name, so that a
second look-up cannot return other addresses.

The table of networks is our own, because Python's ``is_global`` changes with the patch version. ``is_global`` also
accepts multicast, NAT64, 6to4 and other networks through which internal addresses can be reached.
"""

import asyncio
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, NamedTuple

from chalicelib.domain.crawl.hosts import ascii_host, is_ip_address
from chalicelib.net.failures import OwnFailure, own_failure

Address = IPv4Address | IPv6Address
Lookup = Callable[[str, int], Sequence[str]]

LOOKUP_SECONDS: Final = 5.0
_LOOKUP_THREADS: Final = 8
# Below 1024 only the web's own ports are allowed: other services there (mail, SSH) are not websites.
_WEB_PORTS: Final = frozenset({80, 443})
_FIRST_FREE_PORT: Final = 1024

_REFUSED_V4: Final = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # a cloud platform's internal address in a public range
        "169.254.0.0/16",  # link-local, cloud metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments, cloud metadata
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # 6to4 relays, retired
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")  # all else in IPv6 is local, reserved or multicast
_REFUSED_V6: Final = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # protocol assignments, among them Teredo and ORCHID
        "2001:db8::/32",  # documentation
        "2620:4f:8000::/48",  # AS112
        "3ffe::/16",  # 6bone, returned
        "3fff::/20",  # documentation
    )
)
_SIX_TO_FOUR: Final = IPv6Network("2002::/16")
_NAT64: Final = IPv6Network("64:ff9b::/96")  # 64:ff9b:1::/48 has no fixed place for the inner address, so it is refused


class AddressRefused(Exception):
    """Raised if the service may not reach the address. The text names the address and gives the reason for the user."""


class ResolveFailed(Exception):
    """Raised if the name has no address, or if the look-up took too long."""


class Target(NamedTuple):
    """The target of a checked URL. ``host``: in ASCII, with brackets for IPv6. ``port``: always set."""

    scheme: str
    host: str
    port: int


def check_url(url: str, *, schemes: tuple[str, ...] = ("http", "https")) -> Target:
    """Check the form of a URL: scheme, host, no user info, port 80, 443 or above 1023.

    Raises ``AddressRefused``. ``Guard`` decides whether the host may be reached.
    """
    scheme, mark, rest = url.partition("://")
    scheme = scheme.lower()
    if not mark or scheme not in schemes:
        raise AddressRefused(f"the address must begin with {' or '.join(f'{name}://' for name in schemes)}")
    for end, character in enumerate(rest):
        if character in "/?#\\":
            rest = rest[:end]
            break
    if "@" in rest:
        raise AddressRefused("the address must not hold a user name or password")
    written, port = rest, ""
    bracket = rest.rfind("]")
    colon = rest.rfind(":")
    if colon > bracket:
        written, port = rest[:colon], rest[colon + 1 :]
    host = ascii_host(written) if written else None
    if host is None:
        raise AddressRefused(f"{written[:100]!r} is not a host name")
    if not port:
        return Target(scheme, host, 443 if scheme == "https" else 80)
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and 0 < int(port) < 65536):
        raise AddressRefused(f"{port[:20]!r} is not a port")
    number = int(port)
    if number not in _WEB_PORTS and number < _FIRST_FREE_PORT:
        raise AddressRefused(f"port {number} is not a port of a website")
    return Target(scheme, host, number)


def _inner_v4(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address embedded in an IPv6 address with a transition prefix. Returns None for other
    addresses."""
    if address in _SIX_TO_FOUR:
        return IPv4Address((int(address) >> 80) & 0xFFFFFFFF)
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def is_public(address: Address) -> bool:
    """Whether the address, and any IPv4 address embedded in it, is on the public internet."""
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return False
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        inner = _inner_v4(address)
        if inner is not None:
            return is_public(inner)
        if address not in _GLOBAL_UNICAST or any(address in network for network in _REFUSED_V6):
            return False
    elif any(address in network for network in _REFUSED_V4):
        return False
    return address.is_global and not address.is_multicast


def _system_lookup(host: str, port: int) -> list[str]:
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(answer[4][0]) for answer in answers]


class Guard:
    """Decides which IP addresses may be reached, and looks names up. Raises ``ValueError`` if a setting cannot be read.

    - ``allow_addresses``: comma-separated networks that are allowed although they are not public (setting
      ALLOW_ADDRESSES).
    - ``extra_hosts``: comma-separated ``name=address`` pairs that are not looked up (setting EXTRA_HOSTS). These
      addresses are checked like all others.
    - ``lookup``: a function that returns a name's IP addresses as text, or raises ``OSError``.
    """

    def __init__(self, allow_addresses: str = "", extra_hosts: str = "", lookup: Lookup = _system_lookup) -> None:
        self._allowed = tuple(ip_network(part, strict=False) for part in _parts(allow_addresses))
        self._hosts: dict[str, list[Address]] = {}
        for pair in _parts(extra_hosts):
            name, equals, value = pair.partition("=")
            host = ascii_host(name.strip())
            if not equals or host is None:
                raise ValueError(f"not a name=address pair: {pair!r}")
            self._hosts.setdefault(host, []).append(ip_address(value.strip()))
        self._lookup = lookup
        self._threads: ThreadPoolExecutor | None = None

    def vet(self, address: Address | str) -> bool:
        """Whether the service may connect to this IP address."""
        if isinstance(address, str):
            try:
                address = ip_address(address)
            except ValueError:
                return False
        return self.is_exempt(address) or is_public(address)

    def is_exempt(self, address: Address) -> bool:
        """Whether the operator explicitly allowed this address."""
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        return any(address.version == network.version and address in network for network in self._allowed)

    async def resolve(self, host: str, port: int) -> list[Address]:
        """Look up a host. Returns one or more IP addresses, all of them checked.

        Raises ``AddressRefused`` if **any** of the host's addresses may not be reached. Raises ``ResolveFailed`` if the
        host has no address, or if the look-up takes longer than five seconds.
        """
        known = self.known(host)
        if known is not None:
            return known
        name = _name(host)
        # The look-up cannot be cancelled: it continues in its thread after its caller is gone.
        asked = asyncio.wrap_future(self._asked(name, port))
        try:
            found = await asyncio.wait_for(asked, LOOKUP_SECONDS)
        except (TimeoutError, OSError, UnicodeError) as error:
            raise _failed(name, error) from None
        return self._all_vetted(host, _addresses(name, found))

    def resolve_within(self, host: str, port: int, seconds: float) -> list[Address]:
        """Look up a host as ``resolve`` does, but from a thread. No event loop is used, because it would cost more than
        the look-up.

        Also raises ``TimeoutError`` if the look-up takes longer than ``seconds`` and ``seconds`` is less than the five
        seconds of ``resolve``.
        """
        known = self.known(host)
        if known is not None:
            return known
        name = _name(host)
        asked = self._asked(name, port)
        try:
            found = asked.result(min(seconds, LOOKUP_SECONDS))
        except (TimeoutError, OSError, UnicodeError) as error:
            if seconds < LOOKUP_SECONDS and not asked.done():
                raise TimeoutError from None
            raise _failed(name, error) from None
        return self._all_vetted(host, _addresses(name, found))

    def known(self, host: str) -> list[Address] | None:
        """Return the checked IP addresses of a host that needs no look-up: an IP address, or a name in ``extra_hosts``.

        Returns None for any other host. Raises ``AddressRefused``.
        """
        name = _name(host)
        if is_ip_address(name):
            return self._all_vetted(host, [ip_address(name.strip("[]"))])
        return self._all_vetted(host, self._hosts[name]) if name in self._hosts else None

    def _all_vetted(self, host: str, addresses: list[Address]) -> list[Address]:
        for address in addresses:
            if not self.vet(address):
                raise AddressRefused(f"{host[:100]} leads to {address}, which is not a public address")
        return addresses

    def _asked(self, name: str, port: int) -> Future[Sequence[str]]:
        # getaddrinfo cannot be interrupted: it runs in a thread that is abandoned after the time limit. Look-ups have
        # their own threads, so that a dead name server delays nothing else.
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_LOOKUP_THREADS, "look-up")
        return self._threads.submit(self._lookup, name, port)

    def socket_for(self, family: int, kind: int, protocol: int, address: str) -> socket.socket:
        """Create a socket for a connection to this IP address, not yet connected. This is the last check before
        anything is sent.

        Raises ``AddressRefused``.
        """
        if not self.vet(address):
            raise AddressRefused(f"{address} is not a public address")
        return socket.socket(family, kind, protocol)


def _failed(name: str, error: Exception) -> ResolveFailed | OwnFailure:
    own = own_failure(error)
    if own is not None:
        return own
    if isinstance(error, TimeoutError):
        return ResolveFailed(f"the look-up of {name} did not finish within {LOOKUP_SECONDS:.0f} seconds")
    return ResolveFailed(f"{name} has no address ({error})")


def _addresses(name: str, found: Sequence[str]) -> list[Address]:
    """Parse the addresses. Raises ``ResolveFailed`` if there are none."""
    addresses = list(dict.fromkeys(ip_address(text) for text in found))
    if not addresses:
        raise ResolveFailed(f"{name} has no address")
    return addresses


def _name(host: str) -> str:
    """Return the host in ASCII. Raises ``AddressRefused``."""
    name = ascii_host(host)
    if name is None:
        raise AddressRefused(f"{host[:100]!r} is not a host name")
    return name


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
