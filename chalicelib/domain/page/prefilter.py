"""A prefilter: finds in one pass over a page's bytes which of a few words its source may contain.

Before any element is read, the source is checked for rare features (a breadcrumb, Doxygen's title, links that name
their language). Ten separate searches would cost as much as reading all elements. Instead, the page's bytes are divided
into groups of four, and each group is looked up in a table of the groups that occur in the words. Every word has at
least seven bytes, so wherever it begins in the page, it contains a whole group.
"""

import re
from typing import Final

import numpy as np

_GROUP: Final = 4  # bytes
_LEAST: Final = 2 * _GROUP - 1  # of a word: one group is inside it wherever it begins
_BEFORE_ATTRIBUTE: Final = b" \t\n\r\f\"'/"
_ANYTHING: Final = bytes(range(256))
# Feature -> words, one of which occurs in every page with the feature. With a space before it, a word counts only at
# the beginning of an attribute's name, or of a class: ``aria-hidden`` is not ``hidden``.
_WORDS: Final = {
    "role": (' role="',),
    "display": ("display",),
    "hidden": (" hidden",),
    "aria_hidden": ("aria-hidden",),
    "hiding_class": (" d-none", "=d-none"),
    "hreflang": ("hreflang",),
    "target": ("target=",),
    "types": ("itemtype", "typeof=", "typeof ="),
    "breadcrumb": ("readcrumb",),
    "doxygen_title": ("headertitle",),
    "doxygen_sample": ("fragment",),
    "repeats": ("ng-repeat", " v-for=", " x-for=", "foreach"),
}
_REFERENCE: Final = re.compile(b"&#")  # the pattern is found many times faster than the string
# This bit makes a letter lower case. Confusing other characters costs a look at the page, but never misses a word.
_SMALL: Final = 0x20
_SMALL_GROUP: Final = np.uint32(_SMALL * 0x01010101)
_FACTOR: Final = np.uint32(0x9E3779B1)
_TABLE_BITS: Final = 16
_DROPPED: Final = np.uint32(32 - _TABLE_BITS)


def _number(group: bytes) -> int:
    return int.from_bytes(bytes(byte | _SMALL for byte in group), "little")


# A place of a group in a word: the word's feature, the word, the group's offset in it (-1 if the group includes the
# byte before it), and the bytes that may precede the word.
_Place = tuple[str, bytes, int, bytes]
# By group: its places in words, once each.
_PLACES: Final[dict[int, list[_Place]]] = {}
for _name, _words in _WORDS.items():
    for _word in map(str.encode, _words):
        assert len(_word) >= _LEAST
        _is_attribute = _word.startswith(b" ")
        _before = _BEFORE_ATTRIBUTE if _is_attribute else _ANYTHING
        for _spelling in [_word.replace(b" ", bytes([_byte]), 1) for _byte in _before] if _is_attribute else [_word]:
            # Of the groups in the same position, the last is taken: "lang" of "hreflang" is rarer than "href".
            for _at in range(len(_spelling) - _LEAST, len(_spelling) - _GROUP + 1):
                _place = _name, _word.lstrip(), _at - _is_attribute, _before
                _same = _PLACES.setdefault(_number(_spelling[_at : _at + _GROUP]), [])
                if _place not in _same:
                    _same.append(_place)
_TABLE: Final = np.zeros(1 << _TABLE_BITS, np.bool_)
_TABLE[(np.array(sorted(_PLACES), np.uint32) * _FACTOR) >> _DROPPED] = True


def seen(data: bytes) -> frozenset[str]:
    """Return the features (names in ``_WORDS``) that the page may have. Features that are not returned are certainly
    absent.

    Letter case is ignored. ``data``: the page in UTF-8.
    """
    groups = np.frombuffer(data + b" " * (-len(data) % _GROUP), "<u4") | _SMALL_GROUP
    near = _TABLE[((groups * _FACTOR) >> _DROPPED).astype(np.intp)].nonzero()[0]
    found: set[str] = set()
    for number, place in zip(groups[near].tolist(), near.tolist(), strict=True):
        for name, word, at, before in _PLACES.get(number, ()):
            start = _GROUP * place - at
            if name not in found and data[start : start + len(word)].lower() == word and data[start - 1] in before:
                found.add(name)
    if "display" not in found and b"&" in data and _REFERENCE.search(data) is not None:
        found.add("display")  # a letter of the word may be written as a character reference
    return frozenset(found)
