"""The collector looks at what a file of tests made, not at all that there was before.

Modules, schemas and the tests themselves are half a million objects, and a full collection that goes through them takes
a quarter of a second. Hundreds of them were a third of what the suite cost.
"""

import gc
from collections.abc import Iterator

import pytest


def pytest_collection_finish() -> None:
    """What the tests and their modules are stays to the end."""
    keep()


@pytest.fixture(autouse=True, scope="module")
def only_what_a_file_made_is_collected() -> Iterator[None]:
    """What a file leaves behind is collected with its last test, which is the one to blame for what comes up then."""
    yield
    keep()


def keep() -> None:
    """Collects, and has no later collection look at what is left. It still ends when nothing refers to it any more."""
    gc.collect()
    gc.freeze()
