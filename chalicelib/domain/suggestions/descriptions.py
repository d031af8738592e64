"""Descriptions taken from the page: its own text for social networks, or whole sentences of its first paragraphs.

Nothing is written: every candidate is sentences that stand on the page side by side, in their order and in the page's
language. A sentence that is too long is taken up to a semicolon, or without what it says in brackets.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from chalicelib.domain.page.page_kinds import PageKind, description_advice
from chalicelib.domain.page.text import fold, is_masked
from chalicelib.domain.page.widths import description_px
from chalicelib.domain.suggestions.languages import agree, spoken
from chalicelib.domain.suggestions.lexicon import NUMBER_WORDS
from chalicelib.domain.suggestions.model import Advice, Candidate, SuggestedFrom
from chalicelib.domain.suggestions.sentences import (
    FEWEST_WORDS,
    UNSPACED,
    is_notice,
    is_prose,
    leans,
    points_elsewhere,
    sentences_of,
)
from chalicelib.domain.suggestions.typography import closed_up, typeset
from chalicelib.domain.suggestions.words import balanced, content_words, split_words, stems, stop_words

SHORTEST: Final = 70  # characters, where a wide one (Chinese, Japanese, Korean) says as much as two
LONGEST: Final = 155  # characters: what desktop results show of Latin text
WIDEST_PX: Final = 985  # Arial at 14 px
MOST_CANDIDATES: Final = 2

_WHOLE: Final = re.compile("[.!\u3002\uff01][\"'”’»)\\]\u300d\u300f\uff09]*$")
_CLAUSE_END: Final = re.compile("(?<=[^\\W\\d_]);(?=\\s)|\uff1b")
_BRACKETS: Final = re.compile(r"\s?\([^()]*\)")
_NARROW_ENOUGH: Final = 70  # characters: as many of the widest ones fit
_FIRST_WORDS: Final = 8  # of a sentence further down: the topic stands among them
_LONGEST_STEM: Final = 5
_NO_TEXT: Final = frozenset({"account", "empty_archive", "search"})


class PageText(NamedTuple):
    """One page as its description is suggested. ``title``: without the website's name; ``paragraphs`` of its main text
    in order; ``lang``: the language of its text, or else the one that it names; ``name``: of the website, folded.
    """

    title: str | None = None
    h1: str | None = None
    description: str | None = None
    og_description: str | None = None
    paragraphs: Sequence[str] = ()
    lang: str | None = None
    kind: PageKind = PageKind()
    is_product: bool = False
    name: str | None = None


def candidates(page: PageText) -> list[Candidate]:
    """What could describe the page, best first: its own description cut, the text it shares, its first sentences.

    Log-in, basket, search and empty pages get none; lists of posts only what was written about the list, because
    their paragraphs belong to the posts.
    """
    if page.kind.kind in _NO_TEXT:
        return []
    about = _About(page)
    present = fold(page.description or "")
    found: dict[str, SuggestedFrom] = {}
    for text, source in _texts(page, about):
        text = typeset(text, page.lang)
        if text not in found and _fits(text) and fold(text) != present and not is_masked(text) and about.speaks(text):
            found[text] = source
            if len(found) == MOST_CANDIDATES:
                break
    return [Candidate(text, source) for text, source in found.items()]


def why_none(page: PageText) -> str:
    """Why nothing on the page describes it."""
    if page.kind.kind in _NO_TEXT:
        return "Log-in, basket, search and empty pages are not to be found in search results, and get no description."
    if page.kind.kind == "archive":
        return "The texts of a list belong to its entries; nothing on the page is about the list itself."
    if not page.paragraphs:
        return "The page has no paragraph of text to take a description from."
    return (
        f"No sentences of {SHORTEST} to {LONGEST} characters in the page's first paragraphs can stand alone and say "
        "what its title is about."
    )


def advice_for(kind: PageKind) -> Advice | None:
    """What to do about the description of a page of this kind; None for ordinary pages."""
    advice = description_advice(kind)
    return None if advice is None else Advice(*advice)


class _About:
    """What the page is about, and in which language it says so."""

    def __init__(self, page: PageText) -> None:
        self._lang = page.lang
        self._stops = stop_words(page.lang)
        self.known = fold(f"{page.title or ''} {page.h1 or ''}")
        self.topic = self._stems(self.known) - self._stems(page.name or "") or self._stems(self.known)
        self._language = spoken(" ".join([*page.paragraphs, page.title or ""]))
        self._of_title = spoken(self.known)

    def _stems(self, text: str) -> set[str]:
        words = content_words(text, self._stops)
        return stems(word for word in words if word not in NUMBER_WORDS and not word.isdecimal())

    def shares(self, text: str) -> bool:
        """Whether a text has a word of the title or main heading, another form of it, or one that is put together
        with it."""
        folded = fold(text)
        if UNSPACED.search(text):  # scripts without spaces: a topic word is any run that both write
            return any(word in folded for word in self.topic)
        if any(len(stem) == _LONGEST_STEM and stem in folded for stem in self.topic):
            return True
        return not self.topic.isdisjoint(stems(split_words(folded)))

    def begins(self, sentence: str) -> bool:
        """Whether a sentence is about the topic from its first words on."""
        if UNSPACED.search(sentence):
            return self.shares(sentence)
        return not self.topic.isdisjoint(stems(split_words(sentence)[:_FIRST_WORDS]))

    def speaks(self, text: str) -> bool:
        """Whether a text is in the language of the page, as far as that can be told."""
        said = spoken(text)
        return agree(said, self._language) and agree(said, self._of_title)


def _texts(page: PageText, about: _About) -> Iterator[tuple[str, SuggestedFrom]]:
    if page.description and not _fits(page.description):
        for text in _whole(_usable(page.description, about)):
            yield text, "description"
    if page.og_description:
        if not _fits(page.og_description):
            for text in _whole(_usable(page.og_description, about)):
                yield text, "og_description"
        elif _is_description(page.og_description, about):
            yield page.og_description, "og_description"
    if page.kind.kind == "archive":
        return
    read: list[list[str]] = []
    for at, sentences in enumerate(_paragraphs(page.paragraphs, about)):
        read.append(sentences)
        source: SuggestedFrom = "paragraph" if at else "first_paragraph"
        for text in _from_start(sentences, about, first=at == 0):
            yield text, source
    if len(read) > 1 and read[0] and read[1] and len(" ".join(read[0])) < SHORTEST:
        for text in _from_start([*read[0], *read[1]], about, first=True):
            yield text, "first_paragraph"
    for sentences in read:
        for start in range(1, len(sentences)):
            if about.begins(sentences[start]):
                for text in _from_start(sentences[start:], about, first=False):
                    yield text, "paragraph"
    if page.is_product and page.h1 and read and read[0]:
        yield f"{page.h1}: {read[0][0]}", "first_paragraph"


def _paragraphs(paragraphs: Sequence[str], about: _About) -> Iterator[list[str]]:
    """The usable sentences of the paragraphs that have some."""
    for paragraph in paragraphs:
        sentences = _usable(paragraph, about)
        if sentences:
            yield sentences


def _usable(text: str, about: _About) -> list[str]:
    """The sentences of a text up to the first that cannot be quoted; of those after it, none would stand beside it."""
    if is_notice(text):
        return []
    found: list[str] = []
    for sentence in sentences_of(text):
        if not is_prose(sentence, about.known) or points_elsewhere(sentence):
            break
        found.append(sentence)
    return found


def _from_start(sentences: Sequence[str], about: _About, *, first: bool) -> Iterator[str]:
    """The first sentences, where they can stand alone and are about the page's topic."""
    if leans(sentences[0], about.topic if first else frozenset()):
        return
    for text in _whole(sentences):
        if about.shares(text) and (first or about.begins(text)):
            yield text


def _whole(sentences: Iterable[str]) -> Iterator[str]:
    """As many whole sentences from the start as fit, or else the first one shortened."""
    text = ""
    for sentence in sentences:
        longer = f"{text}{_gap(text, sentence)}{sentence}"
        if not _not_too_long(longer):
            if not _is_long_enough(text):
                yield from _shortened(longer)
            break
        text = longer
    if _is_description_text(text):
        yield text


def _shortened(text: str) -> Iterator[str]:
    """A text that is too long without what it says in brackets, or up to a semicolon."""
    bare = closed_up(_BRACKETS.sub("", text), None)
    if bare != text and _not_too_long(bare) and _is_description_text(bare):
        yield bare
        return
    for match in reversed(list(_CLAUSE_END.finditer(text[: LONGEST + 1]))):
        clause = text[: match.start()].rstrip() + ("\u3002" if match[0] == "\uff1b" else ".")
        if _fits(clause) and balanced(clause):
            yield clause
            return


def _gap(text: str, following: str) -> str:
    return "" if not text or UNSPACED.match(text[-1]) or UNSPACED.match(following) else " "


# -- guards --------------------------------------------------------------------------------------------


def _not_too_long(text: str) -> bool:
    return len(text) <= _NARROW_ENOUGH or (len(text) <= LONGEST and description_px(text) <= WIDEST_PX)


def _fits(text: str) -> bool:
    return _is_long_enough(text) and _not_too_long(text)


def _is_long_enough(text: str) -> bool:
    if len(text) >= SHORTEST or text.isascii():
        return len(text) >= SHORTEST
    return len(text) + sum(unicodedata.east_asian_width(character) in "WF" for character in text) >= SHORTEST


def _is_description_text(text: str) -> bool:
    """Whether whole sentences are enough to describe something: long enough, words enough, no question at the end."""
    if not _is_long_enough(text) or _WHOLE.search(text) is None:
        return False
    return text.count(" ") + 1 >= FEWEST_WORDS or UNSPACED.search(text) is not None


def _is_description(text: str, about: _About) -> bool:
    """Whether a text that somebody wrote to describe the page can be taken as it is: with a stop at its end or not."""
    cut = text.endswith(("…", "...", ",", ":", ";", "-", "–", "—"))
    return not cut and not is_notice(text) and is_prose(text, about.known) and text.count(" ") + 1 >= FEWEST_WORDS
