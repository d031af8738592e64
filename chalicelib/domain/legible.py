"""Which characters may stand in a text that is published or shown as a name.

Decided by Unicode category, with the exceptions that real scripts and emoji need:

- control characters (Cc), surrogates (Cs), line and paragraph separators (Zl, Zp): refused
- format characters (Cf): refused, but joiners, direction marks, soft hyphens, word breaks and visible number signs.
  So embeddings, overrides and isolates, which show a text in another order than it is stored, are refused
- tag characters: refused outside the flags that they spell, since they carry text that nobody sees
- private use (Co) and code points that never become characters: refused
- other unassigned code points (Cn): allowed, because Unicode may have assigned them since this Python was built
"""

import re
import unicodedata
from collections.abc import Container
from typing import Final

_JOINERS: Final = "\u200c\u200d"
_DIRECTION_MARKS: Final = "\u061c\u200e\u200f"
_BREAKS: Final = "\u00ad\u180e\u200b\u2060"
_NUMBER_SIGNS: Final = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
_FORMAT: Final = frozenset(_JOINERS + _DIRECTION_MARKS + _BREAKS + _NUMBER_SIGNS)
_FLAGS: Final = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f")
# Letters and symbols that show nothing: fillers of Hangul, the empty pattern of braille.
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_WORDS: Final = {
    "Cc": "a line break or another control character",
    "Zl": "a line break or another control character",
    "Zp": "a line break or another control character",
    "Cs": "half of a character (a lone surrogate)",
    "Co": "a character for private use",
    "Cn": "a code point that is no character",
}


def fault(text: str, allowed: Container[str] = ()) -> str | None:
    """What the text may not hold, in words that follow "it has"; None: it may be published. ``allowed``: control
    characters that may stand in it."""
    for character in dict.fromkeys(_FLAGS.sub("", text)):
        category = unicodedata.category(character)
        if category[0] not in "CZ" or category == "Zs" or character in allowed or character in _FORMAT:
            continue
        if category == "Cn" and not _is_noncharacter(ord(character)):
            continue
        words = _WORDS.get(category, "an invisible character that changes how the text is shown")
        return f"{words}, U+{ord(character):04X}"
    return None


def is_visible(text: str) -> bool:
    """Whether the text has a character that somebody sees."""
    return any(_shows(one) for one in text)


def _shows(character: str) -> bool:
    category = unicodedata.category(character)
    return (category[0] not in "CZM" or category == "Cn") and character not in _BLANK


def is_clean(text: str) -> bool:
    """Whether the text may be shown as a name: visible, and without anything that ``fault`` names."""
    return fault(text) is None and is_visible(text)


def _is_noncharacter(point: int) -> bool:
    return point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF
