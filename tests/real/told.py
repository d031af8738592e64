"""Texts that a test has printed at the end of the run, also if several processes share the tests."""

from typing import Final

import pytest

TOLD: Final = pytest.StashKey[list[str]]()


def tell(config: pytest.Config, text: str) -> None:
    """Print the text at the end of the run."""
    config.stash.setdefault(TOLD, []).append(text)
