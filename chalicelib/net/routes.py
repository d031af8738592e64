"""Which addresses this machine has a route to.

A machine without IPv6 says "Cannot assign requested address" to every IPv6 address. It says the same when it has no
free port left. The first is left out here, so that the second is always a failure of this machine.
"""

import errno
import socket
from collections.abc import Iterable
from typing import Final

from chalicelib.net.guard import Address, ResolveFailed

_NO_ROUTE: Final = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.ENETUNREACH})
_ANY_PORT: Final = 9


def routed(host: str, addresses: Iterable[Address]) -> list[Address]:
    """The addresses without those of IPv6 that this machine has no route to. Raises ``ResolveFailed`` where no other
    is left."""
    given = list(addresses)
    kept = [address for address in given if address.version == 4 or _has_route(address)]
    if given and not kept:
        raise ResolveFailed(f"{host} has only IPv6 addresses, and the service has no route to them")
    return kept


def _has_route(address: Address) -> bool:
    """Whether the system finds a route and an address of its own. Nothing is sent: a datagram socket only notes where
    it would send to."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), _ANY_PORT))
    except OSError as error:
        return error.errno not in _NO_ROUTE
    return True
