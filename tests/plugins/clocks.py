"""The service's clock is the machine's when a file of tests begins, whatever the file before did to it.

A service that runs inside a test moves the clock of the whole process. Left two hours ahead it is tomorrow already for
the next file, from ten in the evening on.
"""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def the_clock_is_put_back() -> Iterator[None]:
    """Puts the clock back after the last test of a file, and after what the file made has ended."""
    from chalicelib import clock

    yield
    clock.set_offset(0.0)
