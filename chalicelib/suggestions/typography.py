"""Sets a text in the typography of its language: spaces before French punctuation, German and French quotation marks.

Only spaces and quotation marks change, so that a person can use the text without corrections.
"""

import re
from typing import Final

from chalicelib.domain.page.stop_words import ALL_STOP_WORDS
from chalicelib.suggestions.lexicon import ABBREVIATIONS

_NO_BREAK: Final = "\u00a0"
# A letter, digit or bracket, then a mark that ends something. It must be no address, time or emoticon.
_FRENCH_MARK: Final = re.compile(r"(?<=[\w)\]’'\"»])\s*([?!;:]+)(?=\s|$)|(?<=\S)\s*(»)")
_FRENCH_OPENING: Final = re.compile(r"«\s*(?=\S)")
_SPACE_BEFORE_MARK: Final = re.compile(r"\s+(?=[,;:.!?](?:\s|$))")
_FRENCH_SPACE_BEFORE_MARK: Final = re.compile(r"\s+(?=[,.](?:\s|$))")
_STRAIGHT: Final = re.compile(r"(?<![\w\"])\"([^\"]{1,200})\"(?!\w)")
_WIDE: Final = "[\u3001-\u303f\u3040-\u30ff\u3400-\u9fff\uff01-\uff60]"
_WIDE_SPACE: Final = re.compile(f"(?<={_WIDE}) (?={_WIDE})")
_QUOTES: Final = {"de": ("„", "“"), "fr": ("«", "»")}
CLOSING: Final = ')]"”’»'
_HANGUL: Final = "\uac00"  # the letters from U+3000 up to this one belong to scripts with other full stops
_SHORTEST_LAST: Final = 3  # letters of a word before a full stop: fewer may be an abbreviation
_MARKED: Final = frozenset("?!;:»«")


def typeset(text: str, lang: str | None) -> str:
    """Return the text with the typography of its language. ``lang``: the language tag of the page, or the detected
    language."""
    tag = (lang or "").lower().replace("_", "-")
    language = tag.partition("-")[0]
    if '"' in text and language in _QUOTES:
        opening, closing = _QUOTES[language]
        text = _STRAIGHT.sub(rf"{opening}\1{closing}", text)
    if language == "fr" and tag != "fr-ca" and not _MARKED.isdisjoint(text):
        text = _FRENCH_MARK.sub(lambda found: _NO_BREAK + (found[1] or found[2]), text)
        text = _FRENCH_OPENING.sub("«" + _NO_BREAK, text)
    if not text.isascii():
        text = _WIDE_SPACE.sub("", text)
    return text


def closed_up(text: str, lang: str | None) -> str:
    """Return the text without spaces before punctuation. Such a space is left over if words before it were removed."""
    french = (lang or "").lower().startswith("fr")
    return (_FRENCH_SPACE_BEFORE_MARK if french else _SPACE_BEFORE_MARK).sub("", text)


def begun(text: str, named: str) -> str:
    """Return the text with a capital letter at its start.

    ``named``: the page's title and heading as written. If the first word is in small letters in the title or heading,
    it may be a name in code. The word is then changed only if it is a stop word.
    """
    first = text.partition(" ")[0]
    if not first[:1].islower() or not first.isalpha() or (first not in ALL_STOP_WORDS and first in named.split()):
        return text
    return text[0].upper() + text[1:]


def stopped(text: str) -> str:
    """Return the text with a full stop at its end, if it has no final mark."""
    last = text.rstrip(CLOSING)[-1:]
    return f"{text}." if (last.isalnum() and not "\u3000" < last < _HANGUL) or last == "%" else text


def unstopped(title: str) -> str:
    """Return a title without the full stop at its end. The full stop of an abbreviation is kept."""
    last = title.rpartition(" ")[2].rstrip(".")
    if not title.endswith(".") or title.endswith("..") or "." in last or len(last) < _SHORTEST_LAST:
        return title
    return title if last.lower() in ABBREVIATIONS else title[:-1]
