"""Sign-in by links sent by e-mail: the secrets of links and sessions, how long both are valid, and how many links may
be requested.

A link's token and a session's secret are 32 random bytes each. Only their SHA-256 is stored. A person who reads the
store therefore cannot use a link or a session.
"""

import base64
import hashlib
import ipaddress
import re
from typing import Final

ENTROPY_BYTES: Final = 32
LINK_SECONDS: Final = 15 * 60
INVITATION_SECONDS: Final = 7 * 86_400
INVITATIONS_PER_WORKSPACE: Final = 30  # in a clock hour, UTC
IDLE_SECONDS: Final = 12 * 3_600
SESSION_SECONDS: Final = 30 * 86_400
LINKS_PER_ADDRESS: Final = 5  # in a clock hour, UTC
LINKS_PER_IP: Final = 30
REQUESTS_PER_HOUR: Final = 5_000
READINGS_PER_REPORT: Final = 300  # requests for the report of one link, in a clock hour
WRONG_TOKENS_PER_IP: Final = 120  # requests with an invalid token, in a clock hour
HOUR_SECONDS: Final = 3_600
PATH: Final = "/sign-in"
PARAMETER: Final = "token"

_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_KEY: Final = re.compile(r"[0-9a-f]{64}")
_IPV6_PREFIX: Final = 64  # the smallest network that a provider gives one customer


def written(entropy: bytes) -> str:
    """Encode 32 random bytes as the secret for a cookie or a link."""
    if len(entropy) != ENTROPY_BYTES:
        raise ValueError(f"a secret has {ENTROPY_BYTES} bytes of entropy")
    return base64.urlsafe_b64encode(entropy).decode("ascii").rstrip("=")


def hashed(secret: str) -> str | None:
    """Return the SHA-256 of a secret in hexadecimal; None if the text cannot be a secret."""
    if _SECRET.fullmatch(secret) is None:
        return None
    return hashlib.sha256(secret.encode("ascii")).hexdigest()


def is_key(text: str) -> bool:
    """Whether a text can be a session's key: a SHA-256 in hexadecimal."""
    return _KEY.fullmatch(text) is not None


def address_of(app: str, token: str) -> str:
    """Return the URL that a sign-in link opens. The token is in the query and not in the path, because logs contain
    paths.

    ``app``: the URL of the app, or only its path.
    """
    return f"{app}{PATH}?{PARAMETER}={token}"


def counted_ip(ip: str) -> str:
    """Return the key under which requests from an IP address are counted.

    For IPv4, the key is the address. For IPv6, it is the address's network, because one caller usually has the whole
    network.
    """
    try:
        address = ipaddress.ip_address(ip.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, _IPV6_PREFIX), strict=False))
