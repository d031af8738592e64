"""Takes descriptions from the page: a text that was written to describe it, or whole sentences from the start of its
text.

No text is invented. Every candidate consists of consecutive sentences of the page, without asides in brackets. A single
sentence that is too long may end at its first colon or semicolon.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from chalicelib.domain.page.extract_paragraphs import SUMMARY
from chalicelib.domain.page.page_kinds import PageKind, description_advice
from chalicelib.domain.page.stop_words import ALL_STOP_WORDS, stop_words
from chalicelib.domain.page.text import fold, is_masked
from chalicelib.domain.suggestion import Advice, Candidate, SuggestedFrom
from chalicelib.suggestions.composed import COMPOSED, without_kind
from chalicelib.suggestions.first_words import ANNOUNCING, NEGATIONS, PAGE_NOUNS, PAST
from chalicelib.suggestions.fitting import (
    LONGEST,
    SHORTEST,
    cut,
    fits,
    is_long_enough,
    is_whole,
    joined,
    not_too_long,
)
from chalicelib.suggestions.languages import is_foreign, words_between_marks
from chalicelib.suggestions.page_text import About, PageText, has_entries, leading
from chalicelib.suggestions.prose import is_prose
from chalicelib.suggestions.sentences import (
    DETERMINERS,
    FEWEST_WORDS,
    Sentence,
    introduces,
    is_contrast,
    is_notice,
    is_subject,
    lacks_subject,
    leans,
    names_the_thing,
    points_elsewhere,
    takes_up,
    usable,
)
from chalicelib.suggestions.series import unnamed_opening
from chalicelib.suggestions.telling import says_as_much, speaks_to_reader, tells, to_keep
from chalicelib.suggestions.topics import is_code_name, name_in, of_text
from chalicelib.suggestions.typography import CLOSING, begun, stopped, typeset
from chalicelib.suggestions.words import balanced, key_of

MOST_CANDIDATES: Final = 2

_SHORT_TEXT: Final = 600  # characters; a page with a list of links and no more text than this is a hub
_SUMMARIES_AMONG: Final = 3  # paragraphs among which the line that names the page is looked for
_BRACKETED: Final = re.compile(r"(?<=\w) \([^()]*\)(?=[ .,;])")  # an aside behind a word
# What may be left out at the end of a sentence: a clause that adds something, or examples.
_TAIL: Final = re.compile(
    r"(?<!\d), (?:which|such as|including|for example|e\.g\.|darunter|wie zum Beispiel|zum Beispiel|z\. ?B\."
    r"|comme|notamment|par exemple|por ejemplo|incluyendo|ad esempio|come ad esempio|bijvoorbeeld|zoals|por exemplo"
    r"|incluindo|na przykład|np\.|takie jak) (?:(?!, (?:which|is|are|was|can|may|will|has|have)\b).)*[.]$"
)
_PART_END: Final = re.compile(r"\s?[:;]\s")
_FEWEST_CARDS: Final = 3  # of one heading and one paragraph each
_ENDS: Final = frozenset(".!?%\u3002\uff01\uff1f")
_NO_NAME: Final = (":", ".", "!", "?", "…", "\u3002", "\uff1f", "\uff1a")  # at the end of a heading
_PARTED: Final = re.compile(r"\s[-–—|:/]+\s")  # a name of two parts
_COLON: Final = re.compile(r":\s")
_QUOTED: Final[frozenset[SuggestedFrom]] = frozenset({"first_paragraph", "paragraph"})
_NO_TEXT: Final = frozenset({"account", "empty_archive", "search"})


def candidates(page: PageText, about: About | None = None) -> list[Candidate]:
    """Return candidates for the page's description, best first.

    1. The page's own description, shortened.
    2. The text that the page declares for sharing in social networks.
    3. The line that names the page.
    4. The page's first sentences.

    These pages get no candidates: log-in, basket and search pages, empty pages, and pages with sample text. Lists of
    posts get only texts about the list itself, because the paragraphs on them belong to the posts.

    ``about``: if the caller has it already, as for the functions below.
    """
    if page.kind.kind in _NO_TEXT or page.is_filler:
        return []
    about = about or About(page)
    present = fold(page.description or "")
    found: dict[str, SuggestedFrom] = {}
    for text, source in _texts(page, about):
        text = begun(typeset(text, page.lang), f"{page.title} {page.h1}")
        if source in _QUOTED and not _replaces(text, page, about):
            continue
        if fits(text) and fold(text) != present and not is_masked(text) and about.speaks(text):
            found.setdefault(text, source)
        if len(found) == MOST_CANDIDATES:
            break
    return [Candidate(text, source) for text, source in found.items()]


def named(page: PageText, name: str, about: About | None = None) -> tuple[Candidate, int | None] | None:
    """Return a short first sentence with the page's name before it: "Winter tents – …". Returns None without one.

    The sentence must have half of the name's words, or say what the page or the named thing does. ``name``: the page's
    heading or title, cleaned. The number is a hash of the sentence's beginning, as ``repeatable`` returns it, or None.
    """
    if page.kind.kind in _NO_TEXT or page.kind.kind == "archive" or page.is_filler:
        return None
    name = without_kind(name)
    if not name or name.endswith(_NO_NAME) or _PARTED.search(name) is not None or is_masked(name):
        return None
    if page.language is not None and is_foreign(name, page.language):
        return None
    about = about or About(page)
    words = of_text(name, stop_words(page.lang))
    words = words & about.topic.stems or words
    for sentences, short, source in _beginnings(page, about):
        if is_long_enough(short) or not is_whole(short) or fold(name) in fold(short):
            continue
        first = short.partition(" ")[0]
        if is_code_name(first) and key_of(first) not in about.names:
            continue  # the sentence is about an entry, such as a function
        if _COLON.search(name) is not None and not lacks_subject(sentences[0]):
            continue  # the name has two parts, and only one of them can be meant
        says = lacks_subject(sentences[0]) or introduces(sentences[0], about.topic, about.known, of_entries=True)
        if not says and 2 * len(words & of_text(short, frozenset())) < len(words):
            continue
        if not NEGATIONS.isdisjoint(words_between_marks(fold(short))) or speaks_to_reader(short, about.topic):
            continue  # it says only what the page is not about, or what to do
        text = f"{name} – {begun(typeset(short, page.lang), f'{page.title} {page.h1}')}"
        if not says_as_much(text, to_keep(page.description, about.topic)):
            continue
        if fits(text) and fold(text) != fold(page.description or "") and about.speaks(text):
            key = None if names_the_thing(short) else unnamed_opening(short, about.topic)
            return Candidate(text, source), key
    return None


def repeatable(page: PageText, found: Iterable[Candidate], about: About | None = None) -> dict[str, int]:
    """Return the candidates that do not name the page's topic, each with a hash of its beginning.

    If texts of other pages begin with the same words, such a candidate says nothing about this page. "This class …" is
    an exception: what follows is about this page.
    """
    about = about or About(page)
    return {
        one.text: key
        for one in found
        if (key := unnamed_opening(one.text, about.topic)) is not None and not names_the_thing(one.text)
    }


def may_list(page: PageText, about: About | None = None) -> frozenset[SuggestedFrom]:
    """Return which lists of the page could describe it: only names of sections, or also names of other pages.

    The result is empty in these cases:

    - The page is a list of posts, because its entries change with every post.
    - The page is a log-in, basket, search or empty page, or has sample text.
    - The page's own description is good but too long.

    If the page opens with sentences and has more text than a hub page, only names of sections are used. Names of other
    pages are navigation there.
    """
    if page.kind.kind in _NO_TEXT or page.kind.kind == "archive" or page.is_filler:
        return frozenset()
    about = about or About(page)
    if _is_telling(page.description, about):
        return frozenset()
    opens = any(_opening(page, about))
    return frozenset({"headings"}) if opens and sum(map(len, page.paragraphs)) > _SHORT_TEXT else COMPOSED


def why_none(page: PageText) -> str:
    """Return why nothing on the page can be used as its description."""
    if page.kind.kind in _NO_TEXT:
        return "Log-in, basket, search and empty pages should not be in search results, so they get no description."
    if page.is_filler:
        return "The page shows sample text that was not replaced: write its text first."
    if page.kind.kind == "archive":
        return "The page is a list, and its texts are about the entries. No text on the page is about the list itself."
    if not page.paragraphs:
        return "The page has no paragraph of text to take a description from."
    return (
        f"The page's first paragraphs have no sentences of {SHORTEST} to {LONGEST} characters that are clear on their "
        "own and on the subject of the title."
    )


def advice_for(kind: PageKind) -> Advice | None:
    """Return advice on the description of a page of this kind. Returns None for ordinary pages."""
    advice = description_advice(kind)
    return None if advice is None else Advice(*advice)


def _texts(page: PageText, about: About) -> Iterator[tuple[str, SuggestedFrom]]:
    """Yield texts written to describe the page, and the beginnings of its first paragraphs."""
    yield from _declared(page, about)
    for paragraph in page.paragraphs[:_SUMMARIES_AMONG]:
        if _names_page(paragraph, about):
            yield paragraph, "first_paragraph"
    for _, text, source in _beginnings(page, about):
        if is_whole(text):
            yield text, source


def _replaces(text: str, page: PageText, about: About) -> bool:
    """Whether a quotation says what the page is about, and as much as its present description."""
    said = Sentence(text, fold(text))
    told = tells(said, about.topic, about.known) or _is_of_website(said, page, about)
    return told and says_as_much(text, to_keep(page.description, about.topic))


def _beginnings(page: PageText, about: About) -> Iterator[tuple[list[Sentence], str, SuggestedFrom]]:
    """Yield the beginnings of the page's first paragraphs that are about the page: their sentences, and the text to
    quote."""
    parts = leading(page, about)
    of_entries = has_entries(page.sections)
    is_of_one = any(name_in(text or "") is not None for text in (page.title, page.h1))
    begins = not page.sections or page.sections[0] == 0  # before any further heading
    # Below the page's own line, each heading has one paragraph, such as that of a card: it is about its entry.
    of_cards = len(page.sections) > _FEWEST_CARDS and list(page.sections) == list(range(len(page.sections)))
    for place, (at, sentences) in enumerate(parts):
        if of_cards and at:
            continue
        start = sentences[0]
        opens = begins and sum(map(len, page.paragraphs[:at])) < SHORTEST  # only a label or a line of options precedes
        if lacks_subject(start) and (of_entries or not (opens or is_of_one)):
            continue  # the text says what an entry does, not what the page is about
        says = opens and introduces(start, about.topic, about.known, of_entries)
        says = says or (opens and lacks_subject(start) and is_of_one)  # says what the documented thing does
        says = says or (opens and _is_of_website(start, page, about))
        if (says or is_subject(start, about.topic)) and not leans(start, about.topic.stems):
            text = _whole([*sentences, *_next_part(page, parts[place:], about)], about)
            yield sentences, text, "paragraph" if at else "first_paragraph"


def _is_of_website(sentence: Sentence, page: PageText, about: About) -> bool:
    """Whether a sentence begins with the website's name and then speaks of the topic: "Acme repairs tents".

    A sentence on the past ("Acme was …"), a denial ("Acme cannot …") and a request ("Open the …") are not meant.
    """
    words = words_between_marks(sentence.folded)
    named = [word for word in words_between_marks(fold(page.name or "")) if word not in ALL_STOP_WORDS | PAGE_NOUNS]
    if not words or words[0] not in named[:1] or not DETERMINERS.isdisjoint(words[1:2]):
        return False
    return (PAST | NEGATIONS).isdisjoint(words[1:4]) and about.topic.is_named(words)


def _next_part(page: PageText, parts: Sequence[tuple[int, list[Sentence]]], about: About) -> list[Sentence]:
    """Return the sentences of the next paragraph, if it may follow the first one.

    The next paragraph must come directly after the first in the same section, and must be no remark or caption. The
    first must be quoted completely.
    """
    if len(parts) < 2:
        return []
    (at, sentences), (following, found) = parts[:2]
    same = following == at + 1 and list(page.sections[at : at + 1]) == list(page.sections[following : following + 1])
    goes_on = takes_up(found[0]) or not leans(found[0], about.topic.stems)
    return found if same and goes_on and page.paragraphs[at].endswith(sentences[-1].text) else []


def _declared(page: PageText, about: About) -> Iterator[tuple[str, SuggestedFrom]]:
    written: tuple[tuple[str | None, SuggestedFrom], ...] = (
        (page.description, "description"),
        (page.og_description, "og_description"),
    )
    for text, source in written:
        if text and fits(text):
            if _is_description(text, about):
                yield (text if SUMMARY.match(text) else stopped(text)), source
        elif text and (sentences := usable(text, about.known)):
            shorter = cut(sentences)
            if shorter is not None and not leans(sentences[0], about.topic.stems):
                yield shorter, source


def _is_telling(description: str | None, about: About) -> bool:
    """Whether the description is too long, but about the page."""
    if not description or not is_long_enough(description) or not_too_long(description):
        return False
    return any(about.topic.is_subject(sentence.folded) for sentence in usable(description, about.known))


def _opening(page: PageText, about: About) -> Iterator[str]:
    """Yield the paragraphs before the first further heading that are prose, in the page's language."""
    for paragraph, section in zip(page.paragraphs, page.sections, strict=False):
        if section <= 0 and about.speaks(paragraph) and is_prose(paragraph, about.known):
            yield paragraph


def _names_page(paragraph: str, about: About) -> bool:
    """Whether a paragraph is a manual's line with the page's name and its meaning. A full stop is optional."""
    match = SUMMARY.match(paragraph)
    if match is None or not (name := key_of(match[1])):
        return False
    named = any(name == known or known.startswith(name) for known in about.names)
    return named and is_prose(f"A {match[2]}", about.known) and not points_elsewhere(fold(paragraph))


def _whole(sentences: Sequence[Sentence], about: About) -> str:
    """Join the first sentence with those that continue with its subject, or that are needed to make it long enough.

    If the first sentence alone is too long, its text in brackets is removed.
    """
    text = ""
    for sentence in sentences:
        goes_on = takes_up(sentence) or about.topic.is_subject(sentence.folded)
        if text and (sentence.text in text or (is_long_enough(text) and not goes_on)):
            break
        longer = joined(text, sentence)
        if not not_too_long(longer):
            break
        text = longer
    if text:
        return text
    bare = _BRACKETED.sub("", sentences[0].text)
    if "(" in bare:  # brackets inside others are left alone
        return sentences[0].text
    return next((text for text in (bare, _TAIL.sub(".", bare), _before_mark(bare)) if not_too_long(text)), bare)


def _before_mark(sentence: str) -> str:
    """Return a sentence up to its first colon or semicolon, as a sentence of its own.

    Returns the whole sentence if that part is too short to be a description, or if it depends on the rest.
    """
    part, *rest = _PART_END.split(sentence, maxsplit=1)
    part = part.rstrip()
    if not rest or not is_long_enough(part) or not balanced(part) or part.count('"') % 2 or is_contrast(fold(rest[0])):
        return sentence
    last = words_between_marks(fold(part))[-1:]
    return sentence if last[:1] and (last[0] in ALL_STOP_WORDS or last[0] in ANNOUNCING) else f"{part}."


def _is_description(text: str, about: About) -> bool:
    """Whether a text written to describe the page can be used unchanged, with or without a full stop."""
    last = text.rstrip(CLOSING)[-1:]
    if not (last.isalnum() or last in _ENDS) or text.endswith("..."):
        return False  # the text was cut off
    if is_notice(text) or not is_long_enough(text):
        return False
    return is_prose(text, about.known) and text.count(" ") + 1 >= FEWEST_WORDS
