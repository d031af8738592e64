"""Names a path that does not exist. Where worker processes collect the tests, pytest only says that no tests ran."""

from collections.abc import Iterable
from pathlib import Path

import pytest


def missing(arguments: Iterable[str], folder: Path) -> list[str]:
    """Return the paths among the arguments of a run that do not exist. A test's name after ``::`` is not looked at."""
    return [argument for argument in arguments if not (folder / argument.partition("::")[0]).exists()]


def pytest_configure(config: pytest.Config) -> None:
    """End the run before it starts if a path is missing."""
    if wrong := missing(config.args, config.invocation_params.dir):
        raise pytest.UsageError(f"there is no such file or folder: {', '.join(wrong)}")
