"""Separates the CPU of the embedded AWS from the CPU of the service itself."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from local import embedded


class EmbeddedClock:
    """Adds up the CPU seconds and the calls inside this process's embedded AWS, from the creation of this object on.

    In production, AWS's machines do this work. botocore's serialising, signing and parsing are the service's own work,
    and are not counted here.
    """

    def __init__(self) -> None:
        self.cpu = 0.0
        self.calls = 0
        self._lock = threading.Lock()
        self._inner = embedded.dispatch
        embedded.dispatch = self._timed

    def stop(self) -> None:
        """Stop counting."""
        embedded.dispatch = self._inner

    def _timed(self, target: str, body: bytes, url: str) -> Any:
        began = time.thread_time()
        try:
            return self._inner(target, body, url)
        finally:
            with self._lock:
                self.cpu += time.thread_time() - began
                self.calls += 1


@dataclass(frozen=True, slots=True)
class Spent:
    """The cost of requests. ``own``: CPU of this process, without the client's thread and the embedded AWS."""

    times: list[float]  # seconds of each request, sorted
    own: list[float]  # CPU seconds of each request
    calls: float  # store calls of one request
    size: int  # bytes of the last answer


def spent(ask: Callable[[], int], requests: int, warm_up: int) -> Spent:
    """Measure ``requests`` requests, after ``warm_up`` requests that are not measured.

    ``ask`` sends one request, and returns the size of the answer in bytes.
    """
    for _ in range(warm_up):
        size = ask()
    store = EmbeddedClock()
    times: list[float] = []
    own: list[float] = []
    for _ in range(requests):
        began, elsewhere = time.perf_counter(), time.thread_time() + store.cpu
        used = time.process_time()
        ask()
        own.append(time.process_time() - used - (time.thread_time() + store.cpu - elsewhere))
        times.append(time.perf_counter() - began)
    store.stop()
    return Spent(sorted(times), own, store.calls / requests, size)
