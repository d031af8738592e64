"""Makes the TLS contexts with the certificate authorities that the service trusts: the system's authorities, and an
additional authority from a setting."""

import os
import ssl
from functools import lru_cache
from typing import Final

HTTP_1: Final = ("http/1.1",)


def trusting(ca_file: str = "", protocols: tuple[str, ...] = ()) -> ssl.SSLContext:
    """Return an SSL context. Do not modify it: calls with the same arguments share one context, because reading the
    authorities takes tens of milliseconds.

    - ``ca_file``: an additional trusted authority (PEM). It is read again when the file changes.
    - ``protocols``: the protocols to offer to the server (ALPN); empty for none.

    Raises ``OSError`` for a file that cannot be read.
    """
    found = os.stat(ca_file) if ca_file else None
    return _made(ca_file, protocols, (found.st_mtime_ns, found.st_size, found.st_ino) if found else None)


@lru_cache(maxsize=8)
def _made(ca_file: str, protocols: tuple[str, ...], _: tuple[int, ...] | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if protocols:
        context.set_alpn_protocols(list(protocols))
    if ca_file:
        context.load_verify_locations(ca_file)
    return context
