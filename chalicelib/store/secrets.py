"""Secrets that the service must read again (webhook signing secrets, credentials), encrypted by KMS.

An encrypted secret is bound to what it belongs to: the context given to ``seal`` must be given to ``unseal``. Values
of up to 4 KB go to KMS as they are, so that no key of ours lies anywhere.
"""

import threading

from chalicelib import clock
from chalicelib.settings.core import core_settings
from chalicelib.store import client

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
    """The secret encrypted, readable only with the same context. Raises botocore's errors."""
    answer = client.kms().encrypt(
        KeyId=core_settings().secrets_key, Plaintext=secret.reveal().encode("utf-8"), EncryptionContext=context
    )
    sealed: bytes = answer["CiphertextBlob"]
    return sealed


def unseal(sealed: bytes, **context: str) -> Secret:
    """The secret that was encrypted with this context. Raises botocore's errors."""
    key = (sealed, tuple(sorted(context.items())))
    asked_at = clock.monotonic()
    with _lock:
        _forget(asked_at)
        if key in _kept:
            return _kept[key][1]
    answer = client.kms().decrypt(KeyId=core_settings().secrets_key, CiphertextBlob=sealed, EncryptionContext=context)
    secret = Secret(answer["Plaintext"].decode("utf-8"))
    with _lock:
        _kept.pop(key, None)
        _kept[key] = (asked_at + KEPT_SECONDS, secret)
        if len(_kept) > KEPT:
            del _kept[next(iter(_kept))]
    return secret


def _forget(now: float) -> None:
    """Drop what was kept for its time; the oldest stand first."""
    while _kept:
        oldest = next(iter(_kept))
        if _kept[oldest][0] > now:
            return
        del _kept[oldest]
