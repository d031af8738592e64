"""How much of a run's processor time is spent inside named functions."""

import functools
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

MEASURED_CALLS = 20_000


class Spent:
    """Processor seconds of this thread by name. What one named function calls of another counts for the outer one."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self._inside = False
        self._cost = self._of_one_call()

    def _of_one_call(self) -> float:
        """What is measured of a function that does nothing: the measuring itself."""
        nothing = self._watched("", int)
        for _ in range(MEASURED_CALLS):
            nothing()
        return self.seconds.pop("") / self.calls.pop("")

    def net(self) -> dict[str, float]:
        """The seconds by name, without those of the measuring."""
        return {name: seconds - self.calls[name] * self._cost for name, seconds in self.seconds.items()}

    def measuring(self) -> float:
        """The seconds that the measuring took, as far as they were measured."""
        return self.calls.total() * self._cost

    def watch(self, name: str, owner: Any, *functions: str) -> None:
        """Count the calls of these functions of a class or a module under ``name``, from now on."""
        for function in functions:
            setattr(owner, function, self._watched(name, getattr(owner, function)))

    def _watched(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        seconds, calls, clock = self.seconds, self.calls, time.thread_time

        @functools.wraps(function)
        def watched(*arguments: Any, **options: Any) -> Any:
            if self._inside:
                return function(*arguments, **options)
            self._inside = True
            calls[name] += 1
            began = clock()
            try:
                return function(*arguments, **options)
            finally:
                seconds[name] += clock() - began
                self._inside = False

        return watched
