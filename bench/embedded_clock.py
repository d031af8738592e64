"""What the embedded AWS costs, taken apart from what the service itself costs."""

import threading
import time
from typing import Any

from local import embedded


class EmbeddedClock:
    """Adds up, from its making on, the CPU seconds and the calls inside the embedded AWS of this process.

    In production that work is done on AWS's machines. Serialising, signing and reading the answers in botocore is the
    service's own work and is not part of it.
    """

    def __init__(self) -> None:
        self.cpu = 0.0
        self.calls = 0
        self._lock = threading.Lock()
        self._inner = embedded.dispatch
        embedded.dispatch = self._timed

    def stop(self) -> None:
        """Stops counting."""
        embedded.dispatch = self._inner

    def _timed(self, target: str, body: bytes, url: str) -> Any:
        began = time.thread_time()
        try:
            return self._inner(target, body, url)
        finally:
            with self._lock:
                self.cpu += time.thread_time() - began
                self.calls += 1
