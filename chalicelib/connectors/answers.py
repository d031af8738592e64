"""Reads answers of outside systems: their JSON and their error messages."""

import math
import re
from collections.abc import Iterable
from typing import Final, TypeVar

import msgspec

from chalicelib import typed
from chalicelib.domain.hiding import without
from chalicelib.domain.printable import printable

MOST_REASON: Final = 200  # characters of an outside system's message that are kept
MOST: Final = 1e15  # the largest number: sums of many stay exact and need no exponent
_DIGITS: Final = re.compile(r"[0-9]{1,16}", re.ASCII)
_DECIMAL: Final = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?([eE][-+]?[0-9]{1,3})?", re.ASCII)
_READ: Final = 16 * 1024  # characters of an error message that are read

Wire = TypeVar("Wire")


def decoded(body: bytes | msgspec.Raw, wire: type[Wire]) -> Wire:
    """Decode the JSON of an answer. Raises ``ValueError`` if the text is not UTF-8, is not JSON, has brackets that are
    nested too deeply, or does not fit the type ``wire``."""
    try:
        return typed.from_json(body, wire)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def count_in(text: str) -> int:
    """Parse a count. Raises ``ValueError`` if the text has characters other than digits, or the count is above
    ``MOST``."""
    if _DIGITS.fullmatch(text) is None or int(text) > MOST:
        raise ValueError("no count")
    return int(text)


def number_in(text: str, *, least: float = 0.0, most: float = MOST) -> float:
    """Parse a decimal number. Raises ``ValueError`` if the number is outside the range, or the text is not a number.
    Texts that only Python accepts, such as ``nan`` and ``1_0``, are refused too."""
    number = float(text) if _DECIMAL.fullmatch(text) else math.nan
    if not least <= number <= most:
        raise ValueError("no number in its range")
    return number


def in_one_line(text: str, hidden: Iterable[str]) -> str:
    """Shorten the text to one printable line, without any of the ``hidden`` secrets."""
    # Secrets are removed before the text is cut, since a cut could leave a part of one.
    safe = without(text, dict.fromkeys(hidden, "…"))
    return printable(printable(safe, _READ), MOST_REASON) or "no reason given"
