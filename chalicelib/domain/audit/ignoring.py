"""How people ignore an issue: as a whole, on single pages, or on all pages whose address matches a pattern.

Ignored pages stay stored with their issue and still count in the score. The counts and examples of the issue are those
of the other pages.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote, urlsplit

import msgspec

from chalicelib.domain.audit.link_units import units_of
from chalicelib.domain.audit.records import AffectedPage

# Limits of one issue, and of a website: its issues share one stored item.
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
        """Whether the scope includes this page: by its id, or by a pattern of its address."""
        return page_id in self.pages or any(matches(pattern, url) for pattern in self.patterns)


class Appearance(msgspec.Struct, frozen=True):
    """The summary, template, importance and impressions of an issue, computed from its affected pages."""

    summary: str
    template: str | None
    importance: float
    impressions: int


class Aside(msgspec.Struct, frozen=True):
    """The ignored pages among an issue's affected pages.

    - ``pages``: how many there are.
    - ``units``: the weight of the faulty links on these pages (see ``link_units``).
    - ``whole``: the issue's summary and figures with these pages included.
    """

    pages: int
    units: int
    whole: Appearance


class Ignored(msgspec.Struct, frozen=True):
    """A person's decision to ignore an issue or some of its pages. Times are epoch seconds.

    - ``at``: when the ignoring began.
    - ``by``: the person's id; None for the operator.
    - ``until``: when the ignoring ends; None if only a person ends it.
    - ``scope``: the ignored pages; None if the whole issue is ignored.
    - ``aside``: the ignored pages that the issue affects now; None if there are none.
    """

    at: float
    by: str | None
    reason: str | None
    until: float | None = None
    scope: Scope | None = None
    aside: Aside | None = None


class Parted(NamedTuple):
    """The result of ``part``.

    - ``others``: the affected pages that are not ignored.
    - ``shown``: the issue's summary and figures, computed from these pages.
    - ``ignored``: the decision to ignore the issue or some of its pages; None if there is none.
    """

    others: Sequence[AffectedPage]
    shown: Appearance
    ignored: Ignored | None


def part(
    ignored: Ignored | None,
    affected: Sequence[AffectedPage],
    appearance: Callable[[Sequence[AffectedPage]], Appearance],
) -> Parted:
    """Separate the ignored pages of an issue from its other pages. If every page is ignored, the issue's summary
    describes all of them."""
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
    """Return the affected pages that are not in the scope of ``ignored``.

    If the whole issue is ignored, all of its pages are returned.
    """
    scope = None if ignored is None else ignored.scope
    return [page for page in affected if scope is None or not scope.holds(page.page_id, page.url)]


def matches(pattern: str, url: str) -> bool:
    """Whether the path of an address, with its query, matches the pattern. ``*`` matches any characters.

    The pieces of the pattern between the stars are searched for in order, each once, so that no pattern is slow.
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
    """Return in one sentence why the text is not a valid pattern; None if it is valid."""
    if not pattern.startswith(("/", "*")) or not pattern.isprintable() or " " in pattern:
        return "A pattern is a path in which * stands for any characters, such as /tag/*."
    if len(escaped(pattern)) > MOST_PATTERN:
        return f"A pattern has at most {MOST_PATTERN} characters, with letters such as ä escaped (%C3%A4)."
    if pattern != "/" and not pattern.strip("/*"):
        return "That pattern covers the whole website. Ignore all of the issue instead."
    return None


def escaped(pattern: str) -> str:
    """Return the pattern with letters such as ä percent-encoded, as in URLs."""
    return quote(pattern, safe=_UNESCAPED)
