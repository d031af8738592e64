"""How rules word what they saw."""

from collections.abc import Iterable, Sequence
from typing import Final

LONGEST_QUOTE: Final = 160
_SPELLED: Final = "zero one two three four five six seven eight nine ten eleven twelve".split()
_PARTS: Final = {0.5: "half", 0.25: "a quarter", 0.2: "a fifth", 0.9: "nine tenths"}


def quoted(text: str, limit: int = LONGEST_QUOTE) -> str:
    """A text from the page in quotation marks, cut where it is long."""
    return f'"{text}"' if len(text) <= limit else f'"{text[: limit - 1].rstrip()}…"'


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 page``, ``3 pages``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def spelled(number: int) -> str:
    """A number in a sentence: ``four``; above twelve ``1,500``."""
    return _SPELLED[number] if number < len(_SPELLED) else f"{number:,}"


def part(share: float) -> str:
    """A share in a sentence: ``a fifth``; ``30%`` where there is no short word for it."""
    return _PARTS.get(share) or f"{share:.0%}"


def codes(statuses: Iterable[int], last: str = ", ") -> str:
    """Status codes in a sentence, in their order: ``401, 403, 429``. ``last`` precedes the last one."""
    *first, final = (str(status) for status in sorted(statuses))
    return f"{', '.join(first)}{last}{final}" if first else final


def listed(names: Sequence[str]) -> str:
    """``A``, ``A and B``, ``A, B and C``."""
    if len(names) <= 1:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def linked_from(count: int) -> str:
    """How many pages link the address, as the end of a sentence."""
    return f"{counted(count, 'page links', 'pages link')} to it"
