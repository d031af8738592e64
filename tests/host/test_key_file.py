"""At its start the process says when others may read the file of keys that opens every stored secret."""

import base64
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.settings.reading import forget_settings
from chalicelib.store import key_file
from host.service import CannotStart, Host


@pytest.fixture
def file(store: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A key file, and a process that ends its start behind it: there are no tables of that prefix."""
    path = tmp_path / "key"
    path.write_bytes(base64.b64encode(bytes(key_file.KEY_BYTES)))
    monkeypatch.setenv("SECRETS_KEY", f"file:{path}")
    monkeypatch.setenv("CURSOR_SECRET", "x" * 32)
    monkeypatch.setenv("TABLE_PREFIX", "elsewhere-")
    forget_settings()
    key_file._keys.cache_clear()
    yield path
    monkeypatch.undo()
    forget_settings()
    key_file._keys.cache_clear()


@pytest.mark.parametrize(("mode", "warned"), [(0o600, False), (0o644, True)])
def test_a_key_file_readable_by_others_is_logged(
    file: Path, caplog: pytest.LogCaptureFixture, mode: int, warned: bool
) -> None:
    file.chmod(mode)
    with caplog.at_level(logging.WARNING), pytest.raises(CannotStart, match="elsewhere-"):
        Host("127.0.0.1", 0).start()
    said = [record.getMessage() for record in caplog.records if "SECRETS_KEY" in record.getMessage()]
    assert bool(said) == warned
    assert not warned or (str(file) in said[0] and "644" in said[0] and "chmod 600" in said[0])
