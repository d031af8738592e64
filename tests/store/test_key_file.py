"""Secrets encrypted with a key file, without KMS."""

import base64
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.settings.reading import forget_settings
from chalicelib.store import health, key_file, secrets
from chalicelib.store.errors import AWS_ERRORS, KeyUnusable
from chalicelib.store.secrets import Secret


def line() -> str:
    return base64.b64encode(os.urandom(key_file.KEY_BYTES)).decode() + "\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "key"
    path.write_text(line())
    monkeypatch.setenv("SECRETS_KEY", f"file:{path}")
    forget_settings()
    _forget()
    yield path
    monkeypatch.undo()
    forget_settings()
    _forget()


def _forget() -> None:
    key_file._keys.cache_clear()
    secrets._kept.clear()


def test_a_secret_is_decrypted_only_with_its_context(file: Path) -> None:
    sealed = secrets.seal(Secret("a secret"), endpointId="end_1", workspaceId="ws_1")
    assert b"a secret" not in sealed
    assert secrets.unseal(sealed, workspaceId="ws_1", endpointId="end_1").reveal() == "a secret"
    for context in ({"endpointId": "end_2", "workspaceId": "ws_1"}, {"endpointId": "end_1"}, {}):
        with pytest.raises(KeyUnusable):
            secrets.unseal(sealed, **context)
    assert health.key_works()


def test_the_same_secret_is_encrypted_differently_each_time(file: Path) -> None:
    assert len({secrets.seal(Secret("x"), of="a test") for _ in range(20)}) == 20


def test_the_first_key_of_a_file_encrypts_and_the_older_keys_still_decrypt(file: Path) -> None:
    old = secrets.seal(Secret("old"), of="a test")
    before = file.read_text()
    file.write_text(line() + before)
    _forget()
    new = secrets.seal(Secret("new"), of="a test")
    assert secrets.unseal(old, of="a test").reveal() == "old"
    file.write_text(before)
    _forget()
    assert secrets.unseal(old, of="a test").reveal() == "old"
    with pytest.raises(KeyUnusable):
        secrets.unseal(new, of="a test")


def test_secrets_encrypted_before_an_update_are_decrypted_after_it(file: Path) -> None:
    file.write_text(f"{'A' * 43}=\n")
    _forget()
    stored = bytes.fromhex("01000102030405060708090a0be9eb4037638fea8d003cd101744d903f69dfe9628c3cd08d")
    assert secrets.unseal(stored, endpointId="end_1", workspaceId="ws_1").reveal() == "a secret"
    assert len(secrets.seal(Secret("a secret"), of="a test")) == len(stored)


def test_empty_lines_and_spaces_in_a_key_file_are_ignored(file: Path) -> None:
    sealed = secrets.seal(Secret("x"), of="a test")
    file.write_text(f"\n  {line().strip()}  \n\n{file.read_text()}\n\n")
    _forget()
    assert secrets.unseal(sealed, of="a test").reveal() == "x"


@pytest.mark.parametrize("content", ["", "\n \n", "AAAA\n", "no base64!\n", f"{'A' * 43}=\nAAAA\n", "\u00e4"])
def test_an_unusable_key_file_is_named_without_its_content(file: Path, content: str) -> None:
    file.write_text(content, encoding="utf-8")
    _forget()
    with pytest.raises(KeyUnusable, match=str(file)) as refused:
        secrets.seal(Secret("x"), of="a test")
    assert not content.strip() or content.strip() not in str(refused.value)
    assert isinstance(refused.value, AWS_ERRORS)


def test_a_missing_key_file_is_named(file: Path) -> None:
    file.unlink()
    _forget()
    with pytest.raises(KeyUnusable, match="No such file"):
        secrets.seal(Secret("x"), of="a test")


@given(st.binary(max_size=60))
def test_arbitrary_bytes_cannot_be_decrypted(data: bytes) -> None:
    key_file._keys.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(key_file, "_keys", lambda key: [bytes(32)])
        with pytest.raises(KeyUnusable):
            key_file.decrypt("file:key", data, {})
