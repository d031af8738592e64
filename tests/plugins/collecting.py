"""Limits garbage collection to the objects that a test file made.

Modules, schemas and the tests themselves are half a million objects, and a full collection of them takes
a quarter of a second. Hundreds of such collections took a third of the suite's time.
"""

import gc
from collections.abc import Iterator

import pytest

# How many new objects there are when Python looks through them. Its own number is 700: a few requests of the service.
YOUNG = 20_000


def pytest_configure() -> None:
    """Collects less often. A file's last test still collects everything."""
    gc.set_threshold(YOUNG)


def pytest_collection_finish() -> None:
    """Excludes the tests and their modules from collection."""
    keep()


@pytest.fixture(autouse=True, scope="module")
def only_what_a_file_made_is_collected() -> Iterator[None]:
    """Collects a file's garbage with its last test, so that errors during collection are reported for this file."""
    yield
    keep()


def keep() -> None:
    """Collects, and excludes the remaining objects from later collections. Reference counting still frees them."""
    gc.collect()
    gc.freeze()
