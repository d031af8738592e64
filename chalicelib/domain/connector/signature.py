"""Signatures of the service's requests to a connector: signing them, and checking them as a connector does.

A signature covers time, nonce, method, path and body of a request. So nobody can change the request on its way, or send
it a second time. ``docs/connector-vectors.json`` holds requests with their signatures.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from typing import Final, Literal

TIME_HEADER: Final = "X-Wos-Time"
NONCE_HEADER: Final = "X-Wos-Nonce"
SIGNATURE_HEADER: Final = "X-Wos-Signature"
VERSION: Final = "v1"
METHOD: Final = "POST"  # of every request
ROOT: Final = "/wos/v1/"  # the start of the signed path; the website's own path before it is not signed

MOST_SECONDS: Final = 300  # the most by which a request's time may differ from the connector's clock, either way
NONCE_SECONDS: Final = 600  # how long a connector keeps a nonce: longer than its request would be accepted
NONCE_BYTES: Final = 16
SECRET_PREFIX: Final = "wos_cn_"  # noqa: S105 - the start of every secret, so that a leaked secret can be found
SECRET_BYTES: Final = 32

_TIME: Final = re.compile(r"[1-9][0-9]{0,11}", re.ASCII)
_NONCE: Final = re.compile(r"[0-9A-Za-z_-]{16,64}", re.ASCII)

Fault = Literal["unsigned", "late", "bad_signature"]


def make_secret(entropy: bytes) -> str:
    """Make a new secret from 32 random bytes: a fixed prefix, then 64 hexadecimal digits. ``entropy``: bytes that
    nobody can guess."""
    if len(entropy) < SECRET_BYTES:
        raise ValueError(f"a secret needs {SECRET_BYTES} bytes of entropy")
    return SECRET_PREFIX + entropy[:SECRET_BYTES].hex()


def sign(secret: str, at: int, nonce: str, path: str, body: bytes) -> str:
    """Return the value of the signature header. ``at``: seconds since 1970. ``path``: begins with ``ROOT``. The key is
    the whole text of the secret, prefix included."""
    signed = "\n".join((str(at), nonce, METHOD, path, hashlib.sha256(body).hexdigest()))
    return f"{VERSION}={hmac.new(secret.encode(), signed.encode(), hashlib.sha256).hexdigest()}"


def headers(secret: str, at: int, nonce: str, path: str, body: bytes) -> dict[str, str]:
    """Return the three headers of a signed request."""
    return {TIME_HEADER: str(at), NONCE_HEADER: nonce, SIGNATURE_HEADER: sign(secret, at, nonce, path, body)}


def fault(secret: str, given: Mapping[str, str], path: str, body: bytes, now: float) -> Fault | None:
    """Return why a connector refuses the request; None if the signature is valid. ``given``: headers with lower-case
    names.

    The caller looks up the nonce only after this check, so the nonces of unsigned requests are never stored.
    """
    at, nonce, signature = (given.get(name.lower(), "") for name in (TIME_HEADER, NONCE_HEADER, SIGNATURE_HEADER))
    if _TIME.fullmatch(at) is None or _NONCE.fullmatch(nonce) is None or not signature.isascii():
        return "unsigned"
    if not hmac.compare_digest(sign(secret, int(at), nonce, path, body), signature):
        return "bad_signature"
    return "late" if abs(now - int(at)) > MOST_SECONDS else None
