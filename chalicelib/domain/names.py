"""Sorts names as people expect: ``Ä`` next to ``a``, ignoring letter case."""

import unicodedata
from typing import Final

# Letters that Unicode does not decompose into a plain letter and an accent.
_PLAIN: Final = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})


def sort_key(name: str) -> tuple[str, str]:
    """Return the sort key of a name: its letters without case and accents, then its code points to break ties."""
    if name.isascii():
        return name.lower(), name
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return plain.translate(_PLAIN), name
