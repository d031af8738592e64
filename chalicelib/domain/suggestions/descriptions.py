"""Descriptions taken from the page: its own text for social networks, or whole sentences of its first paragraphs.

Nothing is written: every candidate is text that stands on the page, cut where a sentence or a clause ends, and where
one text is not enough, two of them side by side in their order.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from operator import ne
from typing import Final, NamedTuple

from chalicelib.domain.page.page_kinds import PageKind, description_advice
from chalicelib.domain.page.text import fold, is_masked
from chalicelib.domain.page.widths import description_px
from chalicelib.domain.suggestions.lexicon import ABBREVIATIONS, BACK_REFERENCES, NOTICES, NUMBER_WORDS
from chalicelib.domain.suggestions.model import Advice
from chalicelib.domain.suggestions.words import balanced, content_words, ends_well, split_words, stems, stop_words

SHORTEST: Final = 70  # characters, where a wide one (Chinese, Japanese, Korean) says as much as two
LONGEST: Final = 155  # characters: what desktop results show of Latin text
WIDEST_PX: Final = 985  # Arial at 14 px
MOST_CANDIDATES: Final = 2
FEWEST_WORDS: Final = 6  # a sentence has as many; names, dates and buttons have fewer

_SENTENCE_END: Final = re.compile("[.!?\u3002\uff01\uff1f]+[\"'”’»)\\]\u300d\u300f\uff09]*")
_WHOLE: Final = re.compile(r"[.!?\u3002\uff01\uff1f][\"'”’»)\]]*$")
_CLAUSE_END: Final = re.compile(r"[;:](?=\s)|\s[–—-](?=\s)|,(?=\s)|[\uff1b\uff0c]")
_LOWER_START: Final = re.compile(r"\s*[\"'“„«(]?[a-zß-öø-ÿ]")
_CODE: Final = re.compile(r"[{}<>\\=]|\(\)|\w\.\w+\(|https?://|\*\*\*|\w_\w|;\s*$")
_LIST_MARK: Final = re.compile(r"[|•›»·]|\s/\s|\s>\s")
_DIGIT: Final = re.compile(r"\d")
_MARKS: Final = frozenset("{}<>\\=(/*_;|•›»·")
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_MOST_DIGITS: Final = 0.2  # of a text; more is a table or a date line
_MOST_CAPITALS: Final = 0.35
_NARROW_ENOUGH: Final = 70  # characters: as many of the widest ones fit
_NO_TEXT: Final = frozenset({"account", "empty_archive", "search"})


class PageText(NamedTuple):
    """One page as its description is suggested; ``paragraphs`` of its main text in order."""

    title: str | None = None
    h1: str | None = None
    description: str | None = None
    og_description: str | None = None
    paragraphs: Sequence[str] = ()
    lang: str | None = None
    kind: PageKind = PageKind()
    is_product: bool = False


def candidates(page: PageText) -> list[str]:
    """What could describe the page, best first: its own description cut, the text it shares, its first sentences.

    Log-in, basket, search and empty pages get none; lists of posts only what was written about the list, because
    their paragraphs belong to the posts.
    """
    if page.kind.kind in _NO_TEXT:
        return []
    stops = stop_words(page.lang)
    said = content_words(f"{page.title or ''} {page.h1 or ''}", stops)
    topic = stems(word for word in said if word not in NUMBER_WORDS and not word.isdecimal())
    present = fold(page.description or "")
    found: list[str] = []
    for text in _texts(page, topic, stops):
        if text not in found and fold(text) != present and not is_masked(text):
            found.append(text)
            if len(found) == MOST_CANDIDATES:
                break
    return found


def advice_for(kind: PageKind) -> Advice | None:
    """What to do about the description of a page of this kind; None for ordinary pages."""
    advice = description_advice(kind)
    return None if advice is None else Advice(*advice)


def _texts(page: PageText, topic: AbstractSet[str], stops: frozenset[str]) -> Iterator[str]:
    if page.description and not _fits(page.description):
        yield from _first_sentences(_source(page.description), stops)
    if page.og_description:
        if not _fits(page.og_description):
            yield from _first_sentences(_source(page.og_description), stops)
        elif _is_text(page.og_description) and _reads_well(page.og_description, stops):
            yield page.og_description
    if page.kind.kind == "archive":
        return
    good = _Sources(page.paragraphs)
    at = 0
    while (sentences := good.get(at)) is not None:
        for text in _first_sentences(good.onwards(at), stops):
            if _on_topic(text, topic, stops):
                yield text
        at += 1
    for number in range(at):
        sentences = good.get(number) or []
        for start in range(1, len(sentences)):
            if _on_topic(sentences[start], topic, stops) and not _refers_back(sentences[start]):
                yield from _first_sentences(sentences[start:], stops)
    if page.is_product and page.h1 and at:
        yield from _named_feature(page.h1, (good.get(0) or [""])[0], stops)


class _Sources:
    """The sentences of the paragraphs that a description may be taken from, read as far as they are asked for."""

    def __init__(self, paragraphs: Sequence[str]) -> None:
        self._waiting = iter(paragraphs)
        self._read: list[list[str]] = []

    def get(self, number: int) -> list[str] | None:
        """The sentences of a paragraph; None when there are not so many."""
        while len(self._read) <= number:
            paragraph = next(self._waiting, None)
            if paragraph is None:
                return None
            sentences = _source(paragraph)
            if sentences:
                self._read.append(sentences)
        return self._read[number]

    def onwards(self, number: int) -> Iterator[str]:
        """The sentences of a paragraph and of the one after it."""
        yield from self.get(number) or ()
        yield from self.get(number + 1) or ()


def _source(text: str) -> list[str]:
    """The sentences of a text; none where it is no text about something."""
    return _sentences(text) if _is_text(text) else []


def _first_sentences(sentences: Iterable[str], stops: frozenset[str]) -> Iterator[str]:
    """As many whole sentences from the start as fit, or else the first one up to the last clause that fits."""
    text = ""
    for sentence in sentences:
        longer = f"{text}{_gap(text, sentence)}{sentence}"
        if not _not_too_long(longer):
            if not text:
                yield from _clauses(sentence, stops)
            break
        text = longer
    if _is_long_enough(text) and _reads_well(text, stops):
        yield text


def _refers_back(sentence: str) -> bool:
    """Whether a sentence begins with a word that means something said before it."""
    return next(iter(split_words(sentence)), "") in BACK_REFERENCES


def _clauses(sentence: str, stops: frozenset[str]) -> Iterator[str]:
    """The longest beginning of a long sentence that ends with a clause."""
    marks = [match.start() for match in _CLAUSE_END.finditer(sentence[: LONGEST + 1])]
    for end in reversed(marks):
        text = sentence[:end].rstrip()
        if _fits(text) and _reads_well(text, stops) and not _in_enumeration(sentence, end):
            yield text
            return


def _in_enumeration(sentence: str, end: int) -> bool:
    """Whether the mark at ``end`` is a comma between things that are listed: short pieces on both sides."""
    if sentence[end] != ",":
        return False
    before = sentence[:end].rpartition(",")
    after = sentence[end + 1 :].partition(",")
    short = 3  # words
    return bool(before[1] and len(before[2].split()) <= short) or bool(after[1] and len(after[0].split()) <= short)


def _named_feature(name: str, first: str, stops: frozenset[str]) -> Iterator[str]:
    """A product's name and the first sentence about it, where the sentence alone does not say which it is."""
    text = f"{name}: {first}"
    if _fits(text) and _reads_well(text, stops):
        yield text


def _sentences(text: str) -> list[str]:
    """The sentences of a text that ends some; what follows the last full stop is left out."""
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
    if not found and text and not text.endswith("…"):
        return [text.strip()]
    return found


def _abbreviated(sentence: str) -> bool:
    if not sentence.endswith("."):
        return False
    word = fold(sentence[:-1].rpartition(" ")[2].lstrip("(["))
    return word in ABBREVIATIONS or (len(word) == 1 and word.isalpha()) or word.isdigit()


def _gap(text: str, following: str) -> str:
    return "" if not text or _UNSPACED.match(text[-1]) or _UNSPACED.match(following) else " "


# -- guards --------------------------------------------------------------------------------------------


def _not_too_long(text: str) -> bool:
    return len(text) <= _NARROW_ENOUGH or (len(text) <= LONGEST and description_px(text) <= WIDEST_PX)


def _fits(text: str) -> bool:
    return _is_long_enough(text) and _not_too_long(text)


def _is_long_enough(text: str) -> bool:
    if len(text) >= SHORTEST or text.isascii():
        return len(text) >= SHORTEST
    return len(text) + sum(unicodedata.east_asian_width(character) in "WF" for character in text) >= SHORTEST


def _reads_well(text: str, stops: frozenset[str]) -> bool:
    # A whole sentence may end on a small word, a clause that was cut out may not.
    final: frozenset[str] = frozenset() if _WHOLE.search(text) else stops
    return ends_well(text, final) and balanced(text) and _is_prose(text)


def _is_prose(text: str) -> bool:
    """Whether a text has words enough, and is no line of figures and no shouting."""
    if len(_DIGIT.findall(text)) > _MOST_DIGITS * len(text):
        return False
    # Capitals are the characters that lower case changes; the two may differ in length by a rare letter.
    if sum(map(ne, text, text.lower())) > _MOST_CAPITALS * len(text):
        return False
    return text.count(" ") + 1 >= FEWEST_WORDS or _UNSPACED.search(text) is not None


def _is_text(text: str) -> bool:
    """Whether a text is about something: no notice, no code, no list of links."""
    # The two patterns cost more than all else here, and most texts have none of their characters.
    if not _MARKS.isdisjoint(text) and (_CODE.search(text) or _LIST_MARK.search(text)):
        return False
    folded = fold(text)
    # Looking for each text anywhere is fast and almost always enough; then a word must begin there.
    for notice in NOTICES:  # noqa: SIM110 - as a loop it takes a third of the time
        if notice in folded and _begins_word(notice, folded):
            return False
    return True


def _begins_word(notice: str, folded: str) -> bool:
    return re.search(r"(?<!\w)" + re.escape(notice), folded) is not None


def _on_topic(text: str, topic: AbstractSet[str], stops: frozenset[str]) -> bool:
    """Whether a text shares a word, or another form of one, with the title or the main heading (``stems``)."""
    if _UNSPACED.search(text):  # scripts without spaces: a topic word is any run that both write
        return any(word in text for word in topic)
    return not topic.isdisjoint(stems(content_words(text, stops)))
