"""Decrypted secrets: kept for a while, not for ever, not without end, and shown by nothing."""

import os
from collections.abc import Iterator

import pytest
from botocore.exceptions import ClientError

from chalicelib import clock
from chalicelib.store import secrets
from chalicelib.store.secrets import Secret
from local import kms
from tests import aws

pytestmark = pytest.mark.usefixtures("store")


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The clock that durations are measured with."""
    time = [clock.monotonic()]
    monkeypatch.setattr(clock, "monotonic", lambda: time[0])
    yield time
    secrets._kept.clear()  # whose ends are by that clock


@pytest.fixture
def own_key() -> Iterator[None]:
    before = kms._key
    yield
    kms.use(before)


def test_a_secret_is_decrypted_once_in_five_minutes(now: list[float]) -> None:
    sealed = secrets.seal(Secret("x"), of="a test")
    with aws.counted_calls() as calls:
        for _ in range(3):
            assert secrets.unseal(sealed, of="a test").reveal() == "x"
        now[0] += 299
        secrets.unseal(sealed, of="a test")
        assert calls["Decrypt"] == 1
        now[0] += 1
        secrets.unseal(sealed, of="a test")
    assert calls["Decrypt"] == 2


def test_a_revoked_secret_fails_after_five_minutes_of_use(now: list[float], own_key: None) -> None:
    sealed = secrets.seal(Secret("x"), of="a test")
    secrets.unseal(sealed, of="a test")
    kms.use(os.urandom(kms.KEY_BYTES))
    for _ in range(4):
        now[0] += 70
        secrets.unseal(sealed, of="a test")
    now[0] += 20
    with pytest.raises(ClientError):
        secrets.unseal(sealed, of="a test")


def test_a_cached_secret_is_forgotten_after_its_time(now: list[float]) -> None:
    old, new = (secrets.seal(Secret(text), of="a test") for text in ("old", "new"))
    secrets.unseal(old, of="a test")
    now[0] += 300
    secrets.unseal(new, of="a test")
    assert [secret.reveal() for _, secret in secrets._kept.values()] == ["new"]


def test_at_most_a_thousand_secrets_are_cached_and_the_oldest_are_removed() -> None:
    sealed = [secrets.seal(Secret(str(number)), of="a test") for number in range(1_003)]
    for one in sealed:
        secrets.unseal(one, of="a test")
    with aws.counted_calls() as calls:
        secrets.unseal(sealed[-1], of="a test")
        assert calls["Decrypt"] == 0
        secrets.unseal(sealed[0], of="a test")
    assert calls["Decrypt"] == 1 and len(secrets._kept) == 1_000


def test_a_cached_secret_is_not_returned_for_another_context() -> None:
    sealed = secrets.seal(Secret("x"), of="a test")
    secrets.unseal(sealed, of="a test")
    with pytest.raises(ClientError):
        secrets.unseal(sealed, of="another")


def test_a_secret_is_not_shown_by_str_or_repr() -> None:
    assert "x-secret" not in f"{Secret('x-secret')} {Secret('x-secret')!r} {[Secret('x-secret')]}"
