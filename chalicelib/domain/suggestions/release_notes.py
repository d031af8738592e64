"""Descriptions of the notes on a release: its name, and the first of the changes that the page lists."""

import re
from collections.abc import Sequence
from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestions.fitting import is_long_enough, not_too_long
from chalicelib.domain.suggestions.lexicon import ALL_STOP_WORDS
from chalicelib.domain.suggestions.prose import is_prose
from chalicelib.domain.suggestions.sentences import points_elsewhere
from chalicelib.domain.suggestions.words import ends_well

_IDENTIFIER: Final = re.compile(r"\w*_\w+")
_TICKET: Final = re.compile(r"\s\(?(?:tickets?|bugs?|issues?|bugzilla) #?\w+\.?\)?\.?$", re.IGNORECASE)
_STOPS: Final = (".", "!", ".)", "\u3002")
_FEWEST_WORDS: Final = 4  # of a change


def changes(name: str, items: Sequence[str]) -> str | None:
    """The name of a release with as many of the changes as fit, in their order; None where none of them can be quoted.

    ``items`` of the list, each with a stop or without. Names of code may stand in them: what changed is code.
    """
    text = f"{name}:"
    for item in (_TICKET.sub("", listed) for listed in items):
        change = item if item.endswith(_STOPS) else f"{item}."
        longer = f"{text} {change}"
        if not_too_long(longer) and _is_change(item):
            text = longer
    return text if text.endswith(_STOPS) and is_long_enough(text) else None


def _is_change(item: str) -> bool:
    """Whether an item of a list says in whole words what changed."""
    bare = item.rstrip(".!")
    names = " ".join(_IDENTIFIER.findall(item))
    if bare.count(" ") + 1 < _FEWEST_WORDS or not bare[:1].isupper() or not ends_well(bare, ALL_STOP_WORDS):
        return False
    return is_prose(item, fold(names)) and not points_elsewhere(fold(item))
