"""Counts the running jobs, and makes the Lambda context that each job gets together with its event."""

import contextlib
import json
import math
import threading
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from chalice.local import LambdaContext

from chalicelib import clock

CONFIG = Path(__file__).resolve().parent.parent / ".chalice" / "config.json"
DEFAULT_TIMEOUT_SECONDS = 60  # Chalice's own default
MEMORY_MB = 1024


@lru_cache(maxsize=1)
def _config() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(CONFIG.read_text(encoding="utf-8")) if CONFIG.exists() else {}
    return content


def timeout_seconds(function: str) -> int:
    """Return the time limit of a function in seconds. As in a deployment, it is read from .chalice/config.json."""
    config = _config()
    stages = [*config.get("stages", {}).values(), config]
    for stage in stages:
        seconds = stage.get("lambda_functions", {}).get(function, {}).get("lambda_timeout")
        if seconds is not None:
            return int(seconds)
    return next(
        (int(stage["lambda_timeout"]) for stage in stages if "lambda_timeout" in stage), DEFAULT_TIMEOUT_SECONDS
    )


class Jobs:
    """The running jobs. A job is one batch of messages or one run of a schedule."""

    def __init__(self, changed: threading.Condition | None = None) -> None:
        """``changed``: the condition that guards the count. It is notified when a job ends.

        If this process also holds the messages, pass the condition of their queues: a message is then taken and its job
        counted under one lock.
        """
        self._changed = threading.Condition() if changed is None else changed
        self._running: dict[int, str] = {}
        self._count = 0
        self._ends_at = math.inf

    def context(self, function: str) -> LambdaContext:
        """Make the context that Lambda passes with an event: the request id and the remaining time."""
        return _Context(self, function)

    def left(self) -> float:
        """Return how many seconds are left until every job must have ended. The result is infinite while the process is
        not stopping."""
        return self._ends_at - clock.monotonic()

    def end_within(self, seconds: float) -> list[str]:
        """Give running jobs this many seconds to end, and wait for them. Returns the name of the function of each job
        that is still running."""
        self._ends_at = clock.monotonic() + seconds
        with self._changed:
            self._changed.wait_for(lambda: not self._running, seconds)
            return list(self._running.values())

    def begin(self, function: str) -> int:
        """Count a job of this function as begun. Returns the job's number, which ``end`` takes."""
        with self._changed:
            self._count += 1
            self._running[self._count] = function
            return self._count

    def end(self, number: int) -> None:
        """Remove an ended job from the count."""
        with self._changed:
            del self._running[number]
            self._changed.notify_all()

    @contextlib.contextmanager
    def job(self, function: str) -> Iterator[None]:
        """Count a job of this function while the block runs."""
        number = self.begin(function)
        try:
            yield
        finally:
            self.end(number)

    def running(self) -> list[str]:
        """Return the name of the function of each running job."""
        with self._changed:
            return list(self._running.values())


class _Context(LambdaContext):
    """A Lambda context whose remaining time ends sooner when the process stops."""

    def __init__(self, jobs: Jobs, function: str) -> None:
        super().__init__(function, MEMORY_MB, max_runtime_ms=timeout_seconds(function) * 1000)
        self._jobs = jobs

    def get_remaining_time_in_millis(self) -> int:
        """Return the remaining time in milliseconds; 0 if no time is left."""
        return int(max(0.0, min(super().get_remaining_time_in_millis(), self._jobs.left() * 1000)))
