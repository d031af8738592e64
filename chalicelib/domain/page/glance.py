"""Which of a few words the source of a page may hold, told in one pass over its bytes for all of them together.

Whether a page has something rare (a breadcrumb, Doxygen's title, links that name their language) is asked of its source
before any element is looked at. Looking for ten words one after the other costs as much as surveying all elements;
here four bytes are looked at at once: wherever a word of seven bytes begins, one such group lies wholly inside it.
"""

import re
from typing import Final

import numpy as np

_GROUP: Final = 4  # bytes
_LEAST: Final = 2 * _GROUP - 1  # of a word: one group is inside it wherever it begins
_BEFORE_ATTRIBUTE: Final = " \t\n\r\f\"'/"
# What is asked for, and the words of which one stands in every page that has it.
_WORDS: Final = {
    "role": tuple(f'{before}role="' for before in _BEFORE_ATTRIBUTE),
    "display": ("display",),
    "hidden": tuple(f"{before}hidden" for before in _BEFORE_ATTRIBUTE),
    "aria_hidden": ("aria-hidden",),
    "hreflang": ("hreflang",),
    "target": ("target=",),
    "types": ("itemtype", "typeof=", "typeof ="),
    "breadcrumb": ("readcrumb",),
    "doxygen_title": ("headertitle",),
}
_REFERENCE: Final = re.compile("&#")  # the pattern is found many times faster than the string
# With this bit set a letter is a small one; what else is mixed up costs a look at the page, never a word.
_SMALL: Final = 0x20
_SMALL_GROUP: Final = np.uint32(_SMALL * 0x01010101)
_FACTOR: Final = np.uint32(0x9E3779B1)
_TABLE_BITS: Final = 16
_DROPPED: Final = np.uint32(32 - _TABLE_BITS)


def _small(word: str) -> bytes:
    return bytes(byte | _SMALL for byte in word.encode())


def _number(group: bytes) -> int:
    return int.from_bytes(group, "little")


# By group: what it tells, and where in which word it stands.
_PLACES: Final[dict[int, list[tuple[str, bytes, int]]]] = {}
for _name, _words in _WORDS.items():
    for _word in map(_small, _words):
        assert len(_word) >= _LEAST
        for _at in range(_GROUP):
            _PLACES.setdefault(_number(_word[_at : _at + _GROUP]), []).append((_name, _word, _at))
_TABLE: Final = np.zeros(1 << _TABLE_BITS, np.bool_)
_TABLE[(np.array(sorted(_PLACES), np.uint32) * _FACTOR) >> _DROPPED] = True


def seen(html: str) -> frozenset[str]:
    """The names in ``_WORDS`` of what the page may have; of all others it has nothing. Letter case does not matter."""
    data = html.encode("utf-8", "surrogatepass")
    groups = np.frombuffer(data + b" " * (-len(data) % _GROUP), "<u4") | _SMALL_GROUP
    near = np.flatnonzero(_TABLE[((groups * _FACTOR) >> _DROPPED).astype(np.intp)])
    lowered = groups.tobytes() if len(near) else b""
    found: set[str] = set()
    for number, place in zip(groups[near].tolist(), near.tolist(), strict=True):
        for name, word, at in _PLACES.get(number, ()):
            if name not in found and lowered.startswith(word, _GROUP * place - at):
                found.add(name)
    if "display" not in found and "&" in html and _REFERENCE.search(html) is not None:
        found.add("display")  # a letter of it may be written as its number
    return frozenset(found)
