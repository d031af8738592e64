"""Descriptions taken from the page: its own text for social networks, or whole sentences of its first paragraphs.

Nothing is written: every candidate is sentences that stand on the page side by side, in their order and in the page's
language. A sentence that is too long is taken up to a semicolon, or without what it says in brackets.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from chalicelib.domain.page.extract_paragraphs import SUMMARY
from chalicelib.domain.page.page_kinds import PageKind, description_advice
from chalicelib.domain.page.releases import names_release
from chalicelib.domain.page.text import fold, is_masked
from chalicelib.domain.suggestions.fitting import (
    LONGEST,
    SHORTEST,
    SHORTEST_ALONE,
    cut,
    fits,
    is_as_long_as,
    is_description_text,
    is_long_enough,
    is_whole,
    joined,
    not_too_long,
    shortened,
)
from chalicelib.domain.suggestions.lexicon import is_verb
from chalicelib.domain.suggestions.model import Advice, Candidate, SuggestedFrom
from chalicelib.domain.suggestions.page_text import About, PageText, Passage, passages_of
from chalicelib.domain.suggestions.prose import introduces, is_prose
from chalicelib.domain.suggestions.release_notes import changes
from chalicelib.domain.suggestions.sentences import (
    FEWEST_WORDS,
    Sentence,
    counts,
    defines,
    is_conditional,
    is_notice,
    leans,
    means_its_thing,
    means_one_of_several,
    means_page,
    means_whole_page,
    negates,
    points_elsewhere,
    sets_scene,
    speaks_of_other,
    states,
    takes_up,
    tells_on,
    tells_past,
    usable,
)
from chalicelib.domain.suggestions.typography import typeset
from chalicelib.domain.suggestions.words import balanced, key_of

MOST_CANDIDATES: Final = 2

# A line without a stop that says what something is, and the link to more of it.
_BRIEF: Final = re.compile(r"([^\W\d_](?:(?![.!?](?:\s|$)).)*[^\W_][)\]]?)\s(?:More|Mehr|Plus)(?:\.\.\.|…)")
_FIRST_PARAGRAPHS: Final = 2  # after these a "this" may mean something that was named before
_SUMMARIES_AMONG: Final = 3  # paragraphs
_SUBJECT_WORDS: Final = 4  # of a sentence further down: the topic is its subject
_DEFINED_WORDS: Final = 6  # first ones of a definition
_SAME_WORDS: Final = 4  # of a sentence that the next one repeats
# What is listed behind it says which.
_LEFT_OPEN: Final = re.compile(
    r"\b(?:various|several|different|certain|some|these|following|verschiedene\w{0,2}|mehrere\w?"
    r"|einige\w?|différents?|différentes|plusieurs|certain(?:e?s)?|varios|varias|diversi|diverse)\s\S+(?:\s\S+)?[.]$",
    re.IGNORECASE,
)
_PART_NAMED: Final = re.compile(r"(?:Section|Chapter|Appendix|Abschnitt|Kapitel|Chapitre|Annexe)\s[A-Z]")
_EXCLAIMED: Final = ("!", "\uff01")
# First words of a sentence that says where or for what something holds, before it says what.
_CIRCUMSTANCES: Final = frozenset("in on at by for from with within under to".split())
_MODALS: Final = frozenset("must may should can cannot shall".split())
_DECLARED: Final = frozenset({"description", "og_description"})
_NO_TEXT: Final = frozenset({"account", "empty_archive", "search"})


def candidates(page: PageText) -> list[Candidate]:
    """What could describe the page, best first: its own description cut, the text it shares, the line that names it,
    its first sentences.

    Log-in, basket, search and empty pages get none; lists of posts only what was written about the list, because
    their paragraphs belong to the posts.
    """
    if page.kind.kind in _NO_TEXT:
        return []
    about = About(page)
    present = fold(page.description or "")
    found: dict[str, SuggestedFrom] = {}
    passages = passages_of(page, about)
    for texts, shortest in (
        (_first_texts(page, about, passages), SHORTEST),
        (_later_texts(page, about, passages), SHORTEST),
        (_short_texts(page, about, passages), SHORTEST_ALONE),
        (_named_texts(page, about, passages), SHORTEST_ALONE if page.may_be_short else SHORTEST),
        (_texts_after_subtitle(passages, about), SHORTEST),
        (_texts_on_subject(passages, about), SHORTEST),
        (_changes(page, about), SHORTEST),
        (_texts_at_start(passages, about), SHORTEST),
    ):
        for text, source in texts:
            text = typeset(text, page.lang)
            if (
                text not in found
                and is_as_long_as(text, shortest)
                and not_too_long(text)
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
    # What other pages of a reference say too is told apart by the names of what they are about.
    for text, source in _named_texts(page, about, passages) if found else ():
        if is_as_long_as(text, SHORTEST) and not_too_long(text):
            found.setdefault(typeset(text, page.lang), source)
    return [Candidate(text, source) for text, source in found.items()]


def may_list(page: PageText) -> bool:
    """Whether what a page lists could describe it: lists of posts have other entries with every post."""
    return page.kind.kind not in _NO_TEXT and page.kind.kind != "archive"


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


def _first_texts(page: PageText, about: About, passages: Sequence[Passage]) -> Iterator[tuple[str, SuggestedFrom]]:
    """What was written to describe the page, and the beginnings of its paragraphs."""
    if page.description and not fits(page.description):
        for text in cut(usable(page.description, about.known, about.leaning)):
            yield text, "description"
    if page.og_description:
        if not fits(page.og_description):
            for text in cut(usable(page.og_description, about.known, about.leaning)):
                yield text, "og_description"
        elif _is_description(page.og_description, about):
            yield page.og_description, "og_description"
    for text in _summaries(page, about):
        yield text, "first_paragraph"
    for at, passage in enumerate(passages):
        is_lead = passage.is_lead and (at > 0 or passage.at < _FIRST_PARAGRAPHS)
        for text in _from_start(passage.sentences, about, first=at == 0, is_lead=is_lead):
            yield text, "paragraph" if at else "first_paragraph"


def _later_texts(page: PageText, about: About, passages: Sequence[Passage]) -> Iterator[tuple[str, SuggestedFrom]]:
    """What else can stand alone: two short paragraphs side by side, sentences about the page further down, a product's
    name and the first sentence about it."""
    if len(passages) > 1 and passages[1].is_lead and len(passages[0].sentences) == 1:
        first, second = passages[0].sentences, passages[1].sentences
        if not is_long_enough(first[0].text) and _follows(second[0], about):
            for text in _from_start([*first, *second], about, first=True, is_lead=True):
                yield text, "first_paragraph"
    for passage in passages:
        for start in range(1, len(passage.sentences)):
            if means_whole_page(passage.sentences[start], about.leaning):
                for text in _from_start(passage.sentences[start:], about, first=False, is_lead=passage.is_lead):
                    yield text, "paragraph"
    if page.is_product and page.h1 and passages:
        text = f"{page.h1}: {passages[0].sentences[0].text}"
        if is_description_text(text) and balanced(text):
            yield text, "first_paragraph"


def _short_texts(page: PageText, about: About, passages: Sequence[Passage]) -> Iterator[tuple[str, SuggestedFrom]]:
    """One short sentence that says what the page is about: the line that names it, or the first of its text."""
    if not page.may_be_short:
        return
    for text in _summaries(page, about):
        yield text, "first_paragraph"
    if passages:
        start = passages[0].sentences[0]
        is_lead = passages[0].is_lead and passages[0].at < _FIRST_PARAGRAPHS
        of_page = means_page(start, about.leaning) or means_its_thing(start)
        says_it = of_page or about.topic.is_defined(start.folded) or defines(start) or about.begins(start)
        if says_it and is_whole(start.text) and _can_begin(start, about, first=True, is_lead=is_lead):
            yield start.text, "first_paragraph"
    if len(passages) > 1 and passages[1].is_lead and not is_as_long_as(passages[0].sentences[0].text, SHORTEST_ALONE):
        start = passages[1].sentences[0]  # "List of tents." and below "This module lists tents of all makes."
        is_on_it = about.repeats(start, passages[0].sentences[0])
        if is_on_it and is_whole(start.text) and _can_begin(start, about, first=True, is_lead=True):
            yield start.text, "paragraph"


def _named_texts(page: PageText, about: About, passages: Sequence[Passage]) -> Iterator[tuple[str, SuggestedFrom]]:
    """What the reference of one thing says of it first, after its name ("Tent:row-count – The number of rows.")."""
    name = about.topic.named
    if name is None:
        return
    lines = [match[1] for text in page.paragraphs[:_FIRST_PARAGRAPHS] if (match := _BRIEF.fullmatch(text)) is not None]
    if page.brief is not None and about.topic.is_entry:
        lines.append(page.brief)
    for line in lines:
        if is_prose(line, about.known) and not _begins_with_name(line, name):
            yield f"{name} – {line}", "first_paragraph"
    if not passages or not passages[0].is_lead:
        return
    start = passages[0].sentences[0]
    if passages[0].at >= _FIRST_PARAGRAPHS or _begins_with_name(start.text, name) or not _says_what_it_is(start):
        return
    if not _can_begin(start, about, first=True, is_lead=True) and not _can_follow_name(start, about):
        return
    begun = f"{name} – {start.text}"
    longer = next(_whole([Sentence(begun, fold(begun)), *_rest_of_lead(passages, about)], about), begun)
    alone = _whole(passages[0].sentences, about) if passages[0].at == 0 else ()
    for text in (longer, begun, *alone):
        if balanced(text) and is_whole(text):
            yield text, "first_paragraph"


def _can_follow_name(start: Sentence, about: About) -> bool:
    """Whether the first sentence of an entry in a reference can stand behind its name, whatever words it has: what it
    is about is said then."""
    if not about.topic.is_entry or start.text.endswith(_EXCLAIMED) or about.topic.is_of_member(start.folded):
        return False
    leaning = leans(start, about.topic.stems, about.leaning) or is_conditional(start, about.leaning)
    told = negates(start, about.leaning, _DEFINED_WORDS) or sets_scene(start, _DEFINED_WORDS) or tells_past(start)
    return not (leaning or told or means_page(start, about.leaning))


def _rest_of_lead(passages: Sequence[Passage], about: About) -> Iterator[Sentence]:
    """What the paragraphs at the beginning of an entry say after its first sentence."""
    yield from passages[0].sentences[1:]
    first = passages[0]
    for passage in passages[1:]:
        start = passage.sentences[0]
        if not passage.is_lead or about.repeats(start, first.sentences[0]):
            break
        if not takes_up(start, about.leaning) and (
            passage.section > first.section or not _goes_on_with_entry(start, about)
        ):
            break
        yield from passage.sentences


def _goes_on_with_entry(start: Sentence, about: About) -> bool:
    """Whether a paragraph goes on with what an entry is, and is not about one of its members or cases."""
    if leans(start, about.topic.stems, about.leaning) or is_verb(start.folded.partition(" ")[0]):
        return False
    if not start.text[0].isalpha() or sets_scene(start):
        return False
    return states(start, about.language) or not _MODALS.isdisjoint(start.folded.split(maxsplit=4)[2:4])


def _says_what_it_is(start: Sentence) -> bool:
    """Whether a sentence can follow the name of what it is about: "A tent …", "Returns …", "The number of …"."""
    words = start.folded.split(maxsplit=3)
    return words[0] not in _CIRCUMSTANCES and words[1:3] != ["return", "value"]


def _begins_with_name(text: str, name: str) -> bool:
    """Whether a sentence says itself what it is about."""
    last = re.split(r"[.:]", name.partition("(")[0])[-1]
    first = text.split(maxsplit=2)[:2]
    return fold(first[0]) in (fold(name), fold(last)) or (last[0].isupper() and last in first)


def _texts_after_subtitle(passages: Sequence[Passage], about: About) -> Iterator[tuple[str, SuggestedFrom]]:
    """Where a short line stands first that cannot be quoted, the text after it begins the page."""
    if len(passages) < _FIRST_PARAGRAPHS or not passages[1].is_lead:
        return
    line, sentences = passages[0].sentences, passages[1].sentences
    is_subtitle = len(line) == 1 and not is_as_long_as(line[0].text, SHORTEST_ALONE)
    if is_subtitle and states(sentences[0], about.language):
        for text in _from_start(sentences, about, first=True, is_lead=True):
            yield text, "paragraph"


def _texts_on_subject(passages: Sequence[Passage], about: About) -> Iterator[tuple[str, SuggestedFrom]]:
    """The first sentence of the page's beginning whose subject is all that the title names, wherever it stands."""
    for passage in passages:
        if not passage.is_lead:
            break
        for at, start in enumerate(passage.sentences):
            if not about.topic.is_whole_subject(start.folded) or not states(start, about.language):
                continue
            if not _is_about_page_alone(start, about):
                continue
            for text in _whole(passage.sentences[at:], about):
                yield text, "paragraph"
            return


def _texts_at_start(passages: Sequence[Passage], about: About) -> Iterator[tuple[str, SuggestedFrom]]:
    """The page's first sentence, where it is a definition with a word of the title, or has its only word."""
    if not passages or passages[0].at > 0:
        return
    start = passages[0].sentences[0]
    is_on_title = len(about.topic.stems) == 1 or defines(start)
    if not is_on_title or not about.topic.shares(start.folded) or not states(start, about.language):
        return
    if _is_about_page_alone(start, about) and not about.topic.is_of_member(start.folded) and not tells_on(start):
        for text in _whole(passages[0].sentences, about):
            yield text, "first_paragraph"


def _is_about_page_alone(start: Sentence, about: About) -> bool:
    """Whether a sentence leans on nothing, and says what is, and not what is not, was, or would be in some case."""
    if leans(start, about.topic.stems, about.leaning) or is_conditional(start, about.leaning):
        return False
    if negates(start, about.leaning) or sets_scene(start) or tells_past(start):
        return False
    if means_one_of_several(start, about.leaning, about.known) or start.text.endswith(_EXCLAIMED):
        return False
    return not speaks_of_other(start, about.leaning)


def _changes(page: PageText, about: About) -> Iterator[tuple[str, SuggestedFrom]]:
    """Of the notes on a release its name and what changed."""
    name = next((text for text in (page.title, page.h1) if text and names_release(text)), None)
    if name is not None and page.items and (text := changes(name, page.items)) is not None:
        yield text, "paragraph"


def _summaries(page: PageText, about: About) -> Iterator[str]:
    """The line of a manual that names the page and says what it is, with a stop or without."""
    for paragraph in page.paragraphs[:_SUMMARIES_AMONG]:
        match = SUMMARY.match(paragraph)
        if match is None or key_of(match[1]) == "":
            continue
        name = key_of(match[1])
        named = any(name == known or known.startswith(name) for known in about.names)
        if named and is_prose(f"A {match[2]}", about.known) and not points_elsewhere(fold(paragraph)):
            yield paragraph


def _from_start(sentences: Sequence[Sentence], about: About, *, first: bool, is_lead: bool) -> Iterator[str]:
    """The first sentences, where they can stand alone and are about the page's topic."""
    if _can_begin(sentences[0], about, first=first, is_lead=is_lead):
        yield from _whole(sentences, about)


def _can_begin(start: Sentence, about: About, *, first: bool, is_lead: bool) -> bool:
    """Whether a sentence can stand alone and is about the page's topic. ``first``: of the page; ``is_lead``: it stands
    where the page's text begins."""
    if leans(start, about.topic.stems if first else frozenset(), about.leaning):
        return False
    # What a definition says far behind is of which things it speaks: "… that were lost", "… which is not empty".
    is_named = first and is_lead and introduces(start.text)
    is_definition = first and (is_named or about.topic.is_defined(start.folded) or defines(start))
    told = _DEFINED_WORDS if is_definition else None
    if negates(start, about.leaning, told) or is_conditional(start, about.leaning):
        return False
    if means_one_of_several(start, about.leaning, about.known):
        return False
    if first:
        of_page = means_whole_page(start, about.leaning) or (
            is_lead and (means_page(start, about.leaning) or means_its_thing(start)) and not _is_of_use(start)
        )
        is_scene = tells_past(start) or sets_scene(start, told)
        if of_page or means_page(start, about.leaning) or is_scene or start.text.endswith(_EXCLAIMED):
            return of_page
        if about.topic.is_of_member(start.folded):
            return False
        if is_named or about.topic.is_defined(start.folded):
            return True
        if about.topic.is_subject(start.folded, _SUBJECT_WORDS):
            return True
        return about.topic.is_told(start.folded) and states(start, about.language)
    if speaks_of_other(start, about.leaning) or sets_scene(start):
        return False
    if means_page(start, about.leaning):
        return means_whole_page(start, about.leaning) and (is_lead or about.topic.shares(start.folded))
    return about.topic.is_subject(start.folded, _SUBJECT_WORDS) and defines(start)


def _is_of_use(start: Sentence) -> bool:
    """Whether a sentence says how a thing may be used, and not what it is: "This routine must be called first"."""
    return not _MODALS.isdisjoint(start.folded.split(maxsplit=4)[2:4])


def _whole(sentences: Sequence[Sentence], about: About) -> Iterator[str]:
    """The first sentence, with the next ones that go on with what it says; shortened where it is too long."""
    text = ""
    for sentence in sentences:
        if text and not _goes_on(sentence, text, about, is_needed=not is_long_enough(text)):
            break
        longer = joined(text, sentence)
        if not not_too_long(longer):
            if not text:
                yield from shortened(longer)
            elif not is_long_enough(text) and not _needs_more(sentence, about):
                yield from (short for short in shortened(longer) if not _is_left_open(short, longer))
            break
        text = longer
    if is_description_text(text):
        yield text


def _needs_more(sentence: Sentence, about: About) -> bool:
    """Whether a second sentence says little without its end: one of a scene, one told on, one that means "these"."""
    return sets_scene(sentence) or tells_on(sentence) or speaks_of_other(sentence, about.leaning)


def _is_left_open(short: str, text: str) -> bool:
    """Whether what was cut off says what is meant: "these changes: …", "various parts such as …"."""
    return text[len(short) - 1 : len(short)] == ":" or _LEFT_OPEN.search(short) is not None


def _goes_on(sentence: Sentence, text: str, about: About, *, is_needed: bool) -> bool:
    """Whether a sentence says more of the text before it, and not what it is not, or what holds in some case."""
    if (
        sentence.text in text
        or _says_again(sentence, text)
        or _PART_NAMED.match(sentence.text) is not None
        or is_conditional(sentence, about.leaning)
        or negates(sentence, about.leaning)
        or counts(sentence)
    ):
        return False
    return is_needed or about.topic.is_subject(sentence.folded, _SUBJECT_WORDS) or takes_up(sentence, about.leaning)


def _says_again(sentence: Sentence, text: str) -> bool:
    """Whether a sentence begins with all that the one before it says: "For tents. For tents of all makes."."""
    words, said = sentence.folded.split(), fold(text).rstrip(".!?")
    return any(said.endswith(" ".join(words[:count])) for count in range(_SAME_WORDS, len(words)))


def _follows(start: Sentence, about: About) -> bool:
    """Whether the first sentence of a paragraph goes on with the one before it, and is not about a part of it."""
    if leans(start, about.topic.stems, about.leaning) or is_verb(start.folded.partition(" ")[0]):
        return takes_up(start, about.leaning)
    return states(start, about.language) and about.topic.is_subject(start.folded, _SUBJECT_WORDS)


def _is_description(text: str, about: About) -> bool:
    """Whether a text that somebody wrote to describe the page can be taken as it is: with a stop at its end or not."""
    is_cut = text.endswith(("…", "...", ",", ":", ";", "-", "–", "—"))
    return not is_cut and not is_notice(text) and is_prose(text, about.known) and text.count(" ") + 1 >= FEWEST_WORDS
