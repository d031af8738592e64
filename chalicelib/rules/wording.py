"""Phrases for the messages of rules."""

from collections.abc import Iterable, Sequence
from typing import Final

LONGEST_QUOTE: Final = 160
_SPELLED: Final = "zero one two three four five six seven eight nine ten eleven twelve".split()
_PARTS: Final = {0.5: "half", 0.25: "a quarter", 0.2: "a fifth", 0.9: "nine tenths"}


def quoted(text: str, limit: int = LONGEST_QUOTE) -> str:
    """Return a text from the page in quotation marks, cut if it is long."""
    return f'"{text}"' if len(text) <= limit else f'"{text[: limit - 1].rstrip()}…"'


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: ``1 page``, ``3 pages``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def spelled(number: int) -> str:
    """Return a number as a sentence writes it: ``four``. Numbers above twelve are in digits: ``1,500``."""
    return _SPELLED[number] if number < len(_SPELLED) else f"{number:,}"


def part(share: float) -> str:
    """Return a share as a sentence writes it: ``a fifth``. If there is no short word for the share, the result is a
    percentage: ``30%``."""
    return _PARTS.get(share) or f"{share:.0%}"


def codes(statuses: Iterable[int], last: str = ", ") -> str:
    """Return status codes as a sentence lists them, in order: ``401, 403, 429``. ``last``: the word before the last
    code, such as "or"."""
    *first, final = (str(status) for status in sorted(statuses))
    return f"{', '.join(first)}{last}{final}" if first else final


def listed(names: Sequence[str]) -> str:
    """Join names as a sentence does: ``A``, ``A and B``, ``A, B and C``."""
    if len(names) <= 1:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def linked_from(count: int) -> str:
    """Return how many pages link to the address, as the end of a sentence."""
    return f"{counted(count, 'page links', 'pages link')} to it"
