"""Helpers for tests that audit small websites."""

from collections.abc import Iterator

import pytest

from chalicelib.settings.reading import forget_settings
from chalicelib.workers.audit import checking, reading


@pytest.fixture
def audits_of_loopback(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Empty tables; websites of this machine may be audited, and nobody waits long before asking again."""
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setattr(reading, "SECOND_TRY_AFTER_SECONDS", 0.01)
    monkeypatch.setattr(checking, "GAP_ELSEWHERE_SECONDS", 0.0)
    forget_settings()
    yield
    forget_settings()
