"""Runs one portion of the selected tests: ``PART=2/4`` is the second of four. Each test is in one portion."""

import os
import re
import zlib
from typing import NamedTuple

import pytest


class Portion(NamedTuple):
    """``number`` from 1 to ``of``."""

    number: int
    of: int

    def holds(self, test: str) -> bool:
        """Whether a test, by its id, belongs to it. The same on every machine."""
        return zlib.crc32(test.encode()) % self.of == self.number - 1


def read(written: str) -> Portion:
    """Raises ``ValueError``."""
    found = re.fullmatch(r"(\d{1,3})/(\d{1,3})", written)
    portion = Portion(*map(int, found.groups())) if found else None
    if portion is None or not 1 <= portion.number <= portion.of:
        raise ValueError(f"PART is such as 2/4, the second of four portions, not {written!r}")
    return portion


def pytest_configure() -> None:
    """End the run before it starts if ``PART`` is wrong."""
    try:
        read(os.environ.get("PART") or "1/1")
    except ValueError as error:
        raise pytest.UsageError(str(error)) from error


@pytest.hookimpl(trylast=True)  # of the tests that were selected by marker, name and file
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    portion = read(os.environ.get("PART") or "1/1")
    left_out = [item for item in items if not portion.holds(item.nodeid)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if portion.holds(item.nodeid)]
