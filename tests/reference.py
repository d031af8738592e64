"""Processor time as a multiple of a reference loop timed in the same run, so that a machine's speed does not matter."""

import time
from collections.abc import Callable

LOOP = 150_000


def loop_seconds() -> float:
    """Processor seconds of the loop: the quickest of five."""
    best = float("inf")
    for _ in range(5):
        began = time.thread_time()
        total = 0
        for number in range(LOOP):
            total += number & 7
        best = min(best, time.thread_time() - began)
    return best


def loops_of(work: Callable[[], object], times: int = 1) -> float:
    """How many of the loops a piece of work takes the time of, all threads of this process together: the quickest of
    so many times."""
    best = float("inf")
    for _ in range(times):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best / loop_seconds()
