"""Retries a write of an item that several writers change at the same time. A try loads the item, decides and commits;
after a conflict, the next try starts.

Between two tries a random time passes, so that the same writers do not collide again. The time grows with each try, so
that fewer tries collide. Even 75 writers of one item all succeed within the time limit.
"""

from collections.abc import Iterator
from itertools import count
from typing import Final

from chalicelib import clock
from chalicelib.store import backoff

SECONDS: Final = 20.0  # an API function must answer within 29
_LONGEST_STEP: Final = 7  # doublings of the wait: at most 3.2 s between tries


def tries(seconds: float | None = None) -> Iterator[int]:
    """Yield the number of each try, from 0, until ``seconds`` (default ``SECONDS``) have passed. Waits before each try
    except the first."""
    until = clock.monotonic() + (SECONDS if seconds is None else seconds)
    for number in count():
        if number:
            if clock.monotonic() >= until:
                return
            backoff.wait(min(number - 1, _LONGEST_STEP))
        yield number
