"""Makes concurrent requests whose answers are processed strictly in the order of the requests.

So an audit's result depends only on the website, not on the order in which answers arrive.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

WAKE_SECONDS = 5.0  # how often a waiting caller is asked whether to keep waiting

T = TypeVar("T")


class OrderedWindow(Generic[T]):
    """A queue of requests. An entry may have no request; it then only marks a place in the order.

    Leaving the ``with`` block cancels the requests that are still running.
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
        """Start a request, and add it to the end of the queue."""
        self._tasks.append(asyncio.ensure_future(question))
        self.pending += 1

    def skip(self) -> None:
        """Add an entry without a request to the end of the queue, to keep a place in the order."""
        self._tasks.append(None)

    async def arrives(self, go_on: Callable[[], bool]) -> bool:
        """Wait until the first request has its answer.

        ``go_on`` is called every few seconds. If it returns False, this function returns False. An exception of
        ``go_on`` also ends the waiting.
        """
        task = self._tasks[0]
        while task is not None and not task.done():
            if not go_on():
                return False
            await asyncio.wait({task}, timeout=WAKE_SECONDS)
        return True

    def take(self) -> T | None:
        """Remove the first entry. Returns its answer, or None if it has no request. Raises the request's error.

        The answer must have arrived before the call.
        """
        task = self._tasks.popleft()
        if task is None:
            return None
        self.pending -= 1
        return task.result()
