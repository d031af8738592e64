"""Undo tokens of the stand-in of a CMS. A token contains hashes; the values themselves are stored here."""

import hashlib
import json
from typing import Final

MOST: Final = 1_000  # values that are stored
FOREIGN: Final = "This undo does not come from the stand-in."
CHANGED: Final = "The value has been changed on the website since then."
LOST: Final = "The value before the change is no longer stored."
_NONE: Final = "none"  # used instead of a hash if there is no value


class Undos:
    """Stores the value that each change replaced, but only the latest ``MOST`` of these values."""

    def __init__(self) -> None:
        self._before: dict[str, str] = {}

    def token(self, before: str | None, left: str | None) -> str:
        """Store the value ``before`` a change, and return a token that restores it. The token works only while the
        current value is the value that the change wrote (``left``)."""
        if before is not None:
            self._before.pop(_digest(before), None)
            self._before[_digest(before)] = before
            if len(self._before) > MOST:
                del self._before[next(iter(self._before))]
        return json.dumps({"before": _digest(before), "left": _digest(left)})

    def why_not(self, token: str, now: str | None, sent: str | None) -> str | None:
        """Return why the token cannot restore a value; None if it can restore one.

        - ``now``: the current value.
        - ``sent``: the earlier value, if the service sent it with the undo.
        """
        found = _read(token)
        if found is None:
            return FOREIGN
        if found["left"] != _digest(now):
            return CHANGED
        return None if found["before"] in (_NONE, *self._before, _digest(sent)) else LOST

    def value(self, token: str, sent: str | None) -> str | None:
        """Return the value that a token restores. Call this only if ``why_not`` returned None."""
        before = (_read(token) or {"before": _NONE})["before"]
        return None if before == _NONE else self._before.get(before, sent)


def _digest(value: str | None) -> str:
    return _NONE if value is None else hashlib.sha256(value.encode()).hexdigest()


def _read(token: str) -> dict[str, str] | None:
    try:
        found = json.loads(token)
    except ValueError:
        return None
    return found if isinstance(found, dict) and found.keys() == {"before", "left"} else None
