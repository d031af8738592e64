"""The undos of the stand-in for a CMS: a token holds hashes; the values themselves are kept here."""

import hashlib
import json
from typing import Final

MOST: Final = 1_000  # values
FOREIGN: Final = "The stand-in did not give this undo."
CHANGED: Final = "The value was changed on the website since."
LOST: Final = "What stood there before is no longer kept."
_NONE: Final = "none"  # instead of a hash: no value


class Undos:
    """Values from before a change, newest last."""

    def __init__(self) -> None:
        self._before: dict[str, str] = {}

    def token(self, before: str | None, left: str | None) -> str:
        """Keep ``before`` and return a token that restores it while the value is still ``left``."""
        if before is not None:
            self._before.pop(_digest(before), None)
            self._before[_digest(before)] = before
            if len(self._before) > MOST:
                del self._before[next(iter(self._before))]
        return json.dumps({"before": _digest(before), "left": _digest(left)})

    def why_not(self, token: str, now: str | None, sent: str | None) -> str | None:
        """Why the token cannot restore a value; None if it can. ``sent``: the earlier value, sent by the service."""
        found = _read(token)
        if found is None:
            return FOREIGN
        if found["left"] != _digest(now):
            return CHANGED
        return None if found["before"] in (_NONE, *self._before, _digest(sent)) else LOST

    def value(self, token: str, sent: str | None) -> str | None:
        """The value that a token restores. Call it only if ``why_not`` is None."""
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
