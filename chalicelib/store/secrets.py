"""Secrets that the service must read again (webhook signing secrets, credentials), encrypted by KMS.

An encrypted secret is bound to what it belongs to: the context given to ``seal`` must be given to ``unseal``. Values
of up to 4 KB go to KMS as they are, so that no key of ours lies anywhere.
"""

from functools import lru_cache

from chalicelib.settings.core import core_settings
from chalicelib.store import client

KEPT = 1_000  # decrypted secrets in memory: one KMS call for each endpoint and process, not for each delivery


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
    return _unseal(sealed, tuple(sorted(context.items())))


@lru_cache(maxsize=KEPT)
def _unseal(sealed: bytes, context: tuple[tuple[str, str], ...]) -> Secret:
    answer = client.kms().decrypt(
        KeyId=core_settings().secrets_key, CiphertextBlob=sealed, EncryptionContext=dict(context)
    )
    return Secret(answer["Plaintext"].decode("utf-8"))
