"""Filters out addresses to which this machine has no route.

A machine without IPv6 reports "Cannot assign requested address" for every IPv6 address. A machine without a free port
reports the same error. IPv6 addresses without a route are removed here, so that the error always means a failure of
this machine.
"""

import errno
import socket
from collections.abc import Iterable
from typing import Final

from chalicelib.net.guard import Address, ResolveFailed

_NO_ROUTE: Final = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.ENETUNREACH})
_ANY_PORT: Final = 9


def routed(host: str, addresses: Iterable[Address]) -> list[Address]:
    """Return the addresses, except IPv6 addresses to which this machine has no route. Raises ``ResolveFailed`` if none
    are left."""
    given = list(addresses)
    kept = [address for address in given if address.version == 4 or _has_route(address)]
    if given and not kept:
        raise ResolveFailed(f"{host} has only IPv6 addresses, and the service has no route to them")
    return kept


def _has_route(address: Address) -> bool:
    """Whether the system finds a route and a source address. Nothing is sent: connecting a datagram socket only stores
    its destination."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), _ANY_PORT))
    except OSError as error:
        return error.errno not in _NO_ROUTE
    return True
