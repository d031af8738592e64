"""Decides whether a sentence is prose: a complete sentence that is not code, a list of links or figures."""

import re
from operator import ne
from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.suggestions.words import balanced, split_words

_BEGINS: Final = re.compile(r"[\"'“„«¿¡]?\s?[^\W_]")
# Marks of code and lists of links that sentences do not have: some anywhere, others only next to certain characters. A
# pattern that begins with its character is searched only if the text has that character, which is fast.
_NO_PROSE: Final = frozenset("{}<>\\=^~|•·→►▸⇒")
_CODE: Final = {
    sign: re.compile(pattern)
    for sign, pattern in {
        "$": r"\$(?!\d)",
        "(": r"\((?<!\w\()\)|\.(?<=\w\.)\w+\(",  # "open()" is a name
        "*": r"\*\*\*|\*\(",
        ":": r"::|https?:",
        "-": r"-(?<!\w-)(?:-\w|[a-zA-Z]\b)",
        ";": r";\s*$",
        "/": r"/(?<=\w/)\w+/\w|/(?<=\s/)\s",
        "»": r"^[^«]*»[^«]*$",  # no quotation
        "›": r"^[^‹]*›[^‹]*$",
    }.items()
}
_MARKS: Final = _NO_PROSE | _CODE.keys()
_SCOPED: Final = re.compile(r"(?<=\w)::(?=[a-zA-Z])")  # allowed inside names of code, if the page is about such a name
_GAP: Final = re.compile(r"\s[,.](?:\s|$)|(?<!\w)\(\s*\)|[“„«]\s*[”“»]")  # something was removed before the mark
_CITED: Final = re.compile(r"\[[A-Z][\w.-]*\]")
_OMITS: Final = ("...", "…")  # "More...": a link, or words that were left out
_AFTER_NAMES: Final = ",.;:!?"
_RULE: Final = re.compile(r"[-=~_*#.]{4}")  # a line drawn with characters
# A new text begins in the middle of the sentence, because the text before it had no stop.
_JOINED: Final = re.compile(
    r"(?<=[a-zß-öø-ÿ)] )(?:See|This|These|If|When|For|It|Note|Returns|The|Voir|Cette|Cet|Les|Véase|Los|Esta|Vedi|Questo"
    r"|Zie|Deze|Siehe)(?= [a-zß-öø-ÿ])"
    r"|[a-zß-öø-ÿ)][.,]\d{1,3}(?=[A-Z])"  # the number of a footnote
)
# An article, one noun and "and is": the text lost words, or its writer did.
_BROKEN: Final = re.compile(
    r"(?:(?:the|an?|this) [\w-]+ and (?:is|are|was|were|has|have)"
    r"|(?:the|an?|this) (?:[\w-]+ ){1,3}(?:"
    r"class|command|component|document|extension|file|function|guide|interface|library|manual|method|module|package|page"
    r"|plugin|program|project|template|tool|tutorial|website) and (?:is|was|has)"
    r"|(?:der|die|das|eine?|diese[rs]?) [\w-]+ und (?:ist|sind|war|waren|wird|werden|hat|haben)"
    r"|(?:le|la|les|une?|ce|cette) [\w-]+ et (?:est|sont|était)"
    r"|(?:el|la|los|las|una?|este|esta) [\w-]+ y (?:es|son|está|están)"
    r"|(?:il|lo|la|una?|questo|questa) [\w-]+ e (?:è|sono)|(?:de|het|een|deze|dit) [\w-]+ en (?:is|was|wordt|heeft)"
    r"|(?:o|a|uma?|este|esta) [\w-]+ e (?:é|são|está)) ",
    re.IGNORECASE,
)
# A name with a sign in it. A name with brackets after it is a function's, which a sentence may contain.
_IDENTIFIER: Final = re.compile(r"\w*_\w+\b(?!\([\w, ]*\)|/\d)")
_DIGIT: Final = re.compile(r"\d")
_NO_DIGITS: Final = bytes(code for code in range(128) if not chr(code).isdigit())
_NO_CAPITALS: Final = bytes(code for code in range(128) if not chr(code).isupper())
_MOST_DIGITS: Final = 0.2  # share of a text's characters; with more it is a table or a date line
_MOST_CAPITALS: Final = 0.35
UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")


def is_prose(sentence: str, known: str) -> bool:
    """Whether a sentence is prose: complete, and not code, a list of links, figures or text in capitals.

    ``known``: the title and heading, normalized by ``fold``. The sentence may contain identifiers from these.
    """
    if _is_code(sentence) and _is_code(_without_names(sentence, known)):
        bare = _SCOPED.sub("", sentence)
        if "::" not in known or bare == sentence or _is_code(_without_names(bare, known)):
            return False
    if "_" in sentence and not all(_is_named(fold(name), known) for name in _IDENTIFIER.findall(sentence)):
        return False
    if sentence[0].islower():
        first = fold(sentence.partition(" ")[0])
        if first not in {*known.split(), *split_words(known)} and not ("_" in first and _is_named(first, known)):
            return False
    if (
        _BEGINS.match(sentence) is None
        or _RULE.search(sentence)
        or _GAP.search(sentence)
        or sentence.endswith(_OMITS)
        or _JOINED.search(sentence)
        or _BROKEN.match(sentence)
        or ("[" in sentence and _CITED.search(sentence))
        or not balanced(sentence)
    ):
        return False
    digits, capitals = _digits_and_capitals(sentence)
    if digits > _MOST_DIGITS * len(sentence) or capitals > _MOST_CAPITALS * len(sentence):
        return False
    return UNSPACED.search(sentence) is not None or sentence.count(" ") > 1


def _is_named(name: str, known: str) -> bool:
    """Whether the title or heading has a folded name from code: "tent_filter" or, in words, "Tent filter"."""
    return name in known or name.replace("_", " ") in known


def _is_code(sentence: str) -> bool:
    signs = _MARKS.intersection(sentence)
    return bool(signs) and (not _NO_PROSE.isdisjoint(signs) or any(_CODE[sign].search(sentence) for sign in signs))


def _without_names(sentence: str, known: str) -> str:
    """Return a sentence without names that the page's title or heading has."""
    names = set(known.split())
    return " ".join("it" if fold(word).rstrip(_AFTER_NAMES) in names else word for word in sentence.split())


def _digits_and_capitals(text: str) -> tuple[int, int]:
    if text.isascii():
        data = text.encode()
        return len(data.translate(None, _NO_DIGITS)), len(data.translate(None, _NO_CAPITALS))
    # Capitals are the characters that lower case changes. A rare letter may change the length of the text.
    return len(_DIGIT.findall(text)), sum(map(ne, text, text.lower()))
