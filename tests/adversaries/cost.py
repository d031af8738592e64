"""What a reader costs, measured so that a busy machine makes no difference: processor time of this thread, as a
multiple of a loop that is timed beside it."""

import gc
import time
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

MOST_GROWTH = 3.0  # for twice the size: in proportion is 2, in proportion to the square is 4
LEAST_MEASURED = 4.0  # loops: what is below is noise, and nobody waits for it
_ATTEMPTS = 4


def _loop() -> int:
    total = 0
    for number in range(150_000):
        total += number & 7
    return total


_REMEMBERS = type(lru_cache(_loop))


def seconds_of(work: Callable[[], object], times: int = 2) -> float:
    best = float("inf")
    for _ in range(times):
        began = time.thread_time()
        work()
        best = min(best, time.thread_time() - began)
        if best > 1.0:
            break
    return best


def loops_of(work: Callable[[], object], times: int = 2) -> float:
    """How many of the loops the work takes the time of; the quickest of ``times``."""
    return _undisturbed(work, times) / seconds_of(_loop, 3)


def _undisturbed(work: Callable[[], object], times: int) -> float:
    gc.collect()
    gc.disable()  # a collection goes through everything there is, not only what the work has made
    try:
        return seconds_of(work, times)
    finally:
        gc.enable()


@cache
def _memories() -> list[Any]:
    """What the service remembers of what it read, up to a number of things: none of it is loaded from a file."""
    kept = [one for one in gc.get_objects() if isinstance(one, _REMEMBERS)]
    return [one for one in kept if one.__module__.startswith("chalicelib.") and one.cache_parameters()["maxsize"]]


def _anew(read: Callable[[bytes], object], data: bytes) -> None:
    """Read as if nothing had been read before: the smaller sizes fit into what is remembered, and the largest does
    not."""
    for one in _memories():
        one.cache_clear()
    read(data)


def growth(read: Callable[[bytes], object], sizes: list[bytes]) -> tuple[float, list[float]]:
    """The largest factor by which the cost grows from one size to the next, and the costs in loops.

    Each of ``sizes`` is twice the one before. The largest is read once at first: a disturbance makes its factor larger,
    and a factor beyond what is allowed is measured again before it counts.
    """
    found: list[float] = []
    for attempt in range(_ATTEMPTS):
        loop = seconds_of(_loop, 3)
        costs = []
        for size in sizes:
            once = attempt == 0 and size is sizes[-1]
            costs.append(_undisturbed(lambda data=size: _anew(read, data), 1 if once else 2) / loop)  # type: ignore[misc]
        pairs = pairwise(costs)
        found.append(max((after / before for before, after in pairs if before >= LEAST_MEASURED), default=0.0))
        if found[-1] <= MOST_GROWTH:
            break
    return min(found), [round(cost, 1) for cost in costs]
