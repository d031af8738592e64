"""Splits a title into the part about the page and the website's name before or after it."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from chalicelib.domain.page.text import fold
from chalicelib.suggestions.words import key_of

_SEPARATOR: Final = re.compile(r"\s*[|\uff5c]\s*|\s+(?:::|-{1,3}|[»›•·–—])\s+")
_GUILLEMETS: Final = re.compile(r"[«‹]")
_QUOTED_SEPARATOR: Final = re.compile(r"\s*[|\uff5c]\s*|\s+(?:::|-{1,3}|[•·–—])\s+")  # where » closes a quotation
_BEGINNING: Final = re.compile(r"\s*[|\uff5c]\s*|\s+(?:::|-{1,3}|[»›•·–—])\s+|:\s+")
# Endings without a separator: "Test (Acme API)", "Arrays: Acme Reference Manual".
_NAMED_ENDING: Final = re.compile(r"(?<=[^\s(]) \((?:[^()]|\([^()]{0,40}\)){2,60}\)$|(?<=[^\s:]): [^:]{2,60}$")
_SHORTEST_NAME: Final = 3
NAME_MARK: Final = " | "  # put before the website's name if its titles have no separator


class SharedTitle(NamedTuple):
    """The common part of a website's titles.

    - ``ending``: the shared ending with its separator (" | Acme").
    - ``beginning``: the shared beginning ("Acme: "), if there is no shared ending.
    - ``names``: names of the website, as ``key_of`` returns them.
    - ``stock``: titles that name no page, such as "Home".
    - ``endings``: title endings that only some pages have in common, such as the pages of one section.
    - ``name``: the name that the website gives itself, if its titles share neither an ending nor a beginning.

    ``stock`` and ``endings`` are normalized by ``fold``.
    """

    ending: str | None = None
    names: frozenset[str] = frozenset()
    stock: frozenset[str] = frozenset()
    beginning: str | None = None
    endings: frozenset[str] = frozenset()
    name: str | None = None


class Parts(NamedTuple):
    """The parts of a title: ``body``, and the website's name with its separators before it (``lead``) or after it
    (``tail``)."""

    lead: str
    body: tuple[str, ...]
    separators: tuple[str, ...]  # one before each part of the body except the first
    tail: str

    def first(self, count: int, *, named: bool, body: Sequence[str] | None = None) -> str:
        """Return the first ``count`` parts of the title, with or without the website's name (``named``)."""
        parts = self.body if body is None else body
        text = "".join((self.separators[at - 1] if at else "") + parts[at] for at in range(count))
        return f"{self.lead}{text}{self.tail}" if named else text


@lru_cache(maxsize=64)  # a title is split several times
def parts_of(title: str, shared: SharedTitle) -> Parts | None:
    """Split a title into its parts. Returns None if the title is only the website's name."""
    lead = _beginning_of(title, shared.beginning)
    title = title[len(lead) :]
    stem = None if lead else _before_ending(title, shared)
    pieces, separators = _split(title if stem is None else stem)
    tail_at, tail = len(pieces), "" if stem is None else title[len(stem) :]
    if stem is None and len(pieces) > 1 and key_of(pieces[-1]) in shared.names:
        tail_at -= 1
        tail = separators[-1] + pieces[-1]
    named_first = not lead and not tail and len(pieces) > 1 and key_of(pieces[0]) in shared.names
    lead_at = 1 if named_first else 0
    if lead_at >= tail_at or not pieces[lead_at]:
        return None
    if named_first:
        lead = pieces[0] + separators[0]
    return Parts(lead, tuple(pieces[lead_at:tail_at]), tuple(separators[lead_at : tail_at - 1]), tail)


def without_names(title: str, shared: SharedTitle) -> str:
    """Return a title without the website's name at its end or beginning."""
    parts = parts_of(title, shared) if title else None
    return "" if parts is None else parts.first(len(parts.body), named=False)


def without_name(heading: str, shared: SharedTitle) -> str:
    """Return a heading without its first or last part, if that part is the website's name or a part of the name.

    On the website "GNU Acme", "Acme — News" becomes "News".
    """
    pieces, separators = _split(heading)
    name = key_of(shared.ending or shared.beginning or shared.name or "")
    if len(pieces) < 2 or not name:
        return heading
    if len(first := key_of(pieces[0])) >= _SHORTEST_NAME and first in name:
        return heading[len(pieces[0] + separators[0]) :]
    if len(last := key_of(pieces[-1])) >= _SHORTEST_NAME and last in name:
        return heading[: -len(separators[-1] + pieces[-1])]
    return heading


def endings_of(title: str) -> Iterator[str]:
    """Yield the last part of a title with the separator before it, then the last two parts with the separator before
    them."""
    starts = [match.start() for match in _SEPARATOR.finditer(title) if match.start() > 0 and match.end() < len(title)]
    for start in reversed(starts[-2:]):
        yield title[start:]


def named_endings_of(title: str) -> Iterator[str]:
    """Yield the last part of a title: the text in brackets at its end, or the text from the last colon on.

    If the last part begins with a colon, then yield the text from the second-last colon on.
    """
    match = _NAMED_ENDING.search(title)
    if match is not None:
        yield match[0]
        before = _NAMED_ENDING.search(title[: match.start()]) if match[0][0] == ":" else None
        if before is not None and before[0][0] == ":":
            yield title[before.start() :]


def pieces_of(title: str) -> list[str]:
    """Return the parts of a title between its separators."""
    return _split(title)[0]


def beginning_of(title: str) -> str | None:
    """Return the first part of a title with the separator after it. Returns None if the title has only one part."""
    match = _BEGINNING.search(title)
    return title[: match.end()] if match is not None and match.start() > 0 and match.end() < len(title) else None


def _beginning_of(title: str, beginning: str | None) -> str:
    """Return the beginning in the title's letter case. Returns "" if the title begins differently."""
    if not beginning or len(title) <= len(beginning):
        return ""
    found = title[: len(beginning)]
    return found if fold(found) == fold(beginning) and found[-1].isspace() else ""


def _before_ending(title: str, shared: SharedTitle) -> str | None:
    """Return the title's text before the shared ending, which may be in any letter case. Returns None if the title does
    not have that ending."""
    ending = shared.ending
    if ending and len(title) >= len(ending) and fold(title[-len(ending) :]) == fold(ending):
        return title[: -len(ending)].rstrip()
    found = None
    if shared.endings:
        for candidate in endings_of(title):
            if fold(candidate) in shared.endings:
                found = title[: -len(candidate)].rstrip()
    return found


def _split(title: str) -> tuple[list[str], list[str]]:
    """Return the parts of a title, and the separators between them as written."""
    pattern = _QUOTED_SEPARATOR if _GUILLEMETS.search(title) else _SEPARATOR
    pieces: list[str] = []
    separators: list[str] = []
    end = 0
    for match in pattern.finditer(title):
        if match.start() == 0 or match.end() == len(title):
            continue
        pieces.append(title[end : match.start()])
        separators.append(match[0])
        end = match.end()
    pieces.append(title[end:])
    return pieces, separators
