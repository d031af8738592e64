"""Compares a written value with the live page. It distinguishes differences that do not matter (differences of form)
from real ones.

Titles and descriptions count as equal if they differ only in letter case, spaces, character entities, curly quotes or
dashes. Content management systems and themes change these before visitors see them.
"""

import html
import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from chalicelib.domain.crawl.urls import normalise
from chalicelib.domain.page import directives
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.images import numbered
from chalicelib.domain.page.text import mask_emails
from chalicelib.domain.suggestion import PageField

_QUOTES: Final = str.maketrans(dict.fromkeys("‘’‚‛′´`", "'") | dict.fromkeys("“”„‟″«»", '"'))
_DASHES: Final = re.compile("[-\u2010-\u2015\u2212]+")  # in some systems "--" makes a dash
_ENTITY_ROUNDS: Final = 2  # an ampersand may have been escaped once too often


class Difference(NamedTuple):
    """A difference that does not matter, such as letter case: its name in words, and a function that removes it from a
    text."""

    name: str
    without: Callable[[str], str]


def _unescaped(text: str) -> str:
    for _ in range(_ENTITY_ROUNDS):
        text = html.unescape(text)
    return text


# In the order in which they are removed: entities stand for spaces, quotes and dashes too.
DIFFERENCES: Final = (
    Difference("character entities", _unescaped),
    Difference("curly quotes", lambda text: text.translate(_QUOTES)),
    Difference("dash styles", lambda text: _DASHES.sub("-", text)),
    Difference("extra spaces", lambda text: " ".join(text.split())),
    Difference("letter case", lambda text: text.casefold()),
)


class Wanted(NamedTuple):
    """The value that a page should show.

    - ``value``: None means the website's own default.
    - ``gone``: a value that the page must not show any more.
    - ``key``: identifies the image or redirect, as in ``Change``.

    If both ``value`` and ``gone`` are given, one of them suffices: the page shows ``value`` or no longer shows
    ``gone``. The reason: ``value`` may be a pattern with variables, and pages show only the result.
    """

    field: PageField
    value: str | None
    gone: str | None = None
    key: str | None = None


class Seen(NamedTuple):
    """The value that the page shows, compared with the wanted value.

    - ``form``: the names of the differences of form, such as letter case; None if there are none.
    - ``absent``: whether the page cannot show the value, for example because the image is gone.
    """

    live: bool
    value: str | None
    form: str | None = None
    absent: bool = False


def same_text(wanted: str, shown: str) -> tuple[bool, list[str]]:
    """Return whether the two texts are equal except for their form, and the names of the differences of form."""
    if wanted == shown:
        return True, []
    if _plain(wanted, DIFFERENCES) != _plain(shown, DIFFERENCES):
        return False, []
    needed = [
        one.name
        for one in DIFFERENCES
        if _plain(wanted, [other for other in DIFFERENCES if other is not one])
        != _plain(shown, [other for other in DIFFERENCES if other is not one])
    ]
    # Several differences may hide each other: then all that apply to the two texts are named.
    both = {wanted, shown}
    return True, needed or [one.name for one in DIFFERENCES if {one.without(text) for text in both} != both]


def _plain(text: str, steps: Sequence[Difference]) -> str:
    for step in steps:
        text = step.without(text)
    return text


def look(page: PageFacts, wanted: Wanted, now: float) -> Seen:
    """Compare the field on the page with the wanted value. ``now`` (epoch seconds) decides which robots directives with
    an end date have expired."""
    seen = _look(page, wanted, now)
    if seen.live or wanted.value is None or wanted.gone is None:
        return seen
    return _look(page, wanted._replace(value=None), now)


def _look(page: PageFacts, wanted: Wanted, now: float) -> Seen:
    if wanted.field == "noindex":
        return _noindex(page, wanted, now)
    if wanted.field == "canonical":
        return _canonical(page, wanted)
    if wanted.field == "alt":
        return _alt(page, wanted)
    return _text(page.title if wanted.field == "title" else page.description, wanted)


def _text(shown: str | None, wanted: Wanted) -> Seen:
    if wanted.value is None:
        still = wanted.gone is not None and shown is not None and same_text(mask_emails(wanted.gone), shown)[0]
        return Seen(not still, shown)
    if shown is None:
        return Seen(False, None)
    live, form = same_text(mask_emails(wanted.value), shown)
    return Seen(live, shown, "; ".join(form) or None)


def _canonical(page: PageFacts, wanted: Wanted) -> Seen:
    """Compare the canonical address. All canonical tags and headers of the page must agree, since search engines ignore
    contradicting ones."""
    shown = [absolute or written for written, absolute, _ in page.canonicals]
    if wanted.value is None:
        # Many systems name the page itself by default, so the same address does not prove that a value is set.
        gone = None if wanted.gone in (None, page.url) else normalise(wanted.gone or "")
        return Seen(gone is None or gone not in shown, shown[0] if shown else None)
    expected = normalise(wanted.value) or wanted.value
    other = next((address for address in shown if address != expected), None)
    if other is not None or not shown:
        return Seen(False, other)
    written = page.canonicals[0][0]
    return Seen(True, expected, None if written == wanted.value else "the way the address is written")


def _alt(page: PageFacts, wanted: Wanted) -> Seen:
    """Compare the alt text of an image, found by its address and occurrence. After an empty alt text is undone, the
    CMS may print an empty alt text itself. The undo then counts as live."""
    image = next((one.image for one in numbered(page.images) if one.key == wanted.key), None)
    if image is None:
        return Seen(wanted.value is None, None, absent=True)
    if wanted.value is None:
        return Seen(not wanted.gone or _text(image.alt, wanted).live, image.alt)
    return _text(image.alt, wanted)


def _noindex(page: PageFacts, wanted: Wanted, now: float) -> Seen:
    found = directives.read(page.robots_meta, page.headers.get("x-robots-tag"), now).noindex is not None
    shown = "true" if found else "false"
    if wanted.value is None:
        return Seen(wanted.gone != "true" or not found, shown)
    return Seen(shown == wanted.value, shown)
