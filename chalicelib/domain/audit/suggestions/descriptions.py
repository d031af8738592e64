"""Descriptions taken from the page: its own text for social networks, or whole sentences of its first paragraphs.

Nothing is written: every candidate is text that stands on the page, cut where a sentence or a clause ends, and where
one text is not enough, two of them side by side in their order.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from chalicelib.domain.audit.page_kinds import PageKind, description_advice
from chalicelib.domain.audit.suggestions.lexicon import ABBREVIATIONS, BACK_REFERENCES, NOTICES
from chalicelib.domain.audit.suggestions.model import Advice
from chalicelib.domain.audit.suggestions.words import akin, balanced, content_words, ends_well, split_words, stop_words
from chalicelib.domain.audit.text import fold
from chalicelib.domain.audit.widths import description_px

SHORTEST: Final = 70  # characters
LONGEST: Final = 155  # characters: what desktop results show of Latin text
WIDEST_PX: Final = 985  # Arial at 14 px
MOST_CANDIDATES: Final = 4
FEWEST_WORDS: Final = 6  # a sentence has as many; names, dates and buttons have fewer

_SENTENCE_END: Final = re.compile(r"[.!?]+[\"'”’»)\]]*(?=\s|$)|[\u3002\uff01\uff1f]+[\u300d\u300f\uff09]*")
_CLAUSE_END: Final = re.compile(r"[;:](?=\s)|\s[–—-](?=\s)|,(?=\s)|[\uff1b\uff0c]")
_LAST_WORD: Final = re.compile(r"([^\s(\[]+)\.$")
_LOWER_START: Final = re.compile(r"\s*[\"'“„«(]?[a-zß-öø-ÿ]")
_CODE: Final = re.compile(r"[{}<>\\=]|\(\)|https?://|www\.|\*\*\*|\w_\w|;\s*$")
_LIST_MARK: Final = re.compile(r"[|•›»·]|\s/\s|\s>\s")
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_MOST_DIGITS: Final = 0.2  # of a text; more is a table or a date line
_MOST_CAPITALS: Final = 0.4  # of its letters
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
    topic = set(content_words(f"{page.title or ''} {page.h1 or ''}", stops))
    present = fold(page.description or "")
    found = dict.fromkeys(text for text in _texts(page, topic, stops) if fold(text) != present)
    return list(islice(found, MOST_CANDIDATES))


def advice_for(kind: PageKind) -> Advice | None:
    """What to do about the description of a page of this kind; None for ordinary pages."""
    advice = description_advice(kind)
    return None if advice is None else Advice(*advice)


def _texts(page: PageText, topic: set[str], stops: frozenset[str]) -> Iterator[str]:
    if page.description and not _fits(page.description):
        yield from _first_sentences(_sentences(page.description), stops)
    if page.og_description:
        if _fits(page.og_description):
            if _reads_well(page.og_description, stops):
                yield page.og_description
        else:
            yield from _first_sentences(_sentences(page.og_description), stops)
    if page.kind.kind == "archive":
        return
    good = [_sentences(paragraph) for paragraph in page.paragraphs if _is_prose(paragraph)]
    good = [sentences for sentences in good if sentences]
    for at, sentences in enumerate(good):
        following = good[at + 1] if at + 1 < len(good) else []
        for text in _first_sentences([*sentences, *following], stops):
            if _on_topic(text, topic, stops):
                yield text
    for sentences in good:
        for start in range(1, len(sentences)):
            if _on_topic(sentences[start], topic, stops) and not _refers_back(sentences[start]):
                yield from _first_sentences(sentences[start:], stops)
    if page.is_product and page.h1 and good:
        yield from _named_feature(page.h1, good[0][0], stops)


def _first_sentences(sentences: Sequence[str], stops: frozenset[str]) -> Iterator[str]:
    """As many whole sentences from the start as fit, or else the first one up to the last clause that fits."""
    text = ""
    for sentence in sentences:
        longer = f"{text}{_gap(text, sentence)}{sentence}"
        if not _not_too_long(longer):
            break
        text = longer
    if _fits(text) and _reads_well(text, stops):
        yield text
    elif sentences and not text:
        yield from _clauses(sentences[0], stops)


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
        sentence = text[start : match.end()]
        if match[0][0] == "." and (_abbreviated(sentence) or _LOWER_START.match(text, match.end())):
            continue
        found.append(sentence.strip())
        start = match.end()
    if not found and text and not text.endswith("…"):
        return [text.strip()]
    return found


def _abbreviated(sentence: str) -> bool:
    match = _LAST_WORD.search(sentence)
    if match is None:
        return False
    word = fold(match[1])
    return word in ABBREVIATIONS or (len(word) == 1 and word.isalpha()) or word.isdigit()


def _gap(text: str, following: str) -> str:
    return "" if not text or _UNSPACED.match(text[-1]) or _UNSPACED.match(following) else " "


# -- guards --------------------------------------------------------------------------------------------


def _not_too_long(text: str) -> bool:
    return len(text) <= LONGEST and description_px(text) <= WIDEST_PX


def _fits(text: str) -> bool:
    return len(text) >= SHORTEST and _not_too_long(text)


def _reads_well(text: str, stops: frozenset[str]) -> bool:
    return ends_well(text, stops) and balanced(text) and _is_prose(text)


def _is_prose(text: str) -> bool:
    """Whether a text is a sentence about something: no notice, no code, no list, no line of dates or prices."""
    if _CODE.search(text) or _LIST_MARK.search(text):
        return False
    letters = sum(map(str.isalpha, text))
    if not letters or sum(map(str.isdigit, text)) > _MOST_DIGITS * len(text):
        return False
    if sum(map(str.isupper, text)) > _MOST_CAPITALS * letters:
        return False
    if len(text.split()) < FEWEST_WORDS and not _UNSPACED.search(text):
        return False
    folded = fold(text)
    # Looking for each text anywhere is fast and almost always enough; then a word must begin there.
    return not any(notice in folded and _begins_word(notice, folded) for notice in NOTICES)


def _begins_word(notice: str, folded: str) -> bool:
    return re.search(r"(?<!\w)" + re.escape(notice), folded) is not None


def _on_topic(text: str, topic: Iterable[str], stops: frozenset[str]) -> bool:
    """Whether a text shares a word, or another form of one, with the title or the main heading."""
    if _UNSPACED.search(text):  # scripts without spaces: a topic word is any run that both write
        return any(word in text for word in topic)
    return any(akin(word, topic) for word in content_words(text, stops))
