"""Concurrent requests whose answers are processed strictly in the order of the requests.

So an audit's outcome depends on the website alone, and not on which answer happened to come first.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

WAKE_SECONDS = 5.0  # how often a waiting caller is asked whether to keep waiting

T = TypeVar("T")


class OrderedWindow(Generic[T]):
    """A queue of requests. Some have no answer to wait for: they only keep their place in the order.

    Leaving the ``with`` block drops the requests that are still running.
    """

    def __init__(self) -> None:
        self._tasks: deque[asyncio.Task[T] | None] = deque()
        self.pending = 0  # requests whose answer has not been taken

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            if task is not None:
                task.cancel()

    def __len__(self) -> int:
        return len(self._tasks)

    def ask(self, question: Coroutine[Any, Any, T]) -> None:
        """Start a request, behind all others."""
        self._tasks.append(asyncio.ensure_future(question))
        self.pending += 1

    def skip(self) -> None:
        """Keep a place in the order that needs no answer."""
        self._tasks.append(None)

    async def arrives(self, go_on: Callable[[], bool]) -> bool:
        """Wait until the first request has its answer. ``go_on`` is called every few seconds; returns False when it
        does.

        An exception of ``go_on`` ends the waiting too.
        """
        task = self._tasks[0]
        while task is not None and not task.done():
            if not go_on():
                return False
            await asyncio.wait({task}, timeout=WAKE_SECONDS)
        return True

    def take(self) -> T | None:
        """The first answer, which has arrived, or None for a skipped place. Raises the request's error."""
        task = self._tasks.popleft()
        if task is None:
            return None
        self.pending -= 1
        return task.result()
