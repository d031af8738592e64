"""The input for suggesting a page's description: its words, its topic and its quotable paragraphs."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from chalicelib.domain.page.page_kinds import PageKind
from chalicelib.domain.page.stop_words import stop_words
from chalicelib.domain.page.text import fold
from chalicelib.suggestions.fitting import SHORTEST
from chalicelib.suggestions.headings import without_number
from chalicelib.suggestions.languages import agree, spoken
from chalicelib.suggestions.sentences import Sentence, is_notice, is_remark, usable
from chalicelib.suggestions.topics import Topic
from chalicelib.suggestions.words import key_of

_SECTIONS_BEFORE: Final = 2  # headings between a line that names the page and its text: synopsis, description
_TELLING_WORDS: Final = 3  # words of a title: fewer do not show its language
_FEWEST_ENTRIES: Final = 3
_FIRST: Final = 5  # paragraphs that show whether a page consists of entries


class PageText(NamedTuple):
    """The text of one page.

    - ``title``: the title without the website's name.
    - ``paragraphs``: the paragraphs of its main text, in order.
    - ``sections``: for each paragraph, the number of headings before it; all 0 if unknown.
    - ``lang``: the language of its text as a tag, or else the declared language.
    - ``language``: the language that ``languages.spoken`` detects in its text.
    - ``name``: the website's name.
    - ``shared``: the words that many of the website's titles share, as ``topics.common`` returns them.
    - ``is_filler``: whether it shows sample text that nobody replaced.
    """

    title: str | None = None
    h1: str | None = None
    description: str | None = None
    og_description: str | None = None
    paragraphs: Sequence[str] = ()
    lang: str | None = None
    kind: PageKind = PageKind()
    name: str | None = None
    language: str | None = None
    sections: Sequence[int] = ()
    shared: frozenset[str] = frozenset()
    is_filler: bool = False


class About:
    """The topic of the page, and its language."""

    def __init__(self, page: PageText) -> None:
        title, h1 = page.title or "", page.h1 or ""
        self.known = fold(f"{title} {h1}")
        self.names = {key_of(text) for text in (title, h1, without_number(title), without_number(h1))} - {""}
        self.topic = Topic(title, h1, page.name or "", stop_words(page.lang), page.shared)
        self.language = page.language
        # "<T>" is no French word, and words that the heading repeats count once.
        words = [word for word in dict.fromkeys(self.known.split()) if len(word) > 1]
        of_title = spoken(" ".join(words)) if len(words) > _TELLING_WORDS else None
        self._of_title = of_title if of_title != page.language else None
        self.leading: list[tuple[int, list[Sentence]]] | None = None  # kept by ``leading``

    def speaks(self, text: str) -> bool:
        """Whether a text is in the language of the page. Returns True as well if the language of the page is
        unknown."""
        if self.language is None and self._of_title is None:
            return True
        said = spoken(text)
        return agree(said, self.language) and agree(said, self._of_title)


def leading(page: PageText, about: About) -> list[tuple[int, list[Sentence]]]:
    """Return the sentences of the paragraph with which the page's text begins, and the sentences of short lines before
    that paragraph.

    Each result has the index of its paragraph. Remarks on the document are skipped. Later paragraphs are not used,
    because they depend on earlier text or are about a part of the topic. Paragraphs of a list are not used either,
    because they belong to its entries.
    """
    if about.leading is None:
        about.leading = _leading(page, about)
    return about.leading


def _leading(page: PageText, about: About) -> list[tuple[int, list[Sentence]]]:
    if page.kind.kind == "archive" or _are_of_entries(page.sections):
        return []
    found: list[tuple[int, list[Sentence]]] = []
    before = lead = 0  # characters so far, and the section in which the page's text begins
    for at, paragraph in enumerate(page.paragraphs):
        section = page.sections[at] if at < len(page.sections) else 0
        if before >= SHORTEST:
            break
        if not about.speaks(paragraph):
            continue
        if section <= lead + _SECTIONS_BEFORE:  # only a line that names the page precedes it
            lead = section
        if section == lead and (is_remark(paragraph, about.topic) or is_notice(paragraph, about.known)):
            continue
        before += len(paragraph)
        if section > lead:
            break
        if sentences := usable(paragraph, about.known):
            found.append((at, sentences))
    return found


def has_entries(sections: Sequence[int]) -> bool:
    """Whether nearly each of the first paragraphs has its own heading, such as one for each function of a library. Then
    a paragraph may describe its entry instead of the page."""
    first = sections[:_FIRST]
    return len(first) >= _FEWEST_ENTRIES and len(set(first)) >= len(first) - 1


def _are_of_entries(sections: Sequence[int]) -> bool:
    """Whether the paragraphs are teasers of a list: each has its own heading, and none follows the page's heading."""
    return len(sections) >= _FEWEST_ENTRIES and sections[0] > 1 and len(set(sections)) == len(sections)
