"""Fixtures that the tests against real parts share."""

from collections.abc import Iterator

import pytest

from tests.real.wordpress import WordPress, started
from tests.workers.audit.conftest import audits_of_loopback as audits_of_loopback


@pytest.fixture(scope="session")
def wordpress() -> Iterator[WordPress]:
    """A WordPress with 12 more published items than it comes with, once for the session: whoever changes it changes it
    back."""
    with started() as site:
        site.seed(12)
        yield site
