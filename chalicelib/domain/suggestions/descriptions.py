"""Descriptions taken from the page: its own text for social networks, or whole sentences of its first paragraphs.

Nothing is written: every candidate is sentences that stand on the page side by side, in their order and in the page's
language. A sentence that is too long is taken up to a semicolon, or without what it says in brackets.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from chalicelib.domain.page.extract_paragraphs import SUMMARY
from chalicelib.domain.page.page_kinds import PageKind, description_advice
from chalicelib.domain.page.text import fold, is_masked
from chalicelib.domain.page.widths import description_px
from chalicelib.domain.suggestions.languages import agree, spoken
from chalicelib.domain.suggestions.leaning import NO_LANGUAGE
from chalicelib.domain.suggestions.lexicon import ALL_STOP_WORDS, is_verb
from chalicelib.domain.suggestions.model import Advice, Candidate, SuggestedFrom
from chalicelib.domain.suggestions.sentences import (
    FEWEST_WORDS,
    UNSPACED,
    Sentence,
    counts,
    defines,
    is_conditional,
    is_notice,
    is_prose,
    leaning_in,
    leans,
    means_its_thing,
    means_page,
    means_whole_page,
    negates,
    points_elsewhere,
    sets_scene,
    speaks_of_other,
    states,
    takes_up,
    usable,
)
from chalicelib.domain.suggestions.topics import Topic
from chalicelib.domain.suggestions.typography import closed_up, typeset
from chalicelib.domain.suggestions.words import balanced, ends_well, key_of, stop_words

SHORTEST: Final = 70  # characters, where a wide one (Chinese, Japanese, Korean) says as much as two
SHORTEST_ALONE: Final = 50  # of a sentence that says it all, where nothing longer is found
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
_BRACKETS: Final = re.compile(r"\s?\(([^()]*)\)")
_NO_MARKS: Final = str.maketrans(dict.fromkeys(".,;:!?()[]\"'", " "))
_FIRST_PARAGRAPHS: Final = 2  # after these a "this" may mean something that was named before
_SECTIONS_BEFORE: Final = 2  # headings between a line that names the page and its text: synopsis, description
_SUMMARIES_AMONG: Final = 3  # paragraphs
_NARROW_ENOUGH: Final = 70  # characters: as many of the widest ones fit
_TELLING_WORDS: Final = 3  # of a title: fewer tell no language
_SUBJECT_WORDS: Final = 4  # of a sentence further down: the topic is its subject
_EXCLAIMED: Final = ("!", "\uff01")
_DECLARED: Final = frozenset({"description", "og_description"})
_NO_TEXT: Final = frozenset({"account", "empty_archive", "search"})


class PageText(NamedTuple):
    """One page as its description is suggested. ``title``: without the website's name; ``paragraphs`` of its main text
    in order, and of each how many headings stand before it (``sections``; all 0 where that is not known); ``lang``:
    the language of its text as a tag, or else the one that it names; ``language``: of its text, as
    ``languages.spoken`` tells; ``name``: of the website; ``shared``: what many of its titles share, as
    ``topics.common`` tells; ``may_be_short``: where nothing longer is found, a short sentence is better than none.
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
    sections: Sequence[int] = ()
    shared: frozenset[str] = frozenset()
    may_be_short: bool = False


class _Passage(NamedTuple):
    """The sentences of a paragraph that can be quoted. ``is_lead``: it stands where the page's text begins; ``at``:
    which of the page's paragraphs it is."""

    sentences: Sequence[Sentence]
    is_lead: bool
    at: int


def candidates(page: PageText) -> list[Candidate]:
    """What could describe the page, best first: its own description cut, the text it shares, the line that names it,
    its first sentences.

    Log-in, basket, search and empty pages get none; lists of posts only what was written about the list, because
    their paragraphs belong to the posts.
    """
    if page.kind.kind in _NO_TEXT:
        return []
    about = _About(page)
    present = fold(page.description or "")
    found: dict[str, SuggestedFrom] = {}
    passages = _passages(page, about)
    for texts, shortest in (
        (_first_texts(page, about, passages), SHORTEST),
        (_later_texts(page, about, passages), SHORTEST),
        (_short_texts(page, about, passages), SHORTEST_ALONE),
        (_texts_after_subtitle(passages, about), SHORTEST),
    ):
        for text, source in texts:
            text = typeset(text, page.lang)
            if (
                text not in found
                and _is_as_long_as(text, shortest)
                and _not_too_long(text)
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
        title, h1 = page.title or "", page.h1 or ""
        self.known = fold(f"{title} {h1}")
        self.names = {key_of(title), key_of(h1)} - {""}
        self.topic = Topic(title, h1, page.name or "", stop_words(page.lang), page.shared)
        self.language = page.language
        self.leaning = leaning_in(page.language)
        # "<T>" is no French, and a heading that repeats the title says no more than it does.
        words = [word for word in dict.fromkeys(self.known.split()) if len(word) > 1]
        of_title = spoken(" ".join(words)) if len(words) > _TELLING_WORDS else None
        self._of_title = of_title if of_title != page.language else None

    def speaks(self, text: str) -> bool:
        """Whether a text is in the language of the page, as far as that can be told."""
        if self.language is None and self._of_title is None:
            return True
        said = spoken(text)
        return agree(said, self.language) and agree(said, self._of_title)


def _passages(page: PageText, about: _About) -> list[_Passage]:
    """What can be quoted of the page's paragraphs. Where the words that lean are not known in its language, only the
    first is safe."""
    if page.kind.kind == "archive":
        return []
    found: list[_Passage] = []
    before = lead = 0  # characters, and the section that the page's text begins in
    for at, paragraph in enumerate(page.paragraphs):
        section = page.sections[at] if at < len(page.sections) else 0
        if before < SHORTEST and section <= lead + _SECTIONS_BEFORE:  # only a line that names the page came before
            lead = section
        before += len(paragraph)
        sentences = usable(paragraph, about.known, about.leaning)
        if sentences and about.speaks(paragraph):
            found.append(_Passage(sentences, section <= lead, at))
        elif about.leaning is NO_LANGUAGE:
            break
    return found[:1] if about.leaning is NO_LANGUAGE else found


def _first_texts(page: PageText, about: _About, passages: Sequence[_Passage]) -> Iterator[tuple[str, SuggestedFrom]]:
    """What was written to describe the page, and the beginnings of its paragraphs."""
    if page.description and not _fits(page.description):
        for text in _cut(usable(page.description, about.known, about.leaning)):
            yield text, "description"
    if page.og_description:
        if not _fits(page.og_description):
            for text in _cut(usable(page.og_description, about.known, about.leaning)):
                yield text, "og_description"
        elif _is_description(page.og_description, about):
            yield page.og_description, "og_description"
    for text in _summaries(page, about):
        yield text, "first_paragraph"
    for at, passage in enumerate(passages):
        is_lead = passage.is_lead and (at > 0 or passage.at < _FIRST_PARAGRAPHS)
        for text in _from_start(passage.sentences, about, first=at == 0, is_lead=is_lead):
            yield text, "paragraph" if at else "first_paragraph"


def _later_texts(page: PageText, about: _About, passages: Sequence[_Passage]) -> Iterator[tuple[str, SuggestedFrom]]:
    """What else can stand alone: two short paragraphs side by side, sentences about the page further down, a product's
    name and the first sentence about it."""
    if len(passages) > 1 and passages[1].is_lead and len(passages[0].sentences) == 1:
        first, second = passages[0].sentences, passages[1].sentences
        if not _is_long_enough(first[0].text) and _follows(second[0], about):
            for text in _from_start([*first, *second], about, first=True, is_lead=True):
                yield text, "first_paragraph"
    for passage in passages:
        for start in range(1, len(passage.sentences)):
            if means_whole_page(passage.sentences[start], about.leaning):
                for text in _from_start(passage.sentences[start:], about, first=False, is_lead=passage.is_lead):
                    yield text, "paragraph"
    if page.is_product and page.h1 and passages:
        text = f"{page.h1}: {passages[0].sentences[0].text}"
        if _is_description_text(text) and balanced(text):
            yield text, "first_paragraph"


def _short_texts(page: PageText, about: _About, passages: Sequence[_Passage]) -> Iterator[tuple[str, SuggestedFrom]]:
    """One short sentence that says what the page is about: the line that names it, or the first of its text."""
    if not page.may_be_short:
        return
    for text in _summaries(page, about):
        yield text, "first_paragraph"
    if passages:
        start = passages[0].sentences[0]
        is_lead = passages[0].is_lead and passages[0].at < _FIRST_PARAGRAPHS
        of_page = means_page(start, about.leaning) or means_its_thing(start)
        says_it = of_page or about.topic.is_defined(start.folded) or defines(start)
        if says_it and _is_whole(start.text) and _can_begin(start, about, first=True, is_lead=is_lead):
            yield start.text, "first_paragraph"


def _texts_after_subtitle(passages: Sequence[_Passage], about: _About) -> Iterator[tuple[str, SuggestedFrom]]:
    """Where a short line stands first that cannot be quoted, the text after it begins the page."""
    if len(passages) < _FIRST_PARAGRAPHS or not passages[1].is_lead:
        return
    line, sentences = passages[0].sentences, passages[1].sentences
    is_subtitle = len(line) == 1 and not _is_as_long_as(line[0].text, SHORTEST_ALONE)
    if is_subtitle and not about.topic.is_defined(line[0].folded) and states(sentences[0], about.language):
        for text in _from_start(sentences, about, first=True, is_lead=True):
            yield text, "paragraph"


def _summaries(page: PageText, about: _About) -> Iterator[str]:
    """The line of a manual that names the page and says what it is, with a stop or without."""
    for paragraph in page.paragraphs[:_SUMMARIES_AMONG]:
        match = SUMMARY.match(paragraph)
        if match is None or key_of(match[1]) == "":
            continue
        name = key_of(match[1])
        named = any(name == known or known.startswith(name) for known in about.names)
        if named and is_prose(f"A {match[2]}", about.known) and not points_elsewhere(fold(paragraph)):
            yield paragraph


def _from_start(sentences: Sequence[Sentence], about: _About, *, first: bool, is_lead: bool) -> Iterator[str]:
    """The first sentences, where they can stand alone and are about the page's topic."""
    if _can_begin(sentences[0], about, first=first, is_lead=is_lead):
        yield from _whole(sentences, about)


def _can_begin(start: Sentence, about: _About, *, first: bool, is_lead: bool) -> bool:
    """Whether a sentence can stand alone and is about the page's topic. ``first``: of the page; ``is_lead``: it stands
    where the page's text begins."""
    if leans(start, about.topic.stems if first else frozenset(), about.leaning):
        return False
    if negates(start, about.leaning) or is_conditional(start, about.leaning):
        return False
    if first:
        of_page = means_whole_page(start, about.leaning) or (
            is_lead and (means_page(start, about.leaning) or means_its_thing(start))
        )
        if of_page or means_page(start, about.leaning) or sets_scene(start) or start.text.endswith(_EXCLAIMED):
            return of_page
        if about.topic.is_of_member(start.folded):
            return False
        if about.topic.is_defined(start.folded):
            return True
        if about.topic.is_subject(start.folded, _SUBJECT_WORDS):
            return True
        return about.topic.is_told(start.folded) and states(start, about.language)
    if speaks_of_other(start, about.leaning) or sets_scene(start):
        return False
    if means_page(start, about.leaning):
        return means_whole_page(start, about.leaning) and (is_lead or about.topic.shares(start.folded))
    return about.topic.is_subject(start.folded, _SUBJECT_WORDS) and defines(start)


def _cut(sentences: Iterable[Sentence]) -> Iterator[str]:
    """As many whole sentences from the start as fit, or else the first one shortened."""
    text = ""
    for sentence in sentences:
        longer = _joined(text, sentence)
        if not _not_too_long(longer):
            if not _is_long_enough(text):
                yield from _shortened(longer)
            break
        text = longer
    if _is_description_text(text):
        yield text


def _whole(sentences: Sequence[Sentence], about: _About) -> Iterator[str]:
    """The first sentence, with the next ones that go on with what it says; shortened where it is too long."""
    text = ""
    for sentence in sentences:
        if text and not _goes_on(sentence, text, about, is_needed=not _is_long_enough(text)):
            break
        longer = _joined(text, sentence)
        if not _not_too_long(longer):
            if not text:
                yield from _shortened(longer)
            break
        text = longer
    if _is_description_text(text):
        yield text


def _goes_on(sentence: Sentence, text: str, about: _About, *, is_needed: bool) -> bool:
    """Whether a sentence says more of the text before it, and not what it is not, or what holds in some case."""
    if (
        sentence.text in text
        or is_conditional(sentence, about.leaning)
        or negates(sentence, about.leaning)
        or counts(sentence)
    ):
        return False
    return is_needed or about.topic.is_subject(sentence.folded, _SUBJECT_WORDS) or takes_up(sentence, about.leaning)


def _follows(start: Sentence, about: _About) -> bool:
    """Whether the first sentence of a paragraph goes on with the one before it, and is not about a part of it."""
    if leans(start, about.topic.stems, about.leaning) or is_verb(start.folded.partition(" ")[0]):
        return takes_up(start, about.leaning)
    return states(start, about.language) and about.topic.is_subject(start.folded, _SUBJECT_WORDS)


def _joined(text: str, sentence: Sentence) -> str:
    return f"{text}{_gap(text, sentence.text)}{sentence.text}"


def _shortened(text: str) -> Iterator[str]:
    """A text that is too long without what it says in brackets, or up to a semicolon."""
    bare = closed_up(_BRACKETS.sub("", text), None)
    # What was said in brackets may be a name that the rest goes on to use.
    is_used = any(_holds_word(bare, inner[1]) for inner in _BRACKETS.finditer(text))
    if bare != text and not is_used and _not_too_long(bare) and _is_description_text(bare):
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


def _holds_word(text: str, word: str) -> bool:
    """Whether a text has this one word, as it is written."""
    return " " not in word and word in text.translate(_NO_MARKS).split()


def _gap(text: str, following: str) -> str:
    return "" if not text or UNSPACED.match(text[-1]) or UNSPACED.match(following) else " "


# -- guards --------------------------------------------------------------------------------------------


def _not_too_long(text: str) -> bool:
    return len(text) <= _NARROW_ENOUGH or (len(text) <= LONGEST and description_px(text) <= WIDEST_PX)


def _fits(text: str) -> bool:
    return _is_long_enough(text) and _not_too_long(text)


def _is_long_enough(text: str) -> bool:
    return _is_as_long_as(text, SHORTEST)


def _is_as_long_as(text: str, least: int) -> bool:
    if len(text) >= least or text.isascii():
        return len(text) >= least
    return len(text) + sum(unicodedata.east_asian_width(character) in "WF" for character in text) >= least


def _is_description_text(text: str) -> bool:
    """Whether whole sentences are enough to describe something: long enough, words enough, no question at the end."""
    return _is_long_enough(text) and _is_whole(text)


def _is_whole(text: str) -> bool:
    if _WHOLE.search(text) is None:
        return False
    return text.count(" ") + 1 >= FEWEST_WORDS or UNSPACED.search(text) is not None


def _is_description(text: str, about: _About) -> bool:
    """Whether a text that somebody wrote to describe the page can be taken as it is: with a stop at its end or not."""
    cut = text.endswith(("…", "...", ",", ":", ";", "-", "–", "—"))
    return not cut and not is_notice(text) and is_prose(text, about.known) and text.count(" ") + 1 >= FEWEST_WORDS
