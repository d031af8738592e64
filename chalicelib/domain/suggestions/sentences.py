"""The sentences of a text, and whether one can stand alone where it is quoted."""

import re
from collections.abc import Collection
from collections.abc import Set as AbstractSet
from operator import ne
from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestions.leaning import (
    CAPTIONS,
    DEMONSTRATIVES,
    FIRST_WORDS,
    LABELS,
    OPENINGS,
    POINTERS,
    POINTING,
    SELF_NOUNS,
)
from chalicelib.domain.suggestions.lexicon import ABBREVIATIONS, NOTICES
from chalicelib.domain.suggestions.words import balanced, split_words, stems

FEWEST_WORDS: Final = 6  # a sentence has as many; names, dates and buttons have fewer

_SENTENCE_END: Final = re.compile("[.!?\u3002\uff01\uff1f]+[\"'”’»)\\]\u300d\u300f\uff09]*")
_LOWER_START: Final = re.compile(r"\s*[\"'“„«(]?[a-zß-öø-ÿ]")
_BEGINS: Final = re.compile(r"[\"'“„«¿¡]?\s?[^\W_]")
_CODE: Final = re.compile(r"[{}<>\\=^~]|\$(?!\d)|\(\)|\w\.\w+\(|::|->|https?:|\*\*\*|(?<!\w)--?[^\W\d]|;\s*$|\w/\w+/\w")
_LIST_MARK: Final = re.compile(r"[|•›»·→►▸⇒]|\s/\s|\s>\s")
_MARKS: Final = frozenset("{}<>\\=^~$(/*;|•›»·→►▸⇒-:")
_GAP: Final = re.compile(r"\s[,.](?:\s|$)|\(\s*\)|[“„«]\s*[”“»]")  # something was taken out before the mark
_REFERENCE: Final = re.compile(r"\s?\[\d{1,3}\]")
_FOOTNOTE: Final = re.compile(r"[\[(]?(?:\d{1,3}|[*†‡])[\])]")
_REMARK: Final = re.compile(rf"(?:(?:{LABELS})\s*[:!–—-]|(?:{CAPTIONS})\s*\d)")
_IDENTIFIER: Final = re.compile(r"\w*_\w+")
_DIGIT: Final = re.compile(r"\d")
_MOST_DIGITS: Final = 0.2  # of a text; more is a table or a date line
_MOST_CAPITALS: Final = 0.35
_LOOKED_AT: Final = 4  # first words among which a demonstrative and its noun stand
UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")


def sentences_of(text: str) -> list[str]:
    """The whole sentences of a text, each with its stop; what follows the last one is left out.

    References to notes ("[1]") and the marks of code in plain text (backticks) are taken out of them.
    """
    if "[" in text:
        if _FOOTNOTE.match(text):
            return []
        text = _REFERENCE.sub("", text)
    text = text.replace("`", "").strip()
    found: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        end = match.end()
        sentence = text[start:end]
        if match[0][0] in ".!?" and end < len(text) and not text[end].isspace():
            continue
        if match[0][0] == "." and (_abbreviated(sentence) or _LOWER_START.match(text, end)):
            continue
        found.append(sentence.strip())
        start = end
    return found


def _abbreviated(sentence: str) -> bool:
    if not sentence.endswith("."):
        return False
    word = fold(sentence[:-1].rpartition(" ")[2].lstrip("(["))
    return word in ABBREVIATIONS or (len(word) == 1 and word.isalpha()) or word.isdigit()


def is_prose(sentence: str, known: str) -> bool:
    """Whether a sentence is one: no code, no list of links, no figures, no shouting, nothing missing in it.

    ``known``: the folded title and heading, whose identifiers may stand in the sentence.
    """
    # The two patterns cost more than all else here, and most texts have none of their characters.
    if not _MARKS.isdisjoint(sentence) and (_CODE.search(sentence) or _LIST_MARK.search(sentence)):
        return False
    if "_" in sentence and any(fold(name) not in known for name in _IDENTIFIER.findall(sentence)):
        return False
    if _BEGINS.match(sentence) is None or _GAP.search(sentence) or not balanced(sentence):
        return False
    if len(_DIGIT.findall(sentence)) > _MOST_DIGITS * len(sentence):
        return False
    # Capitals are the characters that lower case changes; the two may differ in length by a rare letter.
    if sum(map(ne, sentence, sentence.lower())) > _MOST_CAPITALS * len(sentence):
        return False
    return UNSPACED.search(sentence) is not None or sentence.count(" ") > 1


def is_notice(text: str) -> bool:
    """Whether a text is about the website instead of the page, or a sample that nobody replaced."""
    folded = fold(text)
    # Looking for each text anywhere is fast and almost always enough; then a word must begin there.
    for notice in NOTICES:  # noqa: SIM110 - as a loop it takes a third of the time
        if notice in folded and _begins_word(notice, folded):
            return True
    return False


def _begins_word(notice: str, folded: str) -> bool:
    return re.search(r"(?<!\w)" + re.escape(notice), folded) is not None


def points_elsewhere(sentence: str) -> bool:
    """Whether a sentence speaks of another place: "as shown below", "see section 5"."""
    folded = fold(sentence)
    if any(phrase in folded and _begins_word(phrase, folded) for phrase in POINTING):
        return True
    return not POINTERS.isdisjoint(folded.replace(",", " ").replace(".", " ").split())


def leans(sentence: str, topic: AbstractSet[str]) -> bool:
    """Whether a sentence cannot be the first: it means something said before it, or is a remark or a caption.

    ``topic``: stems of the page's topic; "this" before one of its words means the page.
    """
    folded = fold(sentence)
    if folded.startswith(OPENINGS) and _ends_phrase(folded):
        return True
    if _REMARK.match(folded):
        return True
    words = split_words(folded[:80])
    if not words:
        return True
    first = words[0]
    if first in FIRST_WORDS or folded.partition(" ")[0] in FIRST_WORDS:
        return True
    return first in DEMONSTRATIVES and not _means_page(words[1:_LOOKED_AT], topic)


def _ends_phrase(folded: str) -> bool:
    """Whether one of the openings is whole words of the sentence."""
    return any(folded.startswith(one) and not folded[len(one) : len(one) + 1].isalnum() for one in OPENINGS)


def _means_page(words: Collection[str], topic: AbstractSet[str]) -> bool:
    return not SELF_NOUNS.isdisjoint(words) or not topic.isdisjoint(stems(words))
