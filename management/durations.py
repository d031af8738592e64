"""Parses durations as people write them: 90s, 15m, 2h, 8d."""

import re

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_DURATION = re.compile(r"(\d{1,9})([smhd])")


def seconds(text: str) -> int | None:
    """Parse a duration to seconds. Returns None if it is invalid."""
    match = _DURATION.fullmatch(text.strip().lower())
    return None if match is None else int(match[1]) * _UNITS[match[2]]
