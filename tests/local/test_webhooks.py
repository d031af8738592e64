"""The local service's part in webhooks: its key for secrets, and its receiver."""

import base64
import json
import os
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from moto.core.exceptions import ServiceException

from chalicelib.domain.webhooks import signature
from local import kms
from local.receiver import Receiver

SECRET = signature.make_secret(bytes(32))


@pytest.fixture(autouse=True)
def own_key() -> Iterator[None]:
    before = kms._key
    yield
    kms.use(before)


def sealed(text: bytes, **context: str) -> str:
    parameters = {"KeyId": "alias/x", "Plaintext": base64.b64encode(text).decode(), "EncryptionContext": context}
    blob: Any = kms.Keys(parameters).encrypt().result
    return base64.b64encode(blob["CiphertextBlob"]).decode()


def unsealed(blob: str, **context: str) -> bytes:
    answer: Any = kms.Keys({"CiphertextBlob": blob, "EncryptionContext": context}).decrypt().result
    text: bytes = answer["Plaintext"]
    return text


def test_a_stored_key_decrypts_after_a_restart() -> None:
    key = os.urandom(32)
    kms.use(key)
    blob = sealed(b"secret", of="x")
    kms.use(os.urandom(32))
    with pytest.raises(ServiceException):
        unsealed(blob, of="x")
    kms.use(key)
    assert unsealed(blob, of="x") == b"secret"


def test_an_encrypted_value_can_be_decrypted_only_in_its_own_context() -> None:
    blob = sealed(b"secret", of="x")
    for wrong in ({"of": "y"}, {}):
        with pytest.raises(ServiceException):
            unsealed(blob, **wrong)
    with pytest.raises(ServiceException):
        unsealed("AAAA", of="x")


def test_encrypting_more_than_4_kb_is_refused_as_in_aws_kms() -> None:
    with pytest.raises(ServiceException):
        sealed(b"x" * 4_097)


def test_the_receiver_shows_which_signatures_are_valid() -> None:
    receiver = Receiver()
    try:
        receiver.know(SECRET)
        body = b'{"id":"dlv_1"}'
        for secret in (SECRET, "another"):
            given = signature.headers("ping", "dlv_1", secret, body)
            urllib.request.urlopen(urllib.request.Request(receiver.url, body, given), timeout=60).read()
        shown = json.load(urllib.request.urlopen(receiver.url, timeout=60))["items"]
    finally:
        receiver.stop()
    assert [arrival["verified"] for arrival in shown] == [True, False]
