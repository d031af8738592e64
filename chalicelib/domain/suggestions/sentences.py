"""The sentences of a text, and whether one can stand alone where it is quoted."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import ne
from typing import Final, NamedTuple

from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestions.languages import words_between_marks
from chalicelib.domain.suggestions.leaning import (
    BY_LANGUAGE,
    CAPTIONS,
    IFS,
    LABELS,
    NO_LANGUAGE,
    OPENINGS,
    PLACES,
    POINTERS,
    POINTING,
    REQUESTS,
    SELF_NOUNS,
    Leaning,
)
from chalicelib.domain.suggestions.lexicon import ABBREVIATIONS, NOTICES
from chalicelib.domain.suggestions.words import balanced, split_words, stems

FEWEST_WORDS: Final = 6  # a sentence has as many; names, dates and buttons have fewer

_SENTENCE_END: Final = re.compile("[.!?\u3002\uff01\uff1f]+[\"'”’»)\\]\u300d\u300f\uff09]*")
_LOWER_START: Final = re.compile(r"\s*[\"'“„«(]?[a-zß-öø-ÿ]")
_BEGINS: Final = re.compile(r"[\"'“„«¿¡]?\s?[^\W_]")
# What code and lists of links have and sentences have not: some characters anywhere, others only beside certain ones.
# A pattern that begins with its character is looked for only where that is, and costs next to nothing.
_NO_PROSE: Final = frozenset("{}<>\\=^~|•·→►▸⇒")
_CODE: Final = {
    sign: re.compile(pattern)
    for sign, pattern in {
        "$": r"\$(?!\d)",
        "(": r"\(\)|\.(?<=\w\.)\w+\(",
        "*": r"\*\*\*",
        ":": r"::|https?:",
        "-": r"-(?<!\w-)(?:-\w|[a-zA-Z]\b)",
        ";": r";\s*$",
        "/": r"/(?<=\w/)\w+/\w|/(?<=\s/)\s",
        "»": r"^[^«]*»[^«]*$",  # no quotation
        "›": r"^[^‹]*›[^‹]*$",
    }.items()
}
_MARKS: Final = _NO_PROSE | _CODE.keys()
_GAP: Final = re.compile(r"\s[,.](?:\s|$)|\(\s*\)|[“„«]\s*[”“»]")  # something was taken out before the mark
_REFERENCE: Final = re.compile(r"\s?\[\d{1,3}\]")
_FOOTNOTE: Final = re.compile(r"[\[(]?(?:\d{1,3}|[*†‡])[\])]")
_REMARK: Final = re.compile(rf"(?:(?:{LABELS})\s*[:!–—-]|(?:{CAPTIONS})\s*\d)")
_RELATIVES: Final = frozenset(("that", "dat", "die"))  # of the demonstratives, those that join clauses as well
_SEE: Final = "see cf. siehe vgl. voir véase ver vea vedi vedere zie veja zobacz patrz".split()
_PLACE: Final = re.compile(
    rf"\b(?:{PLACES})\s+(?:[\d.]*\d|[a-z](?:\.[\d.]*\d)?\b)|[,;(] ?(?:{'|'.join(map(re.escape, _SEE))}) "
)
_RULE: Final = re.compile(r"[-=~_*#.]{4}")  # a line drawn with characters
_LABEL: Final = re.compile(r"\S+(?:\s\S+){0,3}\s?:(?:\s|$)")
# A new text begins in the middle of the sentence: the one before it had no stop.
_JOINED: Final = re.compile(
    r"(?<=[a-zß-öø-ÿ)] )(?:See|This|These|If|When|For|It|Note|Returns|The|Voir|Cette|Cet|Les|Véase|Los|Esta|Vedi|Questo"
    r"|Zie|Deze|Siehe)(?= [a-zß-öø-ÿ])"
)
_IDENTIFIER: Final = re.compile(r"\w*_\w+")
_DIGIT: Final = re.compile(r"\d")
_NO_DIGITS: Final = bytes(code for code in range(128) if not chr(code).isdigit())
_NO_CAPITALS: Final = bytes(code for code in range(128) if not chr(code).isupper())
_MOST_DIGITS: Final = 0.2  # of a text; more is a table or a date line
_MOST_CAPITALS: Final = 0.35
_LOOKED_AT: Final = 4  # first words among which a demonstrative and its noun stand
UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_INDEXED: Final = 3  # letters by which phrases are looked up


def _by_beginning(phrases: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Phrases by the first letters of their first word; those of scripts without spaces begin anywhere: under ""."""
    found: dict[str, tuple[str, ...]] = {}
    for phrase in phrases:
        first = "" if UNSPACED.match(phrase) else phrase[:_INDEXED]
        beginning = words_between_marks(phrase)[0][:_INDEXED] if first and first[0].isalnum() else first
        found[beginning] = (*found.get(beginning, ()), phrase)
    return found


NOTICES_BY_BEGINNING: Final = _by_beginning(NOTICES)
_POINTING_BY_BEGINNING: Final = _by_beginning(POINTING)
_POINTING_BEGINNINGS: Final = (
    _POINTING_BY_BEGINNING.keys()
    | {word[:_INDEXED] for word in POINTERS | REQUESTS}
    | {place[:_INDEXED] for place in (*PLACES.split("|"), *_SEE)}
)
_OPENINGS_BY_WORD: Final = {
    word: tuple(one for one in OPENINGS if one.split()[0] == word) for word in {one.split()[0] for one in OPENINGS}
}


class Sentence(NamedTuple):
    """A whole sentence with its stop, and the same folded."""

    text: str
    folded: str


def leaning_in(language: str | None) -> Leaning:
    """The words that tell in a language whether a sentence can stand alone; of English where it is not known."""
    return BY_LANGUAGE.get(language or "en", NO_LANGUAGE)


def usable(text: str, known: str, leaning: Leaning) -> list[Sentence]:
    """The sentences of a text up to the first that cannot be quoted; of those after it, none would stand beside it.

    ``known``: the folded title and heading, whose identifiers may stand in a sentence.
    """
    folded = fold(text)
    beginnings = {word[:_INDEXED] for word in words_between_marks(folded)}
    if _holds(NOTICES_BY_BEGINNING, beginnings, folded, known):
        return []
    may_point = not folded.isascii() or not beginnings.isdisjoint(_POINTING_BEGINNINGS)
    found: list[Sentence] = []
    for sentence in sentences_of(text):
        if not is_prose(sentence, known):
            break
        one = Sentence(sentence, fold(sentence))
        first = _first_word(one.folded)
        if may_point and points_elsewhere(one.folded):
            break
        if found and (first in leaning.contrasts or _opens(one.folded, first)):
            break
        found.append(one)
    return found


def sentences_of(text: str) -> list[str]:
    """The whole sentences of a text, each with its stop; what follows the last one is left out.

    References to notes ("[1]") and the marks of code in plain text (backticks) are taken out of them.
    """
    if "[" in text:
        if _FOOTNOTE.match(text):
            return []
        text = _REFERENCE.sub("", text)
    if "`" in text:
        text = text.replace("`", "")
    found: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        end = match.end()
        sentence = text[start:end]
        if match[0][0] in ".!?" and end < len(text) and not text[end].isspace():
            continue
        if match[0][0] in ".!?" and (_abbreviated(sentence) or _LOWER_START.match(text, end)):
            continue
        found.append(sentence.strip())
        start = end
    return found


def _abbreviated(sentence: str) -> bool:
    if not sentence.endswith("."):
        return False
    word = fold(sentence[:-1].rpartition(" ")[2].lstrip("(["))
    return word in ABBREVIATIONS or (len(word) == 1 and word.isalpha()) or (len(word) <= 2 and word.isdigit())


def is_prose(sentence: str, known: str) -> bool:
    """Whether a sentence is one: no code, no list of links, no figures, no shouting, nothing missing in it.

    ``known``: the folded title and heading, whose identifiers may stand in the sentence.
    """
    signs = _MARKS.intersection(sentence)
    if signs and (not _NO_PROSE.isdisjoint(signs) or any(_CODE[sign].search(sentence) for sign in signs)):
        return False
    if "_" in sentence and any(fold(name) not in known for name in _IDENTIFIER.findall(sentence)):
        return False
    if sentence[0].islower() and fold(sentence.partition(" ")[0]) not in known.split():
        return False
    if (
        _BEGINS.match(sentence) is None
        or _RULE.search(sentence)
        or _GAP.search(sentence)
        or _JOINED.search(sentence)
        or not balanced(sentence)
    ):
        return False
    digits, capitals = _digits_and_capitals(sentence)
    if digits > _MOST_DIGITS * len(sentence) or capitals > _MOST_CAPITALS * len(sentence):
        return False
    return UNSPACED.search(sentence) is not None or sentence.count(" ") > 1


def _digits_and_capitals(text: str) -> tuple[int, int]:
    if text.isascii():
        data = text.encode()
        return len(data.translate(None, _NO_DIGITS)), len(data.translate(None, _NO_CAPITALS))
    # Capitals are the characters that lower case changes; the two may differ in length by a rare letter.
    return len(_DIGIT.findall(text)), sum(map(ne, text, text.lower()))


def is_notice(text: str) -> bool:
    """Whether a text is about the website instead of the page, or a sample that nobody replaced."""
    folded = fold(text)
    beginnings = {word[:_INDEXED] for word in words_between_marks(folded)}
    return _holds(NOTICES_BY_BEGINNING, beginnings, folded)


def _holds(
    index: Mapping[str, Sequence[str]], beginnings: AbstractSet[str], folded: str, known: str | None = None
) -> bool:
    """Whether a phrase of the index stands in a text with these beginnings of words, and a word begins there.

    One that the page is about (``known``) does not count.
    """
    return any(
        phrase in folded
        and (known is None or phrase not in known)
        and re.search(r"(?<!\w)" + re.escape(phrase), folded) is not None
        for beginning in beginnings & index.keys()
        for phrase in index[beginning]
    ) or (not folded.isascii() and any(phrase in folded for phrase in index.get("", ())))


def points_elsewhere(folded: str) -> bool:
    """Whether a folded sentence speaks of another place: "as shown below", "see section 5"."""
    words = words_between_marks(folded)
    if not POINTERS.isdisjoint(words) or not REQUESTS.isdisjoint(words) or _PLACE.search(folded) is not None:
        return True
    return _holds(_POINTING_BY_BEGINNING, {word[:_INDEXED] for word in words}, folded)


def leans(sentence: Sentence, topic: AbstractSet[str], leaning: Leaning) -> bool:
    """Whether a sentence cannot be the first: it means something said before it, or is a remark or a caption.

    ``topic``: stems of the page's topic; "this" before one of its words means the page, and a label may be one.
    """
    folded = sentence.folded
    first = _first_word(folded)
    if first in IFS and first in leaning.conditions:
        return True
    label = _LABEL.match(folded)
    if label is not None and topic.isdisjoint(stems(split_words(label[0]))):
        return True
    if first in leaning.back or _opens(folded, first) or _REMARK.match(folded):
        return True
    words = split_words(folded[:80])
    if not words or words[0] in leaning.back:
        return True
    if not leaning.also.isdisjoint(words[:_LOOKED_AT]):
        return True
    for at in (0, 1):  # "this layout", "in this layout"
        if words[at : at + 1] and words[at] in leaning.demonstratives:
            return not _names(words[at + 1 : at + _LOOKED_AT], topic)
    return False


def means_page(sentence: Sentence, leaning: Leaning) -> bool:
    """Whether a sentence begins with the page itself: "This module", "In diesem Dokument"."""
    words = split_words(sentence.folded[:80])
    return any(
        word in leaning.demonstratives and not SELF_NOUNS.isdisjoint(words[at + 1 : at + _LOOKED_AT])
        for at, word in enumerate(words[:2])
    )


def negates(sentence: Sentence, leaning: Leaning) -> bool:
    """Whether a sentence says what something is not."""
    return not leaning.negations.isdisjoint(sentence.folded.replace("’", "'").rstrip(".").split())


def speaks_of_other(sentence: Sentence, leaning: Leaning) -> bool:
    """Whether a sentence has "this" or "these" anywhere, other than before the page itself."""
    told = leaning.demonstratives - _RELATIVES
    return not told.isdisjoint(split_words(sentence.folded)) and not means_page(sentence, leaning)


def is_conditional(sentence: Sentence, leaning: Leaning) -> bool:
    """Whether a sentence begins with a case ("If the channel is locked, …")."""
    return _first_word(sentence.folded) in leaning.conditions


def _first_word(folded: str) -> str:
    return folded.partition(" ")[0].strip(",")


def _opens(folded: str, first: str) -> bool:
    """Whether a sentence with this first word begins with one of the openings, as whole words."""
    return any(
        folded.startswith(one) and not (one[-1].isalpha() and folded[len(one) : len(one) + 1].isalnum())
        for one in _OPENINGS_BY_WORD.get(first, ())
    )


def _names(words: Collection[str], topic: AbstractSet[str]) -> bool:
    return not SELF_NOUNS.isdisjoint(words) or not topic.isdisjoint(stems(words))
