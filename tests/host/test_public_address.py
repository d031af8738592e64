"""At its start the process says when it does not know where it is on the web."""

import logging
from collections.abc import Iterator

import pytest

from chalicelib.settings.reading import forget_settings
from chalicelib.store import addresses
from host.service import Host


@pytest.fixture(autouse=True)
def process(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process that starts nothing behind its checks."""
    monkeypatch.setenv("CURSOR_SECRET", "x" * 32)
    monkeypatch.delenv("APP_URL", raising=False)
    monkeypatch.setattr(Host, "_start", lambda self, proxies: None)
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    with caplog.at_level(logging.WARNING):
        Host("127.0.0.1", 0).start()
    return [record.getMessage() for record in caplog.records if "public address" in record.getMessage()]


def test_a_missing_public_address_is_explained_at_the_start(caplog: pytest.LogCaptureFixture) -> None:
    (line,) = said(caplog)
    assert "only paths" in line and "APP_URL" in line and "manage.py address set" in line


def test_a_stored_public_address_causes_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    addresses.put_public("https://seo.example.com")
    assert said(caplog) == []


def test_a_public_address_in_the_settings_causes_no_warning(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_URL", "https://seo.example.com/app")
    forget_settings()
    assert said(caplog) == []
