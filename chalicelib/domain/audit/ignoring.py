"""How people ignore an issue: all of it, or only some pages, chosen one by one or by a pattern of addresses.

Ignored pages stay stored with their issue and keep their part of the score. The issue's own members speak of its other
pages.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote, urlsplit

import msgspec

from chalicelib.domain.audit.link_units import units_of
from chalicelib.domain.audit.records import AffectedPage

# Of an issue. The issues of a website share one item, so that they have limits together too.
MOST_PAGES: Final = 100
MOST_PATTERNS: Final = 10
MOST_PATTERN: Final = 200  # characters, escaped
MOST_PAGES_OF_WEBSITE: Final = 1_000
MOST_PATTERNS_OF_WEBSITE: Final = 100
_UNESCAPED: Final = "/%*:?#[]@!$&'()+,;=~-._"


class Scope(msgspec.Struct, frozen=True):
    """The ignored pages of an issue: their ids, and patterns of addresses."""

    pages: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def holds(self, page_id: str, url: str) -> bool:
        """Whether a page is ignored."""
        return page_id in self.pages or any(matches(pattern, url) for pattern in self.patterns)


class Appearance(msgspec.Struct, frozen=True):
    """What an issue shows of its pages beside their number."""

    summary: str
    template: str | None
    importance: float
    impressions: int


class Aside(msgspec.Struct, frozen=True):
    """How many of the affected pages are ignored, and how many ``units`` their links are worth (see ``link_units``).
    ``whole``: what the issue shows when they are not ignored any more."""

    pages: int
    units: int
    whole: Appearance


class Ignored(msgspec.Struct, frozen=True):
    """The details of an ignored issue: since when (``at``), by whom (a person's id, None: the operator), why, and until
    when; None: until a person stops ignoring it. Times are epoch seconds. ``scope``: the pages that are ignored, None:
    all of them; ``aside``: those that the issue affects now, None: none."""

    at: float
    by: str | None
    reason: str | None
    until: float | None = None
    scope: Scope | None = None
    aside: Aside | None = None


class Parted(NamedTuple):
    """The affected pages of an issue that are not ignored, with what the issue shows of them."""

    others: Sequence[AffectedPage]
    shown: Appearance
    ignored: Ignored | None


def part(
    ignored: Ignored | None,
    affected: Sequence[AffectedPage],
    appearance: Callable[[Sequence[AffectedPage]], Appearance],
) -> Parted:
    """Part the pages of an issue. If all are ignored, the issue shows all."""
    whole = appearance(affected)
    if ignored is None or ignored.scope is None:
        return Parted(affected, whole, ignored)
    others = left(ignored, affected)
    if len(others) == len(affected):
        return Parted(affected, whole, msgspec.structs.replace(ignored, aside=None))
    kept = {page.url for page in others}
    units = units_of(page.evidence for page in affected if page.url not in kept)
    aside = Aside(len(affected) - len(others), units, whole)
    return Parted(others, appearance(others) if others else whole, msgspec.structs.replace(ignored, aside=aside))


def left(ignored: Ignored | None, affected: Sequence[AffectedPage]) -> list[AffectedPage]:
    """The pages without those ignored individually. If the whole issue is ignored, all its pages are left."""
    scope = None if ignored is None else ignored.scope
    return [page for page in affected if scope is None or not scope.holds(page.page_id, page.url)]


def matches(pattern: str, url: str) -> bool:
    """Whether the path of an address, with its query, is as the pattern says; ``*`` stands for any characters.

    Each piece between stars is looked for once, behind the one before it, so that no pattern is slow.
    """
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    first, *middle = pattern.split("*")
    if not middle:
        return path == pattern
    last = middle.pop()
    if not path.startswith(first) or len(path) < len(first) + len(last) or not path.endswith(last):
        return False
    at, end = len(first), len(path) - len(last)
    for piece in middle:
        at = path.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


def bad_pattern(pattern: str) -> str | None:
    """Why that is no pattern, in a sentence; None if it is one."""
    if not pattern.startswith(("/", "*")) or not pattern.isprintable() or " " in pattern:
        return "A pattern is a path in which * stands for any characters, such as /tag/*."
    if len(escaped(pattern)) > MOST_PATTERN:
        return f"A pattern has at most {MOST_PATTERN} characters, with letters such as ä escaped (%C3%A4)."
    if pattern != "/" and not pattern.strip("/*"):
        return "That pattern covers the whole website. Ignore all of the issue instead."
    return None


def escaped(pattern: str) -> str:
    """The pattern as addresses are written, with letters such as ä escaped."""
    return quote(pattern, safe=_UNESCAPED)
