"""Prepares a heading for use in a title: removes parts that make sense only on the page, and recognizes stock
headings."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from chalicelib.domain.page.stop_words import ALL_STOP_WORDS
from chalicelib.domain.page.text import fold
from chalicelib.suggestions.stock_headings import LIST_PREFIX, PHRASES
from chalicelib.suggestions.words import slug_words, split_words

LONGEST: Final = 1_000  # characters: a longer text is no heading

# "1.", "2.3.", "A.1.", "IV.", "§ 5" (but "§ 433 BGB" is a name), "Chapter 3:". Single letters and numbers need a mark,
# because "J. Doe" and "10 tips" have no section number.
_CHAPTER: Final = (
    r"(?i:chapter|section|part|appendix|annex|kapitel|abschnitt|teil|anhang|chapitre|partie|annexe|capítulo|sección"
    r"|parte|apéndice|anexo|capitolo|sezione|appendice|hoofdstuk|sectie|deel|bijlage|seção|secção|apêndice|rozdział"
    r"|sekcja|część|dodatek|avsnitt|bilaga|kapittel|luku|liite|kapitola|část|příloha|глава|раздел|часть|приложение"
    r"|bölüm|ek|bab|capitol|anexa|chương|phụ lục|κεφάλαιο|παράρτημα|付録|附录|附錄|부록)"
)
_NUMBER: Final = re.compile(
    rf"(?:{_CHAPTER}\s+(?:\d{{1,3}}|[A-Z]|[IVXLC]{{1,6}})(?:\.\d{{1,3}}){{0,5}}\s*[.:)–—-]"
    r"|§+\s*\d{1,4}[a-z]?\.?(?!\s+\w?[A-Z]{2})"
    r"|(?:\d{1,3}|[A-Z])(?:\.\d{1,3}){1,5}[.:)]"
    r"|(?:\d{1,3}|[A-Z])(?:\.\d{1,3}){1,5}"
    r"(?!\s+(?i:release|releases|version|documentation|docs|manual|beta|alpha|rc|update|changelog|changes)\b)"
    r"|(?:\d{1,2}|[IVX]{2,5})[.):]"
    r"|第\s?(?:\d{1,3}|[一二三四五六七八九十]{1,3})\s?[章節节部編编]\.?"
    r"|(?:제\s?)?\d{1,3}\s?[장절부]\."
    r")\s+(?=[^\W_]|[\"'“„«(¿¡])"
)
# "Lesson 8", "Teil IV": the number of a part without its name.
_NUMBERED: Final = re.compile(
    rf"(?:{_CHAPTER}|(?i:lesson|unit|step|exercise|week|lektion|schritt|übung|woche|leçon|étape|exercice|semaine|lección"
    r"|paso|ejercicio|semana|lezione|passo|esercizio|les|stap|oefening|lição|exercício|lekcja|krok|ćwiczenie|урок|шаг))"
    r"\s(?:\d{1,3}|[A-Z]|[IVXLC]{1,6})"
)
_BARE_NUMBER: Final = re.compile(r"(\d{1,3}|[A-Z])\s+(?=[^\W\d_])")
# "Chapter 4 Tents": only chapters may lack a mark; "Section 8 housing" is a name.
_CHAPTER_ALONE: Final = re.compile(
    r"(?i:chapter|kapitel|chapitre|capítulo|capitolo|hoofdstuk|rozdział|kapittel|luku|kapitola|глава|bölüm)"
    r"\s+(\d{1,3})\s+(?=[^\W\d_])"
)
_SECTION: Final = re.compile(r"(\d{1,3}|[A-Z])\.\d{1,3}(?=[.\s])")
# Signs that link to the heading itself, including glyphs of icon fonts.
_SIGNS: Final = frozenset("¶🔗⚓☍∞ ").union(map(chr, range(0xE000, 0xF900)))
_COUNTER: Final = re.compile(r"\s[(\[](?!(?:19|20)\d\d[)\]])\d{1,6}[)\]]$")
_TOOLS: Final = re.compile(
    r"\s*(?=[\[abcdelnpпс])"  # checks most letters once, instead of once per text
    r"(?:\[\s*(?:edit|edit source|bearbeiten|modifier|editar|modifica|bewerken|edytuj|redigera|править|source|src)"
    r"(?:\s*\|[^\]]{0,40})?\s*\]"
    r"|(?:copy item path|permalink(?: to this (?:heading|headline|section|definition))?|permanent link|copy link"
    r"|(?:(?:direct )?link|anchor) (?:to|for) (?:this |the )?(?:heading|headline|section|definition|title)"
    r"|link (?:para o|al) (?:cabeçalho|título|encabezado|titolo)|enlace (?:al|a este) (?:encabezado|título)"
    r"|lien (?:vers|direct vers) (?:le titre|l'en-tête|cette section)|(?:direkter )?link zur? (?:überschrift|abschnitt)"
    r"|(?:прямая )?ссылка на (?:этот )?(?:заголовок|раздел)"
    r"|copy to clipboard|back to top|nach oben|expand description))$",
    re.IGNORECASE,
)
_ORDER: Final = re.compile(r"\d{1,4}|[a-z]|[ivxl]{1,6}")  # "Chapter 4", "Part II", "Appendix A"
# A remark set as a heading.
_REMARK: Final = re.compile(
    r"(?:note|n\.?b\.?|warning|caution|important|tip|hinweis|warnung|achtung|wichtig|remarque|attention|nota|aviso"
    r"|atención|advertencia|attenzione|avviso|atenção|let op|opmerking|waarschuwing|uwaga|obs|viktigt|примечание"
    r"|внимание|注意|備考|참고)\s?[:\uff1a!]",
    re.IGNORECASE,
)
_BYLINE: Final = re.compile(
    r"\s(?:by|von|par|por|di|door|av|af)(?:\s[^\W\d_a-zß-öø-ÿ][\w.'’-]*){2,4}"
    r"(?:,?\s(?:on|am|le|el|il|op|em|den)\s[\w .,/-]{4,30})?$"  # the day
)
_OPEN_END: Final = (":", ".", "\uff1a")


def cleaned(heading: str, *, url: str = "", own: str = "", chapters: frozenset[str] = frozenset()) -> str:
    """Return the heading without parts that make sense only on the page.

    These parts are removed:

    - permalink signs, counters and texts of tools
    - the section number
    - the kind of a list before its name: "Category: Tents" becomes "Tents"
    - the mark at the end, such as a colon

    Returns "" for a text that is not a heading, such as a remark ("Note: …").

    If the address has the same number, the number belongs to the name ("10-tips", "1-fc-koeln"). A number without a
    full stop counts as a section number only in two cases: the current title (``own``) has the rest of the heading, or
    the number is one of ``chapters``.
    """
    text = heading.strip()
    if len(text) > LONGEST or _REMARK.match(text):
        return ""
    text = _without_signs(text)
    shorter = _TOOLS.sub("", text)
    shorter = _without_signs(_COUNTER.sub("", shorter))
    text = LIST_PREFIX.sub("", shorter or text)
    text = without_number(text, url=url, own=own, chapters=chapters)
    return text[:-1].rstrip() if text.endswith(_OPEN_END) and not text.endswith("..") else text


def without_byline(heading: str, title: str) -> str:
    """If the title is the heading without its author, return the heading without the author: "Filters" for "Filters by
    Ann Example on May 3, 2015"."""
    match = _BYLINE.search(heading)
    if match is None:
        return heading
    rest = heading[: match.start()]
    return rest if fold(title).startswith(fold(rest)) and fold(heading) not in fold(title) else heading


def chapters_of(headings: Iterable[str]) -> frozenset[str]:
    """Return the numbers of the chapters to which these sections belong: "6" for "6.1 Profiling" and "6.2 Tracing"."""
    return frozenset(match[1] for heading in headings if (match := _SECTION.match(heading)) is not None)


def bare_number(heading: str) -> str | None:
    """Return the number before a heading, or the letter of an appendix, if no mark follows it: "6" for "6 Modules", "B"
    for "B Tools"."""
    match = _BARE_NUMBER.match(heading)
    return match[1] if match is not None else None


def section_number(heading: str) -> str:
    """Return the section number at the beginning of a heading, with its mark and space, such as "2.3 ".

    Returns "" if there is none.
    """
    match = _NUMBER.match(heading)
    return match[0] if match is not None else ""


def is_of_section(heading: str) -> bool:
    """Whether a heading begins with the number of a section: "6.1 Profiling"."""
    return _SECTION.match(heading) is not None


def is_number_of_part(text: str) -> bool:
    """Whether a text is only the number of a part of a work: "Lesson 8"."""
    return _NUMBERED.fullmatch(text) is not None


def without_number(text: str, *, url: str = "", own: str = "", chapters: frozenset[str] = frozenset()) -> str:
    """Return the text without its section number. If the page's address has the same number, the number is not
    removed."""
    match = _NUMBER.match(text) or _CHAPTER_ALONE.match(text)
    if match is not None and (twice := _NUMBER.match(text, match.end())) is not None:  # "D.1. 0. Preamble"
        return text[twice.end() :]
    if match is None:
        match = _BARE_NUMBER.match(text)
        if match is None:
            return text
        if match[1] not in chapters and fold(text[match.end() :]) != fold(own):
            return text
    elif _is_named(match[0], url):
        return text
    return text[match.end() :]


def _without_signs(text: str) -> str:
    """Remove signs from the ends of the text, except those of a word or a number ("C#", "§ 5")."""
    text = _stripped(text)
    if text.endswith((" #", "§")):
        text = _stripped(text[:-1])
    if text.startswith(("# ", "§")) and not text[1:].lstrip()[:1].isdigit():
        text = _stripped(text[1:])
    return text


def _stripped(text: str) -> str:
    """Remove signs from both ends of the text. This is faster than ``str.strip``, which would check thousands of
    signs."""
    first, last = 0, len(text)
    while first < last and text[first] in _SIGNS:
        first += 1
    while first < last and text[last - 1] in _SIGNS:
        last -= 1
    return text[first:last]


def _is_named(number: str, url: str) -> bool:
    """Whether the address has the number, which must have no parts. The page is about that number then."""
    digits = number.strip().rstrip(".:)").rpartition(" ")[2]
    return digits.isdigit() and digits in slug_words(url)


@lru_cache(maxsize=256)  # a page's headings are checked several times
def is_stock(text: str, *, numbered: bool = False) -> bool:
    """Whether the heading may occur on any kind of page: Summary, Overview, Usage examples.

    ``numbered``: whether such a word with a number counts too, such as "Chapter 4" or "Part II". Pass False where the
    number is enough to distinguish the page from others.
    """
    folded = fold(text).strip(" .:!?")
    if folded in PHRASES:
        return True
    words = [word for word in split_words(folded) if word not in ALL_STOP_WORDS]
    if numbered and any(word in PHRASES for word in words):
        words = [word for word in words if _ORDER.fullmatch(word) is None]
    return 0 < len(words) <= 4 and all(word in PHRASES for word in words)
