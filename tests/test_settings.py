"""Settings: one dataclass a subject, read once a process."""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, replace

import pytest

from chalicelib.settings.core import CoreSettings, core_settings
from chalicelib.settings.crawl import crawl_settings
from chalicelib.settings.every import SUBJECTS
from chalicelib.settings.reading import forget_settings, read


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    forget_settings()


def test_settings_are_read_once_until_they_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_settings()
    before = crawl_settings()
    monkeypatch.setenv("CRAWL_TOKEN", "OtherBot")
    assert crawl_settings() is before
    forget_settings()
    assert crawl_settings() == replace(before, token="OtherBot")


def test_an_empty_variable_is_a_value_and_a_missing_one_means_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_URL", "")
    monkeypatch.delenv("TABLE_PREFIX", raising=False)
    forget_settings()
    assert (core_settings().app_url, core_settings().table_prefix) == ("", CoreSettings().table_prefix)


def test_every_variable_belongs_to_one_setting() -> None:
    named = Counter(setting.metadata["env"] for subject in SUBJECTS for setting in fields(subject))
    assert [name for name, times in named.items() if times > 1] == []


def test_secrets_do_not_appear_in_a_repr(monkeypatch: pytest.MonkeyPatch) -> None:
    named = [setting.metadata["env"] for subject in SUBJECTS for setting in fields(subject)]
    secrets = [name for name in named if name.endswith(("_SECRET", "_API_KEY"))]
    assert len(secrets) >= 5
    for name in secrets:
        monkeypatch.setitem(os.environ, name, "never-shown")
    forget_settings()
    for subject in SUBJECTS:
        assert "never-shown" not in repr(read(subject))
