"""The valid values of a ``Content-Signal`` or ``Content-Usage`` line, and the invalid parts of a line.

There are two standards with different words: Cloudflare's Content Signals, and the IETF's usage preferences (AIPREF).
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from chalicelib.domain.crawl.robots import Signal, statements

_YES_NO: Final = ("yes", "no")
_Y_N: Final = ("y", "n")
SETTINGS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "content-signal": {
        "search": _YES_NO,
        "ai-input": _YES_NO,
        "ai-train": _YES_NO,
        "use": ("immediate", "reference", "full"),  # how much of the content an assistant may take
    },
    "content-usage": {"bots": _Y_N, "train-ai": _Y_N, "train-genai": _Y_N, "ai-output": _Y_N, "search": _Y_N},
}
_NAMES: Final = {"content-signal": "Content-Signal", "content-usage": "Content-Usage"}
_OTHER: Final = {"content-signal": "content-usage", "content-usage": "content-signal"}
_WHOLE: Final = 200  # characters kept of a value; the last word of a longer value may be cut


class Fault(NamedTuple):
    """A part of a line that crawlers do not understand, and why, in words."""

    part: str
    why: str


def faults_of(signal: Signal) -> list[Fault]:
    """Return the faulty parts of a line: malformed parts, values that a key does not take, misspelt keys, and keys that
    belong to the other standard (such as a key of ``Content-Usage`` in a ``Content-Signal`` line).

    Unknown keys are accepted, because both standards grow.
    """
    parts = statements(signal.value)
    if signal.field == "content-usage" and parts and parts[0].startswith("/"):
        del parts[0]  # the path that the preferences are for
    if not parts:
        return [Fault("", "it says nothing")]
    if len(signal.value) >= _WHOLE:
        del parts[-1]
    return [Fault(part, why) for part in parts if (why := _why(signal.field, part)) is not None]


def _why(field: str, part: str) -> str | None:
    """Return why a part is not understood; None if it is understood."""
    known, others = SETTINGS[field], SETTINGS[_OTHER[field]]
    key, equals, setting = part.partition("=")
    setting = setting.partition(";")[0]
    if not equals or not key or not setting:
        return f"it is not a pair such as {_example(field)}"
    if key in known:
        return None if setting in known[key] else f"{key} takes {', '.join(known[key][:-1])} or {known[key][-1]}"
    if key in others:
        return f"{key} is a key of {_NAMES[_OTHER[field]]}"
    meant = key.replace("_", "-")
    return f"{meant} is what is meant" if meant in known else None


def _example(field: str) -> str:
    key, settings = next(iter(SETTINGS[field].items()))
    return f"{key}={settings[0]}"
