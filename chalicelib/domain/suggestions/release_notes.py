"""Descriptions of the notes on a release: its name, and the first of the changes that the page lists."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestions.fitting import is_long_enough, not_too_long
from chalicelib.domain.suggestions.lexicon import ALL_STOP_WORDS
from chalicelib.domain.suggestions.prose import is_prose
from chalicelib.domain.suggestions.sentences import points_elsewhere, sentences_of
from chalicelib.domain.suggestions.words import ends_well

_IDENTIFIER: Final = re.compile(r"\w*_\w+")
_TICKET: Final = re.compile(r"\s\(?(?:tickets?|bugs?|issues?|bugzilla) #?\w*\d\w*\.?\)?\.?$", re.IGNORECASE)
_DATE: Final = re.compile(r"\s(?:(?:on|vom|du|del|of|from)\s)?\(?\d{4}-\d{2}-\d{2}\)?$", re.IGNORECASE)
_LABEL_BEHIND: Final = re.compile(r"\s[A-Z][a-z]+(?:\s[a-z]+)?:$")  # of what is listed inside the item
# Of what is no more than the rest: nothing to begin with.
_REST: Final = re.compile(
    r"(?:various|other|misc(?:ellaneous)?|numerous"
    r"|(?:(?:cherrypick )?fix(?:es)?(?: for)?|several|many|some|two) (?:various )?other)\b",
    re.IGNORECASE,
)
_SEE: Final = re.compile(r"(?:^|[.!]\s)See\s")
_STOPS: Final = (".", "!", ".)", "\u3002")
_ASKS: Final = ("?", "\uff1f", "\u061f")
_FEWEST_WORDS: Final = 4  # of a change


def changes(name: str, items: Sequence[str]) -> str | None:
    """The name of a release with as many of the changes as fit, in their order; None where none of them can be quoted.

    ``items`` of the list, each with a stop or without. Names of code may stand in them: what changed is code. Where
    nothing fits beside the date in the name, it is left out; of an item that does not fit, its first sentences are
    taken.
    """
    if name.endswith(_ASKS):
        return None  # "What's new in 2.0?" is a guide: its lists are of all kinds
    listed = [_LABEL_BEHIND.sub("", item) for item in items]
    return _listed(name, listed) or (_listed(bare, listed) if (bare := _DATE.sub("", name)) != name else None)


def _listed(name: str, items: Sequence[str]) -> str | None:
    text = f"{name}:"
    small = all(item[:1].islower() for item in items)  # a list without capitals is one sentence
    for item in items:
        is_more = not text.endswith(":")
        begun = f"{text.rstrip('.')};" if small and is_more else text
        for change in _beginnings(item):
            longer = f"{begun} {change}"
            if not_too_long(longer) and _is_change(change, small=small) and (is_more or not _REST.match(change)):
                text = longer
                break
    return text if text.endswith(_STOPS) and is_long_enough(text) else None


def _beginnings(item: str) -> Iterator[str]:
    """An item as it can be quoted: all of it, or fewer and fewer of its first sentences."""
    bare = _TICKET.sub("", item)
    whole = bare if bare.endswith(_STOPS) else f"{bare}."
    yield whole
    sentences = sentences_of(whole)
    for count in range(len(sentences) - 1, 0, -1):
        yield " ".join(sentences[:count])


def _is_change(item: str, *, small: bool) -> bool:
    """Whether an item of a list says in whole words what changed. ``small``: in a list without capitals."""
    bare = item.rstrip(".!")
    if small:
        if bare.partition(" ")[0] in ALL_STOP_WORDS or not bare.partition(" ")[0].isalpha():
            return False
        bare = item = bare[:1].upper() + bare[1:]
    names = " ".join(_IDENTIFIER.findall(item))
    if bare.count(" ") + 1 < _FEWEST_WORDS or not bare[:1].isupper() or not ends_well(bare, ALL_STOP_WORDS):
        return False
    return is_prose(item, fold(names)) and not points_elsewhere(fold(item)) and _SEE.search(item) is None
