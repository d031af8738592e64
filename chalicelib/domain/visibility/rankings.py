"""Lists of brands in an answer, and the website's position in them."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from chalicelib.domain.visibility.names import MOST_TEXT, Names

LONGEST_NAME: Final = 60  # characters of an item's beginning; a longer one is a sentence, not a name
FEWEST_ITEMS: Final = 2

_ITEM: Final = re.compile(
    r"(?P<indent>[ \t]{0,12})(?:#{1,6}[ \t]+)?(?:(?P<number>\d{1,2})[.)．、][ \t]*|[-*•–‣][ \t]+)(?P<rest>\S.{0,400})"
)
_BOLD: Final = re.compile(r"(?:\*\*|__)(?P<name>[^*\n]{1,200}?)(?:\*\*|__)")
# Separates the name of an item from its description.
_NAME_ENDS: Final = re.compile(r"\s[–—-]\s|[:：(（]|\s→|—|\.\s|$")


class Ranking(NamedTuple):
    """A website's position in a list of brands.

    - ``position``: counted from 1; None if the website is not in the list.
    - ``listed``: how many brands the list has; 0 if the answer has no list.
    """

    position: int | None
    listed: int


def ranking(text: str, names: Names) -> Ranking:
    """Find the website's position in the answer's list of brands. The first list that contains the website is used. If
    no list contains it, the first list is used.

    A list of brands has numbered items, or items that begin with a name in bold.
    """
    first = 0
    for items in _lists(text[:MOST_TEXT]):
        for position, item in enumerate(items, 1):
            if names.in_text(item):
                return Ranking(position, len(items))
        first = first or len(items)
    return Ranking(None, first)


def _lists(text: str) -> Iterator[list[str]]:
    """Yield the names at the beginning of the items of each list. Nested items are left out."""
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
    """Whether a paragraph ends the list. A list with numbers continues after a paragraph."""
    return bool(items) and not items[-1][1]


def _brands(items: list[tuple[int, bool, str]]) -> Iterator[list[str]]:
    if not items:
        return
    outermost = min(indent for indent, _, _ in items)
    kept = [(numbered, rest) for indent, numbered, rest in items if indent == outermost]
    if any(numbered for numbered, _ in kept):
        kept = [item for item in kept if item[0]]  # drop bullet points below a numbered item at the same indent
    found = [_name(rest, numbered) for numbered, rest in kept]
    brands = [name for name in found if name is not None]
    if len(brands) >= FEWEST_ITEMS and len(brands) == len(found):
        yield brands


def _name(rest: str, numbered: bool) -> str | None:
    """Return the name at the beginning of an item; None if the item begins with something else."""
    bold = _BOLD.match(rest)
    if bold is not None:
        name = bold["name"]
    elif numbered:
        name = rest[: next(match.start() for match in _NAME_ENDS.finditer(rest))]
    else:
        return None
    name = name.strip(" .:：")
    return name if name and len(name) <= LONGEST_NAME + 200 * ("](" in name) else None
