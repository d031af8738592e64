"""Splits texts into words, distinguishes topic words from stop words, and checks whether brackets are balanced."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final
from urllib.parse import unquote, urlsplit

from chalicelib.domain.page.text import fold

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SPELT_OUT: Final = {ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue", ord("ß"): "ss", ord("ł"): "l", ord("ø"): "o"}
_SHORTEST_STEM: Final = 5
_SHORT_PLURAL: Final = 4  # letters
_LONGEST_WORD: Final = 60  # characters at the end in which the last word is searched
_CLOSERS: Final = {
    ")": "(",
    "]": "[",
    "}": "{",
    "\uff09": "\uff08",
    "\u300d": "\u300c",
    "\u300f": "\u300e",
    "\u3011": "\u3010",
}  # fullwidth and East Asian
_OPENERS: Final = frozenset(_CLOSERS.values())
_BRACKETS: Final = re.compile("[" + re.escape("".join([*_CLOSERS, *_OPENERS])) + "]")
_PAIRED: Final = _OPENERS | _CLOSERS.keys() | frozenset('"«»‹›„“”')
# An interval without one of its ends: "[first, last)", "(0, 2n]". Its bounds are numbers, letters or the names that
# references use. Around other words such brackets are a mistake.
_BOUND: Final = (
    r"[+-]?(?:\d[\w.]*|[^\W\d_]|_?(?:first|last|begin|end|start|stop|from|to|low|high|lower|upper|min|max|inf)\d?)"
)
_SHIFTED_BOUND: Final = rf"{_BOUND}(?: ?[+-] ?{_BOUND})?"
_HALF_OPEN: Final = re.compile(
    rf"\[{_SHIFTED_BOUND}, {_SHIFTED_BOUND}\)|\({_SHIFTED_BOUND}, {_SHIFTED_BOUND}\]", re.IGNORECASE
)
_INCH_MARK: Final = re.compile(r"(?<=\d)[\"'″′]")
# Allowed last characters besides letters and digits: no separator, comma, colon, dash or opening bracket.
_ENDS: Final = frozenset(".!?)]}\"'”’»“›%+#©®™°€$£*\uff09\u300d\u300f\u3011\u3002\uff01\uff1f\u05f4")


def split_words(text: str) -> list[str]:
    """Return the words of a text in order, normalized by ``fold``.

    A word consists of letters and digits, and may have apostrophes inside.
    """
    return _WORD.findall(fold(text))


def content_words(text: str, stops: frozenset[str]) -> list[str]:
    """Return the words of a text that may name its topic: without stop words and single letters."""
    return [word for word in split_words(text) if word not in stops and (len(word) > 1 or not word.isascii())]


def spellings(word: str) -> set[str]:
    """Return the spellings in which a word may occur in an address: as it is, without accents, and with umlauts written
    out. The word is normalized by ``fold``."""
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", word) if not unicodedata.combining(letter))
    return {word, plain.translate(_SPELT_OUT), unicodedata.normalize("NFC", word).translate(_SPELT_OUT)}


def slug_words(url: str) -> set[str]:
    """Return the words of the last part of an address's path, normalized by ``fold``."""
    path = urlsplit(url).path.rstrip("/")
    last = unquote(path.rpartition("/")[2])
    stem, dot, ending = last.rpartition(".")
    return set(split_words((stem if dot and ending.isalpha() and len(ending) <= 5 else last).replace("_", " ")))


def among(word: str, others: set[str]) -> bool:
    """Whether a word is among ``others``, with or without accents. All words are normalized by ``fold``."""
    return word in others or (not word.isascii() and not spellings(word).isdisjoint(others))


def stems(words: Iterable[str]) -> set[str]:
    """Return the first five letters of each word, so that different forms of a word become equal.

    Shorter words lose the S of a plural.
    """
    return {
        word[:-1]
        if word[-1:] == "s" and _SHORT_PLURAL <= len(word) <= _SHORTEST_STEM and word[-2] != "s"
        else word[:_SHORTEST_STEM]
        for word in words
    }


@lru_cache(maxsize=1_024)
def key_of(text: str) -> str:
    """Return a name without spaces and punctuation: "Acme Shop" and "acme-shop" have the same key."""
    return "".join(filter(str.isalnum, fold(text)))


def balanced(text: str) -> bool:
    """Whether each bracket and quotation mark has its counterpart. Inch and foot marks after a digit do not count."""
    if _PAIRED.isdisjoint(text):
        return True
    if ", " in text:
        text = _HALF_OPEN.sub("", text)
    opened: list[str] = []
    for character in _BRACKETS.findall(text):
        if character in _OPENERS:
            opened.append(character)
        elif character in _CLOSERS and (not opened or opened.pop() != _CLOSERS[character]):
            return False
    if opened or _INCH_MARK.sub("", text).count('"') % 2:
        return False
    # A guillemet that points right is a separator too; German quotations use both the other way round.
    if any(one in text and text.count(one) != text.count(other) for one, other in ("«»", "‹›")):
        return False
    if "„" in text:
        return text.count("„") == text.count("“") + text.count("”")
    return text.count("“") == text.count("”")


def ends_well(text: str, stops: frozenset[str]) -> bool:
    """Whether the text has an acceptable end. It must not end with a separator, a comma, an ellipsis, a hyphen or a
    stop word."""
    if not text or text.endswith(("...", "…", "..")):
        return False
    if not (text[-1].isalnum() or text[-1] in _ENDS or unicodedata.category(text[-1]) in ("Mn", "Mc", "So")):
        return False
    found = split_words(text[-_LONGEST_WORD:])
    return bool(found) and found[-1] not in stops and found[-1].replace("’", "'") not in stops
