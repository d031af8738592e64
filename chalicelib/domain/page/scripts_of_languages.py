"""The script that a text is written in, and the scripts that a language is written in."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

FEWEST_LETTERS: Final = 200  # fewer are inconclusive: names, a quotation
LEAST_SHARE: Final = 0.8  # of the letters
WELL_PRESENT: Final = 50  # letters: fewer may be names

# Script (ISO 15924) -> its letters, first and last of each range.
_RANGES: Final[Mapping[str, tuple[tuple[int, int], ...]]] = {
    "Latn": ((0x41, 0x5A), (0x61, 0x7A), (0xC0, 0x24F), (0x1E00, 0x1EFF)),
    "Grek": ((0x370, 0x3FF), (0x1F00, 0x1FFF)),
    "Cyrl": ((0x400, 0x52F),),
    "Armn": ((0x531, 0x58F),),
    "Hebr": ((0x5D0, 0x5F4), (0xFB1D, 0xFB4F)),
    "Arab": ((0x620, 0x6FF), (0x750, 0x77F), (0xFB50, 0xFDFF), (0xFE70, 0xFEFF)),
    "Deva": ((0x900, 0x97F),),
    "Thai": ((0xE00, 0xE7F),),
    "Geor": ((0x10A0, 0x10FF),),
    "Hang": ((0x1100, 0x11FF), (0xAC00, 0xD7AF)),
    "Kana": ((0x3040, 0x30FF),),
    "Hani": ((0x3400, 0x4DBF), (0x4E00, 0x9FFF)),
}
NAMES: Final[Mapping[str, str]] = {
    "Latn": "Latin",
    "Grek": "Greek",
    "Cyrl": "Cyrillic",
    "Armn": "Armenian",
    "Hebr": "Hebrew",
    "Arab": "Arabic",
    "Deva": "Devanagari",
    "Thai": "Thai",
    "Geor": "Georgian",
    "Hang": "Korean",
    "Kana": "Japanese",
    "Hani": "Chinese or Japanese",
}
_LATIN: Final = (
    "af br ca co cs cy da de en eo es et eu fi fo fr fy ga gd gl hr ht hu id is it la lb lt lv mt nb nl nn no oc pl pt"
    " rm ro sk sl sq sv sw tr vi"
)
# Languages written in these scripts only. Languages not listed (Serbian, Kazakh, Punjabi, …) are not judged.
_WRITTEN_IN: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(_LATIN.split(), frozenset({"Latn"})),
    **dict.fromkeys("be bg mk ru uk".split(), frozenset({"Cyrl"})),
    **dict.fromkeys("ar fa ps ur".split(), frozenset({"Arab"})),
    **dict.fromkeys("he yi".split(), frozenset({"Hebr"})),
    **dict.fromkeys("hi mr ne".split(), frozenset({"Deva"})),
    "el": frozenset({"Grek"}),
    "hy": frozenset({"Armn"}),
    "ka": frozenset({"Geor"}),
    "ko": frozenset({"Hang", "Hani"}),
    "ja": frozenset({"Kana", "Hani"}),
    "th": frozenset({"Thai"}),
    "zh": frozenset({"Hani"}),
}


def script_of(text: str) -> str | None:
    """Return the script of nearly all letters of a text; None if the text is mixed or short."""
    if text.isascii():
        letters = sum(map(str.isalpha, text))
        return "Latn" if letters >= FEWEST_LETTERS else None
    counts: Counter[str] = Counter()
    for letter, number in Counter(text).items():
        if letter.isalpha():
            counts[_script(letter)] += number
    total = counts.total()
    if "Kana" in counts:  # Japanese has both
        counts["Kana"] += counts.pop("Hani", 0)
    script, count = max(counts.items(), key=lambda item: (item[1], item[0]), default=("", 0))
    return script or None if total >= FEWEST_LETTERS and count >= LEAST_SHARE * total else None


def is_well_present(tag: str, texts: Sequence[str]) -> bool:
    """Whether at least 50 letters, and more than a fifth of all, are in a script of the tag's language."""
    counts: Counter[bool] = Counter()
    for letter, number in Counter("".join(texts)).items():
        if letter.isalpha():
            counts[may_be_written_in(tag, _script(letter))] += number
    return counts[True] >= WELL_PRESENT and counts[True] > (1 - LEAST_SHARE) * counts.total()


@lru_cache(maxsize=4_096)
def _script(letter: str) -> str:
    code = ord(letter)
    return next((name for name, ranges in _RANGES.items() if any(first <= code <= last for first, last in ranges)), "")


def primary(tag: str) -> str:
    """Return the primary language of a tag, such as "de" of "de-AT"."""
    return tag.strip().replace("_", "-").partition("-")[0].lower()


def may_be_written_in(tag: str, script: str) -> bool:
    """Whether a text in this script may be in the language of the tag. Returns True for unknown languages."""
    named = {part.title() for part in tag.replace("_", "-").split("-")[1:] if len(part) == 4 and part.isalpha()}
    written = _WRITTEN_IN.get(primary(tag))
    return written is None or script in written or bool(named - {"Hans", "Hant"})
