"""Tells failures of this machine from failures of other hosts, and explains rejected certificates.

A machine that has no free sockets or memory, or cannot open its own files, cannot reach any host. The website, CMS,
receiver or service at the other end is not the cause. So the work fails with ``OwnFailure`` and is retried, and no
failure of the other host is recorded.
"""

import errno
import socket
import ssl
from collections.abc import Sequence
from typing import Final

# This machine has no files, memory or ports left, its network interface is down, or its firewall refuses. ENETUNREACH
# and EHOSTUNREACH are left out: they mean that one destination cannot be reached.
_OWN: Final = frozenset(
    {
        *(errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL),
        *(errno.EAFNOSUPPORT, errno.ENETDOWN, errno.EPERM),
    }
)
# OpenSSL's codes for refused certificates (X509_V_ERR_*).
_EXPIRED: Final = 10
_NOT_YET: Final = 9
_WRONG_NAME: Final = frozenset({62, 64})
_UNTRUSTED: Final = frozenset({2, 18, 19, 20, 21})
_REVOKED: Final = 23


class OwnFailure(RuntimeError):
    """Raised if this machine could not make the request. The text says what it lacks."""


def own_failure(error: BaseException) -> OwnFailure | None:
    """Return the failure of this machine that caused an exception, directly or indirectly; None for all other
    exceptions."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, OwnFailure):
            return found
        if isinstance(found, MemoryError):
            return OwnFailure("This machine has no memory left.")
        if _is_own(found):
            return OwnFailure(f"This machine could not open a connection: {getattr(found, 'strerror', None) or found}.")
        found = found.__cause__ or found.__context__
    return None


def deciding(failures: Sequence[OSError]) -> OSError:
    """Return the failure to report if all of a host's addresses failed.

    If one of them is a failure of this machine, this failure is reported, because the address might have answered
    without it. Otherwise, the last failure is reported.
    """
    own = [failure for failure in failures if own_failure(failure) is not None]
    return (own or failures)[-1]


def _is_own(error: BaseException) -> bool:
    if isinstance(error, RuntimeError):
        return "start new thread" in str(error)
    if not isinstance(error, OSError):
        return False
    if isinstance(error, socket.gaierror):
        # Without a free socket, a look-up fails as if the name server had failed or did not know the name.
        return error.errno == socket.EAI_MEMORY or not _has_sockets()
    return not isinstance(error, ssl.SSLError) and error.errno in _OWN


def _has_sockets() -> bool:
    try:
        socket.socket().close()
    except OSError:
        return False
    return True


def certificate_fault(error: ssl.SSLCertVerificationError, host: str) -> str:
    """Return why the certificate of a host is rejected, as the end of a sentence that begins with "its certificate"."""
    code = error.verify_code
    if code == _EXPIRED:
        return "has expired"
    if code == _NOT_YET:
        return "is not valid yet"
    if code in _WRONG_NAME:
        return f"is for another name than {host}"
    if code in _UNTRUSTED:
        return "is not trusted: its authority is unknown, or an intermediate certificate is missing"
    return "is revoked" if code == _REVOKED else f"is not valid: {error.verify_message}"


def certificate_advice(error: ssl.SSLCertVerificationError) -> str:
    """Return advice to append to the reason. The advice names the setting of the service that can help; it is "" if
    none can."""
    return " (EXTRA_CA_FILE names a private authority)" if error.verify_code in _UNTRUSTED else ""
