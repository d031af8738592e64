"""How the store refuses."""

from typing import Any


class Conflict(Exception):
    """A condition did not hold, so nothing was written.

    ``failed`` maps the index of each write whose condition failed to the item as it was (None: there was none).
    """

    def __init__(self, failed: dict[int, dict[str, Any] | None]) -> None:
        super().__init__(f"conditions failed: {sorted(failed)}")
        self.failed = failed
