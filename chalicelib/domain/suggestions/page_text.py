"""A page as its description is suggested: its words, what it is about, and which of its paragraphs can be quoted."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from chalicelib.domain.page.page_kinds import PageKind
from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestions.fitting import SHORTEST
from chalicelib.domain.suggestions.headings import without_number
from chalicelib.domain.suggestions.languages import agree, spoken
from chalicelib.domain.suggestions.leaning import NO_LANGUAGE
from chalicelib.domain.suggestions.prose import UNSPACED
from chalicelib.domain.suggestions.sentences import Sentence, leaning_in, usable
from chalicelib.domain.suggestions.topics import Topic
from chalicelib.domain.suggestions.words import key_of, split_words, stems, stop_words

_SECTIONS_BEFORE: Final = 2  # headings between a line that names the page and its text: synopsis, description
_TELLING_WORDS: Final = 3  # of a title: fewer tell no language


class PageText(NamedTuple):
    """One page as its description is suggested. ``title``: without the website's name; ``paragraphs`` of its main text
    in order, and of each how many headings stand before it (``sections``; all 0 where that is not known); ``lang``:
    the language of its text as a tag, or else the one that it names; ``language``: of its text, as
    ``languages.spoken`` tells; ``name``: of the website; ``shared``: what many of its titles share, as
    ``topics.common`` tells; ``may_be_short``: where nothing longer is found, a short sentence is better than none;
    ``brief`` and ``items`` as ``PageFacts`` has them.
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
    brief: str | None = None
    items: Sequence[str] = ()


class Passage(NamedTuple):
    """The sentences of a paragraph that can be quoted. ``is_lead``: it stands where the page's text begins; ``at``:
    which of the page's paragraphs it is; ``section``: as ``PageText.sections``."""

    sentences: Sequence[Sentence]
    is_lead: bool
    at: int
    section: int


class About:
    """What the page is about, and in which language it says so."""

    def __init__(self, page: PageText) -> None:
        title, h1 = page.title or "", page.h1 or ""
        self.known = fold(f"{title} {h1}")
        self.names = {key_of(text) for text in (title, h1, without_number(title), without_number(h1))} - {""}
        self._stops = stop_words(page.lang)
        self.topic = Topic(title, h1, page.name or "", self._stops, page.shared)
        self.language = page.language
        self.leaning = leaning_in(page.language)
        # "<T>" is no French, and a heading that repeats the title says no more than it does.
        words = [word for word in dict.fromkeys(self.known.split()) if len(word) > 1]
        of_title = spoken(" ".join(words)) if len(words) > _TELLING_WORDS else None
        self._of_title = of_title if of_title != page.language else None

    def begins(self, sentence: Sentence) -> bool:
        """Whether a sentence of a script without spaces begins with the page's title or heading."""
        key = key_of(sentence.text)
        return UNSPACED.search(sentence.text) is not None and any(key.startswith(name) for name in self.names)

    def repeats(self, sentence: Sentence, other: Sentence) -> bool:
        """Whether a sentence says all that another one says, and more."""
        return self._told_in(other) <= self._told_in(sentence)

    def _told_in(self, sentence: Sentence) -> set[str]:
        return stems(word for word in split_words(sentence.folded) if word not in self._stops)

    def speaks(self, text: str) -> bool:
        """Whether a text is in the language of the page, as far as that can be told."""
        if self.language is None and self._of_title is None:
            return True
        said = spoken(text)
        return agree(said, self.language) and agree(said, self._of_title)


def passages_of(page: PageText, about: About) -> list[Passage]:
    """What can be quoted of the page's paragraphs. Where the words that lean are not known in its language, only the
    first is safe."""
    if page.kind.kind == "archive":
        return []
    found: list[Passage] = []
    before = lead = 0  # characters, and the section that the page's text begins in
    for at, paragraph in enumerate(page.paragraphs):
        section = page.sections[at] if at < len(page.sections) else 0
        sentences = usable(paragraph, about.known, about.leaning)
        if found and sentences == found[0].sentences:  # behind a list of members the text begins once more
            lead = section
            continue
        if before < SHORTEST and section <= lead + _SECTIONS_BEFORE:  # only a line that names the page came before
            lead = section
        before += len(paragraph)
        if sentences and about.speaks(paragraph):
            found.append(Passage(sentences, section <= lead, at, section))
        elif about.leaning is NO_LANGUAGE:
            break
    return found[:1] if about.leaning is NO_LANGUAGE else found
