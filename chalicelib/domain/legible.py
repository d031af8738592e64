"""The characters that may occur in a text that is published or shown as a name.

The Unicode category decides, with the exceptions that real scripts and emoji need:

- control characters (Cc), surrogates (Cs), line and paragraph separators (Zl, Zp): refused
- format characters (Cf): refused, except joiners, direction marks, soft hyphens, word breaks and visible number signs.
  So embeddings, overrides and isolates, which show a text in another order than it is stored, are refused
- tag characters: refused except in flag emoji, since they carry text that nobody sees
- variation selectors: one is allowed after a character that has variants. Any other selector could carry hidden text
- invisible characters between two visible ones: at most 3, and none twice in a row. Arabic needs 3 between letters that
  are joined and form no ligature
- combining marks on one character: at most 8, as in the largest stacks of Tibetan; of marks that belong to no script,
  at most 4
- private use (Co) and code points that never become characters: refused
- other unassigned code points (Cn): allowed, because Unicode may have assigned them since this Python was built
"""

import re
import unicodedata
from collections.abc import Container
from functools import lru_cache
from typing import Final

_JOINERS: Final = "\u200c\u200d"
_DIRECTION_MARKS: Final = "\u061c\u200e\u200f"
_BREAKS: Final = "\u00ad\u180e\u200b\u2060"
_INVISIBLE: Final = frozenset(_JOINERS + _DIRECTION_MARKS + _BREAKS + "\u115f\u1160\u3164\uffa0")
_MOST_INVISIBLE: Final = 3
_MOST_MARKS: Final = 8
_MOST_COMMON_MARKS: Final = 4
# Marks of no script: accents of all alphabets and their extensions, marks of symbols, halves, and a grapheme joiner.
_COMMON_MARK: Final = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
# Variation selectors, and the characters that have variants. Mongolian and ideographs have their own selectors.
_IDEOGRAPHS: Final = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SYMBOLS: Final = "0-9#*\u00a9\u00ae\u2000-\u303f\u3200-\u33ff\uff01-\uff20\U0001f000-\U0001ffff"
_LETTERS: Final = "\u1000-\u109f\ua840-\ua877\U00013000-\U0001345f"  # Burmese, Phags-pa, hieroglyphs
_SELECTED: Final = (
    ("[\u180b-\u180d\u180f]", "[\u1800-\u18af]"),
    ("[\U000e0100-\U000e01ef]", f"[{_IDEOGRAPHS}]"),
    ("[\ufe00-\ufe0f]", f"[{_SYMBOLS}{_LETTERS}{_IDEOGRAPHS}]"),
)
_NUMBER_SIGNS: Final = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
_FORMAT: Final = frozenset(_JOINERS + _DIRECTION_MARKS + _BREAKS + _NUMBER_SIGNS)
_FLAGS: Final = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f")
_FLAG: Final = "\U0001f3f4"
# Letters and symbols that show nothing: fillers of Hangul, the empty pattern of braille.
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_WORDS: Final = {
    "Cc": "a line break or another control character",
    "Zl": "a line break or another control character",
    "Zp": "a line break or another control character",
    "Cs": "half of a character (a lone surrogate)",
    "Co": "a character for private use",
    "Cn": "a code point that is not a character",
}


def fault(text: str, allowed: Container[str] = ()) -> str | None:
    """Return what is forbidden in the text, in words that can follow "it has"; None if the text may be published.

    ``allowed``: control characters to allow.
    """
    text = _FLAGS.sub(_FLAG, text)
    for character in dict.fromkeys(text):
        category = unicodedata.category(character)
        if category[0] not in "CZ" or category == "Zs" or character in allowed or character in _FORMAT:
            continue
        if category == "Cn" and not _is_noncharacter(ord(character)):
            continue
        return _named(_WORDS.get(category, "an invisible character that changes how the text is shown"), character)
    return None if text.isascii() else _hidden(text)


def _hidden(text: str) -> str | None:
    """Return the invisible or combining characters that scripts and emoji do not need, in words; None if there are
    none."""
    invisible = marks = common = 0
    before = ""
    for character in text:
        category = unicodedata.category(character)
        if character in _INVISIBLE:
            invisible += 1
            if character == before or invisible > _MOST_INVISIBLE:
                return _named("invisible characters in a row", character)
        elif category[0] == "M":
            marks, common = marks + 1, common + (_COMMON_MARK.match(character) is not None)
            if not _may_select(character, before):
                return _named("an invisible variation selector after a character without variants", character)
            if marks > _MOST_MARKS or common > _MOST_COMMON_MARKS:
                return _named("too many combining marks on one character", character)
        elif category[0] != "Z" and category != "Cc":
            invisible = marks = common = 0
        before = character
    return None


@lru_cache(maxsize=1)
def _selected() -> list[tuple[re.Pattern[str], re.Pattern[str]]]:
    """Return the patterns of ``_SELECTED``, compiled on first use: that takes milliseconds, and marks are rare."""
    return [(re.compile(selector), re.compile(bases)) for selector, bases in _SELECTED]


def _may_select(mark: str, before: str) -> bool:
    """Whether a mark may follow a character. A variation selector may follow only a character that has variants."""
    for selector, bases in _selected():
        if selector.match(mark):
            bare = before in _INVISIBLE or (before and unicodedata.category(before) in ("Cf", "Mn", "Me", "Zs"))
            return not bare and bases.match(before) is not None
    return True


def _named(words: str, character: str) -> str:
    return f"{words}, U+{ord(character):04X}"


def without_mark(text: str) -> str:
    """Return the text without the byte order mark (U+FEFF) that some editors put at its start.

    A text that is only a byte order mark stays unchanged, because an empty text may request a removal.
    """
    rest = text.removeprefix("\ufeff")
    return rest if rest.strip() else text


def is_visible(text: str) -> bool:
    """Whether the text has a visible character."""
    return any(_shows(one) for one in text)


def _shows(character: str) -> bool:
    category = unicodedata.category(character)
    return (category[0] not in "CZM" or category == "Cn") and character not in _BLANK


def is_clean(text: str) -> bool:
    """Whether the text may be shown as a name: it is visible and has nothing that ``fault`` reports."""
    return fault(text) is None and is_visible(text)


def _is_noncharacter(point: int) -> bool:
    return point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF
