"""Secrets that the service must read back (webhook signing secrets, credentials), encrypted by KMS or a key file.

An encrypted secret is bound to its owner: ``unseal`` needs the context that was given to ``seal``. KMS encrypts these
values itself (up to 4 KB), so the service stores no key. Without KMS, ``key_file`` encrypts.
"""

import threading
from collections.abc import Mapping
from typing import Final

from botocore.exceptions import ClientError

from chalicelib import clock
from chalicelib.settings.core import core_settings
from chalicelib.store import client, key_file
from chalicelib.store.errors import KeyUnusable

# Decrypted secrets in memory: one KMS call per endpoint, process and five minutes, not per delivery. After that KMS is
# asked again, so that a secret that it no longer decrypts is no longer used.
KEPT = 1_000
KEPT_SECONDS = 300.0

_kept: dict[
    tuple[bytes, tuple[tuple[str, str], ...]], tuple[float, "Secret"]
] = {}  # decrypted secrets with their expiry, oldest first
_lock = threading.Lock()


# KMS's error for a value that another key encrypted, or that has another context.
_NOT_OF_THE_KEY: Final = frozenset({"IncorrectKeyException", "InvalidCiphertextException"})


class CannotOpen(Exception):
    """None of the tried keys decrypts a stored secret."""


class Secret:
    """A secret in memory. Only ``reveal`` returns its text, so that the secret is not logged by accident."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "Secret(…)"

    def reveal(self) -> str:
        """Return the text of the secret."""
        return self._text


def seal(secret: Secret, **context: str) -> bytes:
    """Encrypt the secret, bound to this context. Raises ``AWS_ERRORS``."""
    key, plaintext = core_settings().secrets_key, secret.reveal().encode("utf-8")
    if key.startswith(key_file.PREFIX):
        return key_file.encrypt(key, plaintext, context)
    sealed: bytes = client.kms().encrypt(KeyId=key, Plaintext=plaintext, EncryptionContext=context)["CiphertextBlob"]
    return sealed


def unseal(sealed: bytes, **context: str) -> Secret:
    """Decrypt a secret that was encrypted with this context. Raises ``AWS_ERRORS``."""
    key = (sealed, tuple(sorted(context.items())))
    asked_at = clock.monotonic()
    with _lock:
        _forget(asked_at)
        if key in _kept:
            return _kept[key][1]
    secret = Secret(_decrypted(sealed, context, core_settings().secrets_key).decode("utf-8"))
    with _lock:
        _kept.pop(key, None)
        _kept[key] = (asked_at + KEPT_SECONDS, secret)
        if len(_kept) > KEPT:
            del _kept[next(iter(_kept))]
    return secret


def renewed(sealed: bytes, context: Mapping[str, str], older: str | None = None) -> bytes | None:
    """Re-encrypt the secret with SECRETS_KEY. Returns None if it is already encrypted with the first key of the key
    file. With KMS, nothing shows which key encrypted the secret, so it is always re-encrypted.

    ``older``: another key, in the form of SECRETS_KEY, tried if the current one does not decrypt the secret. Raises
    ``CannotOpen`` and ``AWS_ERRORS``.
    """
    key = core_settings().secrets_key
    if is_newest(sealed, context):
        return None
    for one in (key, *([older] if older else ())):
        try:
            return seal(Secret(_decrypted(sealed, context, one).decode("utf-8")), **context)
        except KeyUnusable:
            continue
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") not in _NOT_OF_THE_KEY:
                raise
    raise CannotOpen


def is_newest(sealed: bytes, context: Mapping[str, str]) -> bool:
    """Whether the first key of the key file decrypts the secret. Always False with KMS."""
    key = core_settings().secrets_key
    return key.startswith(key_file.PREFIX) and key_file.is_newest(key, sealed, context)


def is_present(sealed: bytes, context: Mapping[str, str]) -> bool:
    """Whether the current key alone decrypts the secret: the first line of a key file, or the KMS key. Raises
    ``AWS_ERRORS``."""
    key = core_settings().secrets_key
    if key.startswith(key_file.PREFIX):
        return is_newest(sealed, context)
    try:
        _decrypted(sealed, context, key)
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") not in _NOT_OF_THE_KEY:
            raise
        return False
    return True


def check_keys(older: str | None = None) -> None:
    """Raise ``AWS_ERRORS`` if the current key cannot encrypt, or if ``older`` is an unusable key file."""
    seal(Secret("check"), check="keys")
    if older is not None and older.startswith(key_file.PREFIX):
        key_file.encrypt(older, b"check", {})


def name_of_key() -> str:
    """Return a name that identifies the current key: the setting and, for a key file, a hash of the file's first
    key."""
    key = core_settings().secrets_key
    return f"{key} {key_file.fingerprint(key)}" if key.startswith(key_file.PREFIX) else key


def _decrypted(sealed: bytes, context: Mapping[str, str], key: str) -> bytes:
    if key.startswith(key_file.PREFIX):
        return key_file.decrypt(key, sealed, context)
    answer = client.kms().decrypt(KeyId=key, CiphertextBlob=sealed, EncryptionContext=dict(context))
    plaintext: bytes = answer["Plaintext"]
    return plaintext


def _forget(now: float) -> None:
    """Drop expired secrets from memory. The oldest come first."""
    while _kept:
        oldest = next(iter(_kept))
        if _kept[oldest][0] > now:
            return
        del _kept[oldest]
