"""Secrets that the service must read again (webhook signing secrets, credentials), encrypted by KMS or a key file.

An encrypted secret is bound to what it belongs to: the context given to ``seal`` must be given to ``unseal``. Values
of up to 4 KB go to KMS as they are, so that no key of ours lies anywhere; where there is no KMS, see ``key_file``.
"""

import threading

from chalicelib import clock
from chalicelib.settings.core import core_settings
from chalicelib.store import client, key_file

# Decrypted secrets in memory: one KMS call for each endpoint, process and five minutes, not for each delivery. After
# that KMS is asked again, so that what it no longer decrypts is no longer used.
KEPT = 1_000
KEPT_SECONDS = 300.0

_kept: dict[tuple[bytes, tuple[tuple[str, str], ...]], tuple[float, "Secret"]] = {}  # with its end, oldest first
_lock = threading.Lock()


class Secret:
    """A secret in memory. Its text comes out only where it is asked for by name, so that it reaches no log."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "Secret(…)"

    def reveal(self) -> str:
        """The text itself."""
        return self._text


def seal(secret: Secret, **context: str) -> bytes:
    """The secret encrypted, readable only with the same context. Raises ``AWS_ERRORS``."""
    key, plaintext = core_settings().secrets_key, secret.reveal().encode("utf-8")
    if key.startswith(key_file.PREFIX):
        return key_file.encrypt(key, plaintext, context)
    sealed: bytes = client.kms().encrypt(KeyId=key, Plaintext=plaintext, EncryptionContext=context)["CiphertextBlob"]
    return sealed


def unseal(sealed: bytes, **context: str) -> Secret:
    """The secret that was encrypted with this context. Raises ``AWS_ERRORS``."""
    key = (sealed, tuple(sorted(context.items())))
    asked_at = clock.monotonic()
    with _lock:
        _forget(asked_at)
        if key in _kept:
            return _kept[key][1]
    secret = Secret(_decrypted(sealed, context).decode("utf-8"))
    with _lock:
        _kept.pop(key, None)
        _kept[key] = (asked_at + KEPT_SECONDS, secret)
        if len(_kept) > KEPT:
            del _kept[next(iter(_kept))]
    return secret


def _decrypted(sealed: bytes, context: dict[str, str]) -> bytes:
    key = core_settings().secrets_key
    if key.startswith(key_file.PREFIX):
        return key_file.decrypt(key, sealed, context)
    plaintext: bytes = client.kms().decrypt(KeyId=key, CiphertextBlob=sealed, EncryptionContext=context)["Plaintext"]
    return plaintext


def _forget(now: float) -> None:
    """Drop what was kept for its time; the oldest stand first."""
    while _kept:
        oldest = next(iter(_kept))
        if _kept[oldest][0] > now:
            return
        del _kept[oldest]
