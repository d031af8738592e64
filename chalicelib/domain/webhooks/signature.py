"""Signatures of webhook deliveries: how the service signs, and how a receiver checks.

``headers`` and ``verify`` are useful in tests of a receiver: ``headers`` makes a delivery's headers, and ``verify``
checks a signature. ``docs/webhook-vectors.json`` has bodies with their signatures.
"""

import hashlib
import hmac

CONTENT_TYPE = "application/json"
USER_AGENT = "Service-Webhooks/1"
EVENT_HEADER = "X-Service-Event"
DELIVERY_HEADER = "X-Service-Delivery"
SIGNATURE_HEADER = "X-Service-Signature"

SECRET_PREFIX = "wos_wh_"  # noqa: S105 - the start of every secret, so that a leaked secret can be found
SECRET_BYTES = 32


def make_secret(entropy: bytes) -> str:
    """Make a new signing secret from 32 random bytes: prefix and 64 hexadecimal digits. ``entropy``: bytes that nobody
    can guess."""
    if len(entropy) < SECRET_BYTES:
        raise ValueError(f"a secret needs {SECRET_BYTES} bytes of entropy")
    return SECRET_PREFIX + entropy[:SECRET_BYTES].hex()


def sign(secret: str, body: bytes) -> str:
    """Return the value of the signature header: ``sha256=`` and the HMAC-SHA256 of the raw body in lowercase
    hexadecimal.

    The key is the secret's text as shown, prefix included.
    """
    return "sha256=" + hmac.new(secret.encode("utf-8"), body, hashlib.sha256).hexdigest()


def verify(secret: str, body: bytes, signature: str | None) -> bool:
    """Whether the signature belongs to exactly this body. The comparison takes constant time."""
    if signature is None or not signature.isascii():
        return False
    return hmac.compare_digest(sign(secret, body), signature)


def headers(event: str, delivery_id: str, secret: str, body: bytes) -> dict[str, str]:
    """Return the headers of a delivery."""
    return {
        "Content-Type": CONTENT_TYPE,
        "User-Agent": USER_AGENT,
        EVENT_HEADER: event,
        DELIVERY_HEADER: delivery_id,
        SIGNATURE_HEADER: sign(secret, body),
    }
