"""API keys: their text form, and the parts of a key that are stored.

A key is ``wos_ws_`` (workspace) or ``wos_site_`` (website), 32 random base62 characters, and a checksum of 6
characters. Thanks to the checksum, a mistyped key is refused without a look-up in the store, and secret scanners
recognise a leaked key. Only the SHA-256 of a key is stored.
"""

import hashlib
import re
import zlib
from typing import Literal, NamedTuple

KeyKind = Literal["workspace", "website"]

PREFIXES: dict[KeyKind, str] = {"workspace": "wos_ws_", "website": "wos_site_"}
RANDOM_CHARACTERS = 32
CHECKSUM_CHARACTERS = 6
ENTROPY_BYTES = 32  # 256 bits, of which a key uses 190: the modulo bias is negligible

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_KEY = re.compile(rf"(wos_(?:ws|site)_)([0-9A-Za-z]{{{RANDOM_CHARACTERS}}})([0-9A-Za-z]{{{CHECKSUM_CHARACTERS}}})")
_KINDS = {prefix: kind for kind, prefix in PREFIXES.items()}


class KeyParts(NamedTuple):
    """The parts of a key that are stored and shown."""

    kind: KeyKind
    sha256: str  # of the whole key, hexadecimal
    prefix: str
    last4: str


def make(kind: KeyKind, entropy: bytes) -> str:
    """Make a new key. ``entropy``: 32 random bytes that nobody can guess."""
    if len(entropy) < ENTROPY_BYTES:
        raise ValueError(f"a key needs {ENTROPY_BYTES} bytes of entropy")
    number = int.from_bytes(entropy[:ENTROPY_BYTES], "big")
    body = PREFIXES[kind] + _base62(number, RANDOM_CHARACTERS)
    return body + _checksum(body)


def parse(key: str) -> KeyParts | None:
    """Return the parts of a key; None if the text does not have the form of a key or its checksum is wrong."""
    match = _KEY.fullmatch(key)
    if match is None or _checksum(match[1] + match[2]) != match[3]:
        return None
    return KeyParts(_KINDS[match[1]], hashlib.sha256(key.encode("ascii")).hexdigest(), match[1], key[-4:])


def _checksum(body: str) -> str:
    return _base62(zlib.crc32(body.encode("ascii")), CHECKSUM_CHARACTERS)


def _base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))
