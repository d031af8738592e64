"""How rules word what they saw."""

from collections.abc import Sequence

LONGEST_QUOTE = 160


def quoted(text: str, limit: int = LONGEST_QUOTE) -> str:
    """A text from the page in quotation marks, cut where it is long."""
    return f'"{text}"' if len(text) <= limit else f'"{text[: limit - 1].rstrip()}…"'


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 page``, ``3 pages``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(names: Sequence[str]) -> str:
    """``A``, ``A and B``, ``A, B and C``."""
    if len(names) <= 1:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def linked_from(count: int) -> str:
    """How many pages link the address, as the end of a sentence."""
    return f"{counted(count, 'page links', 'pages link')} to it"
