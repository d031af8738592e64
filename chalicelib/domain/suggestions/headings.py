"""A heading as a title can take it: without what stands in it for the page's own use, and nothing where it is stock."""

import re
from functools import lru_cache
from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestions.lexicon import ALL_STOP_WORDS
from chalicelib.domain.suggestions.stock_headings import PHRASES
from chalicelib.domain.suggestions.words import slug_words, split_words

LONGEST: Final = 1_000  # characters: beyond that it is no heading but a page's text

# "1.", "2.3.", "A.1.", "IV.", "§ 5", "Chapter 3:". Letters and numbers alone need their mark: "J. Doe", "10 tips".
_CHAPTER: Final = (
    r"(?i:chapter|section|part|appendix|annex|kapitel|abschnitt|teil|anhang|chapitre|partie|annexe|capítulo|sección"
    r"|parte|apéndice|anexo|capitolo|sezione|appendice|hoofdstuk|sectie|deel|bijlage|seção|secção|apêndice|rozdział"
    r"|sekcja|część|dodatek|avsnitt|bilaga|kapittel|luku|liite|kapitola|část|příloha|глава|раздел|часть|приложение"
    r"|bölüm|ek|bab)"
)
_NUMBER: Final = re.compile(
    rf"(?:{_CHAPTER}\s+(?:\d{{1,3}}|[A-Z]|[IVXLC]{{1,6}})(?:\.\d{{1,3}}){{0,5}}\s*[.:)–—-]"
    r"|§+\s*\d{1,4}[a-z]?\.?"
    r"|(?:\d{1,3}|[A-Z])(?:\.\d{1,3}){1,5}[.:)]"
    r"|(?:\d{1,3}|[A-Z])(?:\.\d{1,3}){1,5}"
    r"(?!\s+(?i:release|releases|version|documentation|docs|manual|beta|alpha|rc|update|changelog|changes)\b)"
    r"|(?:\d{1,2}|[IVX]{2,5})[.)]"
    r")\s+(?=[^\W_]|[\"'“„«(¿¡])"
)
_BARE_NUMBER: Final = re.compile(r"\d{1,3}\s+(?=[^\W\d_])")
_SIGNS: Final = "¶#§🔗⚓☍∞"
_COUNTER: Final = re.compile(r"\s*[(\[]\d{1,6}[)\]]$")
_TOOLS: Final = re.compile(
    r"\s*(?:\[\s*(?:edit|edit source|bearbeiten|modifier|editar|modifica|bewerken|edytuj|redigera|править|source|src)"
    r"(?:\s*\|[^\]]{0,40})?\s*\]"
    r"|(?:copy item path|permalink|permanent link|link to this (?:heading|section|definition)|copy link"
    r"|copy to clipboard|back to top|nach oben|expand description))$",
    re.IGNORECASE,
)
_OPEN_END: Final = (":", ".", "\uff1a")


def cleaned(heading: str, *, url: str = "", own: str = "") -> str:
    """The heading without permalink signs, counters, texts of tools, section numbers and the mark at its end.

    A number that the address has too belongs to the name ("10-tips", "1-fc-koeln"); one without a full stop is a
    section's only where the present title (``own``) says the rest.
    """
    text = heading.strip()
    if len(text) > LONGEST:
        return ""
    text = text.strip(_SIGNS + " ")
    shorter = _TOOLS.sub("", text)
    shorter = _COUNTER.sub("", shorter).rstrip(_SIGNS + " ")
    text = without_number(shorter or text, url=url, own=own)
    return text[:-1].rstrip() if text.endswith(_OPEN_END) and not text.endswith("..") else text


def without_number(text: str, *, url: str = "", own: str = "") -> str:
    """The text without the number of its section; a number that the address has too is no such number."""
    match = _NUMBER.match(text)
    if match is None:
        match = _BARE_NUMBER.match(text)
        if match is None or fold(text[match.end() :]) != fold(own):
            return text
    elif _is_named(match[0], url):
        return text
    return text[match.end() :]


def _is_named(number: str, url: str) -> bool:
    """Whether the address names the number, one without parts: then the page is about it."""
    digits = number.strip().rstrip(".:)")
    return digits.isdigit() and digits in slug_words(url)


@lru_cache(maxsize=256)  # a page's headings are asked about several times
def is_stock(text: str) -> bool:
    """Whether a heading is one that pages of every kind have: Summary, Overview, Usage examples."""
    folded = fold(text).strip(" .:!?")
    if folded in PHRASES:
        return True
    words = [word for word in split_words(folded) if word not in ALL_STOP_WORDS]
    return 0 < len(words) <= 4 and all(word in PHRASES for word in words)
