"""A text in the typography of its language: spaces before French marks, German and French quotation marks.

Only spaces and quotation marks change, so that a person can use the text without corrections.
"""

import re
from typing import Final

_NO_BREAK: Final = "\u00a0"
# A letter, digit or bracket, then a mark that ends something: no address, time or emoticon.
_FRENCH_MARK: Final = re.compile(r"(?<=[\w)\]’'\"»])\s*([?!;:]+)(?=\s|$)|(?<=\S)\s*(»)")
_FRENCH_OPENING: Final = re.compile(r"«\s*(?=\S)")
_SPACE_BEFORE_MARK: Final = re.compile(r"\s+(?=[,;:.!?](?:\s|$))")
_FRENCH_SPACE_BEFORE_MARK: Final = re.compile(r"\s+(?=[,.](?:\s|$))")
_STRAIGHT: Final = re.compile(r"(?<![\w\"])\"([^\"]{1,200})\"(?!\w)")
_WIDE: Final = "[\u3001-\u303f\u3040-\u30ff\u3400-\u9fff\uff01-\uff60]"
_WIDE_SPACE: Final = re.compile(f"(?<={_WIDE}) (?={_WIDE})")
_QUOTES: Final = {"de": ("„", "“"), "fr": ("«", "»")}
_MARKED: Final = frozenset("?!;:»«")


def typeset(text: str, lang: str | None) -> str:
    """The text as its language sets it. ``lang``: the language tag of the page, or what its text was found to be."""
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
    """The text without the space that something taken out has left before a mark."""
    french = (lang or "").lower().startswith("fr")
    return (_FRENCH_SPACE_BEFORE_MARK if french else _SPACE_BEFORE_MARK).sub("", text)
