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
from chalicelib.domain.suggestions.languages import agree, spoken, words_between_marks
from chalicelib.domain.suggestions.lexicon import ALL_STOP_WORDS, NUMBER_WORDS
from chalicelib.domain.suggestions.model import Advice, Candidate, SuggestedFrom
from chalicelib.domain.suggestions.sentences import (
    FEWEST_WORDS,
    UNSPACED,
    Sentence,
    is_conditional,
    is_notice,
    is_prose,
    leaning_in,
    leans,
    means_page,
    negates,
    speaks_of_other,
    usable,
)
from chalicelib.domain.suggestions.typography import closed_up, typeset
from chalicelib.domain.suggestions.words import balanced, content_words, ends_well, stems, stop_words

SHORTEST: Final = 70  # characters, where a wide one (Chinese, Japanese, Korean) says as much as two
LONGEST: Final = 160  # characters: what desktop results show of Latin text
WIDEST_PX: Final = 985  # Arial at 14 px
MOST_CANDIDATES: Final = 2

_WHOLE: Final = re.compile("[.!\u3002\uff01][\"'”’»)\\]\u300d\u300f\uff09]*$")
_CLAUSE_END: Final = re.compile("(?<=[^\\W\\d_]);(?=\\s)|\uff1b")
# A clause that only adds something to the whole sentence before it, up to the end.
_ADDED: Final = re.compile(
    r",(?=\s(?:which|whose|where|whereas|while|although|though|so that|because|such as|including|for example|e\.g\."
    r"|wobei|sodass|so dass|weil|obwohl|beispielsweise|ce qui|ce que|dont|où|tandis que|afin que|lo que|lo cual|aunque"
    r"|mientras que|il che|il quale|la quale|mentre|anche se|waarbij|hoewel|zodat|o que|embora|enquanto)\s)"
    r"|\s[–—](?=\s)"
)
_LIST_ADDED: Final = re.compile(
    r",?\s(?=(?:such as|including|for example|for instance|e\.g\.|wie zum beispiel|beispielsweise|tels que|telles que"
    r"|par exemple|por ejemplo|tales como|per esempio|ad esempio|zoals|por exemplo|tais como|na przykład)\s)"
)
_BRACKETS: Final = re.compile(r"\s?\([^()]*\)")
_NARROW_ENOUGH: Final = 70  # characters: as many of the widest ones fit
_TELLING_WORDS: Final = 3  # of a title: fewer tell no language
_SUBJECT_WORDS: Final = 4  # of a sentence further down: the topic is its subject
_LONGEST_STEM: Final = 5
_DECLARED: Final = frozenset({"description", "og_description"})
_NO_TEXT: Final = frozenset({"account", "empty_archive", "search"})


class PageText(NamedTuple):
    """One page as its description is suggested. ``title``: without the website's name; ``paragraphs`` of its main text
    in order; ``lang``: the language of its text as a tag, or else the one that it names; ``language``: of its text, as
    ``languages.spoken`` tells; ``name``: of the website.
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
    language: str | None = None


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
    read: list[list[Sentence]] = []
    for texts in (_first_texts(page, about, read), _later_texts(page, about, read)):
        for text, source in texts:
            text = typeset(text, page.lang)
            if (
                text not in found
                and _fits(text)
                and fold(text) != present
                and not is_masked(text)
                and about.speaks(text)
            ):
                found[text] = source
                # What is shared or declared often stands on many pages; what the text says does not.
                if source not in _DECLARED or len(found) == MOST_CANDIDATES:
                    break
        if found:
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
        said, names = self._stems(self.known), self._stems(page.name or "")
        self.topic = said - names or said
        self._named = said & names  # the website, where the title names it as what the page is about
        self._language = page.language
        self.leaning = leaning_in(page.language)
        of_title = spoken(self.known) if self.known.count(" ") >= _TELLING_WORDS else None
        self._of_title = of_title if of_title != page.language else None

    def _stems(self, text: str) -> set[str]:
        words = content_words(text, self._stops)
        return stems(word for word in words if word not in NUMBER_WORDS and not word.isdecimal())

    def shares(self, folded: str) -> bool:
        """Whether a folded text has a word of the topic, another form of it, or a longer word that it is part of."""
        if UNSPACED.search(folded):  # scripts without spaces: a topic word is any run that both write
            return any(word in folded for word in self.topic)
        if any(len(stem) == _LONGEST_STEM and stem in folded for stem in self.topic):
            return True
        words = words_between_marks(folded)
        return not self.topic.isdisjoint(words) or not self._named.isdisjoint(stems(words[:1]))

    def begins(self, folded: str, words: int) -> bool:
        """Whether a folded sentence is about the topic from so many first words on."""
        if UNSPACED.search(folded):
            return self.shares(folded)
        return not self.topic.isdisjoint(stems(words_between_marks(folded)[:words]))

    def speaks(self, text: str) -> bool:
        """Whether a text is in the language of the page, as far as that can be told."""
        if self._language is None and self._of_title is None:
            return True
        said = spoken(text)
        return agree(said, self._language) and agree(said, self._of_title)


def _first_texts(page: PageText, about: _About, read: list[list[Sentence]]) -> Iterator[tuple[str, SuggestedFrom]]:
    """What was written to describe the page, and the beginnings of its paragraphs. Fills ``read``."""
    if page.description and not _fits(page.description):
        for text in _whole(usable(page.description, about.known, about.leaning)):
            yield text, "description"
    if page.og_description:
        if not _fits(page.og_description):
            for text in _whole(usable(page.og_description, about.known, about.leaning)):
                yield text, "og_description"
        elif _is_description(page.og_description, about):
            yield page.og_description, "og_description"
    if page.kind.kind == "archive":
        return
    for paragraph in page.paragraphs:
        sentences = usable(paragraph, about.known, about.leaning)
        if not sentences:
            continue
        source: SuggestedFrom = "paragraph" if read else "first_paragraph"
        read.append(sentences)
        for text in _from_start(sentences, about, first=len(read) == 1):
            yield text, source


def _later_texts(page: PageText, about: _About, read: list[list[Sentence]]) -> Iterator[tuple[str, SuggestedFrom]]:
    """What else can stand alone: two short paragraphs side by side, sentences about the topic further down, a product's
    name and the first sentence about it."""
    short = len(read) > 1 and sum(len(sentence.text) + 1 for sentence in read[0]) <= SHORTEST
    if short and not leans(read[1][0], about.topic, about.leaning):
        for text in _from_start([*read[0], *read[1]], about, first=True):
            yield text, "first_paragraph"
    for sentences in read:
        for start in range(1, len(sentences)):
            if means_page(sentences[start], about.leaning):
                for text in _from_start(sentences[start:], about, first=False):
                    yield text, "paragraph"
    if page.is_product and page.h1 and read:
        text = f"{page.h1}: {read[0][0].text}"
        if _is_description_text(text) and balanced(text):
            yield text, "first_paragraph"


def _from_start(sentences: Sequence[Sentence], about: _About, *, first: bool) -> Iterator[str]:
    """The first sentences, where they can stand alone and are about the page's topic."""
    start = sentences[0]
    if leans(start, about.topic if first else frozenset(), about.leaning):
        return
    if not first and (
        is_conditional(start, about.leaning) or negates(start, about.leaning) or speaks_of_other(start, about.leaning)
    ):
        return
    of_page = means_page(start, about.leaning)
    for text in _whole(sentences):
        folded = fold(text)
        if first:
            on_topic = of_page or about.shares(folded)
        else:
            on_topic = about.shares(folded) if of_page else about.begins(folded, _SUBJECT_WORDS)
        if on_topic:
            yield text


def _whole(sentences: Iterable[Sentence]) -> Iterator[str]:
    """As many whole sentences from the start as fit, or else the first one shortened."""
    text = ""
    for sentence in sentences:
        longer = f"{text}{_gap(text, sentence.text)}{sentence.text}"
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
    for match in (*_LIST_ADDED.finditer(text[: LONGEST + 1]), *_ADDED.finditer(text[: LONGEST + 1])):
        rest = text[match.end() :]
        alone = "," not in rest and " – " not in rest and " — " not in rest
        if alone or match.re is _LIST_ADDED:
            clause = text[: match.start()] + "."
            if _fits(clause) and balanced(clause) and ends_well(clause[:-1], ALL_STOP_WORDS):
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
