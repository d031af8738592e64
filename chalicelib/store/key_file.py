"""Encrypts without KMS: with AES-GCM and a key from a file. It is used if ``SECRETS_KEY`` is ``file:`` followed by a
path.

The file has one key of 32 bytes per line, in base64 (``openssl rand -base64 32``). The first key encrypts, all keys
decrypt. To replace a key, put a new one above it. Remove the old key once every secret was re-encrypted
(``operations.reencryption``). A process reads the file once.

An encrypted value begins with a byte that names the method, followed by the nonce. It can be decrypted only with the
same encryption context, as with KMS. Nonces are random, so a key may encrypt at most 2^32 secrets.
"""

import base64
import binascii
import hashlib
import json
import os
import stat
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from chalicelib import randomness
from chalicelib.store.errors import KeyUnusable

PREFIX: Final = "file:"
KEY_BYTES: Final = 32
OTHERS: Final = stat.S_IRGRP | stat.S_IWGRP | stat.S_IROTH | stat.S_IWOTH
_NONCE_BYTES: Final = 12
_FORM: Final = b"\x01"


def encrypt(key: str, plaintext: bytes, context: Mapping[str, str]) -> bytes:
    """Encrypt the plaintext with the first key of the file. ``key``: in the form of ``SECRETS_KEY``. Raises
    ``KeyUnusable``."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = randomness.random_bytes(_NONCE_BYTES)
    return _FORM + nonce + AESGCM(_keys(key)[0]).encrypt(nonce, plaintext, _bound(context))


def decrypt(key: str, sealed: bytes, context: Mapping[str, str]) -> bytes:
    """Decrypt a result of ``encrypt`` for the same context, with any key of the file. Raises ``KeyUnusable``."""
    plaintext = _opened(_keys(key), sealed, context)
    if plaintext is None:
        raise KeyUnusable(f"a secret was not encrypted with a key of {_path(key)}, or has another encryption context")
    return plaintext


def _opened(keys: list[bytes], sealed: bytes, context: Mapping[str, str]) -> bytes | None:
    """Return the plaintext, decrypted by the first of the keys that fits. Returns None if none fits."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    form, nonce, rest = sealed[:1], sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
    if form != _FORM or len(nonce) != _NONCE_BYTES:
        return None
    for one in keys:
        try:
            return AESGCM(one).decrypt(nonce, rest, _bound(context))
        except InvalidTag:
            continue
    return None


def is_newest(key: str, sealed: bytes, context: Mapping[str, str]) -> bool:
    """Whether the first key of the file decrypts the value. Raises ``KeyUnusable`` if the file cannot be used."""
    return _opened(_keys(key)[:1], sealed, context) is not None


def fingerprint(key: str) -> str:
    """Return a hash of the first key of the file. It does not reveal the key. Raises ``KeyUnusable``."""
    return hashlib.sha256(b"fingerprint" + _keys(key)[0]).hexdigest()[:16]


def exposed(key: str) -> str | None:
    """Return a warning if users other than the owner may read or write the key file. It gives the file's mode. Returns
    None if the file is safe or absent."""
    path = _path(key)
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except (OSError, ValueError):
        return None
    return f"{path} can be read by others (its mode is {mode:03o})" if mode & OTHERS else None


def exposed_in(folder: Path) -> list[str]:
    """Check the files of a folder with secrets. Returns a warning for each file that other users may read or write.
    Empty files are skipped. Raises ``OSError``."""
    found = (exposed(str(path)) for path in sorted(folder.iterdir()) if path.is_file() and path.stat().st_size)
    return [one for one in found if one is not None]


def _path(key: str) -> str:
    return key.removeprefix(PREFIX)


@lru_cache(maxsize=4)
def _keys(key: str) -> list[bytes]:
    """Return the keys of the file. Error messages contain nothing of the file's content."""
    path = _path(key)
    try:
        with open(path, encoding="ascii") as file:
            lines = [line.strip() for line in file if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise KeyUnusable(f"the key file {path} cannot be read: {reason}") from None
    try:
        keys = [base64.b64decode(line, validate=True) for line in lines]
    except binascii.Error:
        keys = []
    if not keys or any(len(one) != KEY_BYTES for one in keys):
        raise KeyUnusable(f"the key file {path} must have {KEY_BYTES} bytes in base64 on each line")
    return keys


def _bound(context: Mapping[str, str]) -> bytes:
    return json.dumps(context, sort_keys=True).encode("utf-8")
