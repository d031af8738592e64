"""Identifiers. Each has a short type prefix, followed by a ULID or, if the same thing must always get the same id, by a
hash.

This module is pure: callers pass in time and random bytes.
"""

import hashlib

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def _base32(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        digits.append(_CROCKFORD[number & 31])
        number >>= 5
    return "".join(reversed(digits))


def ulid(seconds: float, entropy: bytes) -> str:
    """Make 26 characters that sort by time: 48 bits of milliseconds, then 80 bits of ``entropy``."""
    if len(entropy) < 10:
        raise ValueError("a ULID needs 10 bytes of entropy")
    return _base32(int(seconds * 1000) & ((1 << 48) - 1), 10) + _base32(int.from_bytes(entropy[:10], "big"), 16)


def time_ordered(prefix: str, seconds: float, entropy: bytes) -> str:
    """Make an id such as ``crawl_01J…``, which sorts by time. ``entropy``: random bytes, or a hash to make the same
    id again."""
    return f"{prefix}_{ulid(seconds, entropy)}"


def digest(*parts: str) -> bytes:
    """Hash the parts into 32 bytes. The length of each part is hashed too, so that ("ab", "c") and ("a", "bc") give
    different results."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        sha.update(len(data).to_bytes(4, "big"))
        sha.update(data)
    return sha.digest()


def hashed(prefix: str, *parts: str) -> str:
    """Make an id (such as an issue's or a page's) that depends only on the parts."""
    return f"{prefix}_{_base32(int.from_bytes(digest(*parts)[:16], 'big'), 26)}"


def page_id(site_id: str, url: str) -> str:
    """Return the id of a page, made from website and normalised address. It stays the same from audit to audit."""
    return hashed("page", site_id, url)


def issue_id(site_id: str, rule_id: str) -> str:
    """Return the id of an issue, made from website and rule. It stays the same from audit to audit."""
    return hashed("iss", site_id, rule_id)
