"""KMS for the local service and the tests: Encrypt and Decrypt with one key of this process.

moto's own KMS makes a new key at each start. This KMS uses a given key, so that secrets in the folder ``STATE`` can be
decrypted after a restart. As in the real KMS, a value can be decrypted only with the context it was encrypted with.
"""

import base64
import json
import os
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult

KEY_BYTES = 32
NONCE_BYTES = 12
PLAINTEXT_BYTES = 4096  # the limit of the real KMS

_key = os.urandom(KEY_BYTES)


def use(key: bytes) -> None:
    """Use this key of 32 bytes for encryption from now on."""
    global _key
    if len(key) != KEY_BYTES:
        raise ValueError(f"a key has {KEY_BYTES} bytes")
    _key = key


class _InvalidCiphertext(ServiceException):
    code = "InvalidCiphertextException"
    message = "The ciphertext or its context differs from the one that was encrypted."


class _TooLong(ServiceException):
    code = "ValidationException"
    message = f"A plaintext has at most {PLAINTEXT_BYTES} bytes."


class Keys:
    """Answers one request to KMS. ``embedded.dispatch`` calls the method for the requested operation (encrypt or
    decrypt)."""

    def __init__(self, parameters: dict[str, Any]) -> None:
        self._parameters = parameters

    def encrypt(self) -> ActionResult:
        """Encrypt the plaintext. The result begins with the nonce."""
        plaintext = base64.b64decode(self._parameters["Plaintext"])
        if len(plaintext) > PLAINTEXT_BYTES:
            raise _TooLong
        nonce = os.urandom(NONCE_BYTES)
        sealed = nonce + AESGCM(_key).encrypt(nonce, plaintext, self._context())
        return ActionResult({"CiphertextBlob": sealed, "KeyId": self._parameters["KeyId"]})

    def decrypt(self) -> ActionResult:
        """Decrypt a value from ``encrypt``. The context must be the same as at its encryption."""
        sealed = base64.b64decode(self._parameters["CiphertextBlob"])
        try:
            plaintext = AESGCM(_key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], self._context())
        except (InvalidTag, ValueError):
            raise _InvalidCiphertext from None
        return ActionResult({"Plaintext": plaintext, "KeyId": self._parameters.get("KeyId", "")})

    def _context(self) -> bytes:
        return json.dumps(self._parameters.get("EncryptionContext", {}), sort_keys=True).encode()
