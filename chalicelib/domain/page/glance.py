"""Which of a few words the source of a page may hold, told in one pass over its bytes for all of them together.

Whether a page has something rare (a breadcrumb, Doxygen's title, links that name their language) is asked of its source
before any element is looked at. Looking for ten words one after the other costs as much as surveying all elements;
here four bytes are looked at at once: wherever a word of seven bytes begins, one such group lies wholly inside it.
"""

import re
from typing import Final, NamedTuple

import numpy as np

_GROUP: Final = 4  # bytes
_LEAST: Final = 2 * _GROUP - 1  # of a word: one group is inside it wherever it begins
_BEFORE_ATTRIBUTE: Final = b" \t\n\r\f\"'/"
_ANYTHING: Final = bytes(range(256))
# What is asked for, and the words of which one stands in every page that has it. With a space before it, a word counts
# only where the name of an attribute can begin: ``aria-hidden`` is not ``hidden``.
_WORDS: Final = {
    "role": (' role="',),
    "display": ("display",),
    "hidden": (" hidden",),
    "aria_hidden": ("aria-hidden",),
    "hreflang": ("hreflang",),
    "target": ("target=",),
    "types": ("itemtype", "typeof=", "typeof ="),
    "breadcrumb": ("readcrumb",),
    "doxygen_title": ("headertitle",),
    "doxygen_sample": ("fragment",),
}
_REFERENCE: Final = re.compile("&#")  # the pattern is found many times faster than the string
# With this bit set a letter is a small one; what else is mixed up costs a look at the page, never a word.
_SMALL: Final = 0x20
_SMALL_GROUP: Final = np.uint32(_SMALL * 0x01010101)
_FACTOR: Final = np.uint32(0x9E3779B1)
_TABLE_BITS: Final = 16
_DROPPED: Final = np.uint32(32 - _TABLE_BITS)


def _number(group: bytes) -> int:
    return int.from_bytes(bytes(byte | _SMALL for byte in group), "little")


class _Place(NamedTuple):
    """A group of a word: what the word tells, where in the word the group begins (-1: with the byte before it), and
    which bytes may stand before the word."""

    name: str
    word: bytes
    at: int
    before: bytes


# By group: the places where it stands in words, once each.
_PLACES: Final[dict[int, list[_Place]]] = {}
for _name, _words in _WORDS.items():
    for _word in map(str.encode, _words):
        assert len(_word) >= _LEAST
        _is_attribute = _word.startswith(b" ")
        _before = _BEFORE_ATTRIBUTE if _is_attribute else _ANYTHING
        for _spelling in [_word.replace(b" ", bytes([_byte]), 1) for _byte in _before] if _is_attribute else [_word]:
            for _at in range(_GROUP):
                _place = _Place(_name, _word.lstrip(), _at - _is_attribute, _before)
                _same = _PLACES.setdefault(_number(_spelling[_at : _at + _GROUP]), [])
                if _place not in _same:
                    _same.append(_place)
_TABLE: Final = np.zeros(1 << _TABLE_BITS, np.bool_)
_TABLE[(np.array(sorted(_PLACES), np.uint32) * _FACTOR) >> _DROPPED] = True


def seen(html: str) -> frozenset[str]:
    """The names in ``_WORDS`` of what the page may have; of all others it has nothing. Letter case does not matter."""
    data = html.encode("utf-8", "surrogatepass")
    groups = np.frombuffer(data + b" " * (-len(data) % _GROUP), "<u4") | _SMALL_GROUP
    near = _TABLE[((groups * _FACTOR) >> _DROPPED).astype(np.intp)].nonzero()[0]
    found: set[str] = set()
    for number, place in zip(groups[near].tolist(), near.tolist(), strict=True):
        for name, word, at, before in _PLACES.get(number, ()):
            start = _GROUP * place - at
            if name not in found and data[start - 1] in before and data[start : start + len(word)].lower() == word:
                found.add(name)
    if "display" not in found and "&" in html and _REFERENCE.search(html) is not None:
        found.add("display")  # a letter of it may be written as its number
    return frozenset(found)
