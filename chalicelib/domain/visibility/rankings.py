"""Lists of brands in an answer: who stands where."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from chalicelib.domain.visibility.names import MOST_TEXT, Names

LONGEST_NAME: Final = 60  # characters of what begins an item; longer is a sentence, not a name
FEWEST_ITEMS: Final = 2

_ITEM: Final = re.compile(
    r"(?P<indent>[ \t]{0,12})(?:#{1,6}[ \t]+)?(?:(?P<number>\d{1,2})[.)．、][ \t]*|[-*•–‣][ \t]+)(?P<rest>\S.{0,400})"
)
_BOLD: Final = re.compile(r"(?:\*\*|__)(?P<name>[^*\n]{1,200}?)(?:\*\*|__)")
# Where the name of an item ends and what is said of it begins.
_NAME_ENDS: Final = re.compile(r"\s[–—-]\s|[:：(（]|\s→|—|\.\s|$")


class Ranking(NamedTuple):
    """Where a website stands in a list of brands. ``position`` counts from 1; None: it is not in the list. ``listed``:
    how many brands the list has; 0: the answer gives none."""

    position: int | None
    listed: int


def ranking(text: str, names: Names) -> Ranking:
    """The website's place in the answer's list of brands: of several lists, the first that has it, else the first.

    A list of brands numbers its items or has each begin with a name in bold.
    """
    first = 0
    for items in _lists(text[:MOST_TEXT]):
        for position, item in enumerate(items, 1):
            if names.in_text(item):
                return Ranking(position, len(items))
        first = first or len(items)
    return Ranking(None, first)


def _lists(text: str) -> Iterator[list[str]]:
    """The names that begin the items of each list, of the outermost items only."""
    items: list[tuple[int, bool, str]] = []
    for line in text.split("\n"):
        match = _ITEM.match(line)
        if match is None:
            if line.strip() and not line.startswith((" ", "\t")) and _ends(items):
                yield from _brands(items)
                items = []
            continue
        numbered = match["number"] is not None
        if numbered and int(match["number"]) == 1 and not match["indent"]:
            yield from _brands(items)
            items = []
        items.append((len(match["indent"].expandtabs(4)), numbered, match["rest"]))
    yield from _brands(items)


def _ends(items: list[tuple[int, bool, str]]) -> bool:
    """Whether a paragraph ends the list: one with numbers goes on behind it."""
    return bool(items) and not items[-1][1]


def _brands(items: list[tuple[int, bool, str]]) -> Iterator[list[str]]:
    if not items:
        return
    outermost = min(indent for indent, _, _ in items)
    kept = [(numbered, rest) for indent, numbered, rest in items if indent == outermost]
    if any(numbered for numbered, _ in kept):
        kept = [item for item in kept if item[0]]  # points below a numbered item, at its own indent
    found = [_name(rest, numbered) for numbered, rest in kept]
    brands = [name for name in found if name is not None]
    if len(brands) >= FEWEST_ITEMS and len(brands) == len(found):
        yield brands


def _name(rest: str, numbered: bool) -> str | None:
    """The name that begins an item; None where it begins with something else."""
    bold = _BOLD.match(rest)
    if bold is not None:
        name = bold["name"]
    elif numbered:
        name = rest[: next(match.start() for match in _NAME_ENDS.finditer(rest))]
    else:
        return None
    name = name.strip(" .:：")
    return name if name and len(name) <= LONGEST_NAME + 200 * ("](" in name) else None
