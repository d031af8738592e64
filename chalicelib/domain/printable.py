"""Makes untrusted text safe to store and to show in a message, a log or a terminal."""

import unicodedata
from typing import Final

_CUT: Final = "…"
_REPLACEMENT: Final = "\ufffd"
_READ: Final = 8  # characters read for each one kept: long runs of white space and invisible characters are dropped
_MOST_MARKS: Final = 4  # combining marks in a row; real scripts need fewer
# Joiners change how letters of Persian, Hindi and emoji are drawn. They cannot reorder or hide text.
_JOINERS: Final = frozenset("\u200c\u200d")


def printable(text: str, most: int) -> str:
    """Return the text as one line of at most ``most`` printable characters.

    White space and control characters become single spaces. Invisible characters, such as those that reorder text
    (bidi overrides), are dropped. Characters without a meaning (surrogates, private use) become U+FFFD. A longer text
    ends with an ellipsis.
    """
    if len(text) <= most and text.isascii() and text.isprintable() and "  " not in text:
        return text.strip(" ")
    read = text[: most * _READ]
    kept: list[str] = []
    marks = 0
    for character in read:
        shown = character if " " <= character <= "~" else _shown(character)
        marks = marks + 1 if shown and unicodedata.combining(shown) else 0
        if marks <= _MOST_MARKS:
            kept.append(shown)
    line = " ".join("".join(kept).split())
    if len(line) <= most and len(read) == len(text):
        return line
    return line[: max(0, most - 1)].rstrip() + _CUT[:most]


def _shown(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cc", "Zs", "Zl", "Zp"):
        return " "
    if category == "Cf":
        return character if character in _JOINERS else ""
    return _REPLACEMENT if category in ("Cs", "Co", "Cn") else character
