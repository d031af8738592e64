"""Suggests titles and descriptions for keyword tasks. A query's words are used only if the page itself has them."""

import re
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from chalicelib.domain.page.text import fold, one_space
from chalicelib.domain.page.widths import title_px
from chalicelib.domain.suggestion import Candidate, SecondField, SuggestedFrom
from chalicelib.suggestions import descriptions
from chalicelib.suggestions.languages import spoken
from chalicelib.suggestions.page_text import PageText

WIDEST: Final = 561  # px, as for titles that are too long
_BETWEEN: Final = ": "
HAS_WORDS: Final = "The title already has the words of the query. It lacks a reason to click."
NOT_SAID: Final = "The page's text does not contain the words of the query, so no title with these words is suggested."
TOO_WIDE: Final = "With the words of the query, the title would be wider than search results show."
TAKEN: Final = "Another page of the website already has the title that this page would get."
NO_QUERY: Final = "No known query fits the page."
DESCRIBED: Final = "The description already has the words of the query. It lacks a reason to click."
NO_SENTENCE: Final = "The page has no sentence with the words of the query that is clear on its own."
TAKEN_TEXT: Final = "Another page of the website already has the description that this page would get."
MOST_PLACES: Final = 5  # paragraphs with the query, one of which may begin a description


class Own(NamedTuple):
    """The texts of a page: its title, its headings with the main ones first, and the beginning of its text.

    - ``page``: the input for the page's description. Its field ``language`` is set later, when it is needed.
    - ``canonical``: the page's canonical address as declared; None if it declares none.
    """

    title: str | None
    headings: tuple[str, ...]
    text: str
    page: PageText = PageText()
    canonical: str | None = None


class Title(NamedTuple):
    """A suggested title and the source of its words, or the reason why there is no title."""

    text: str | None
    source: SuggestedFrom | None
    note: str | None


def title_for(query: str | None, own: Own, taken: Collection[str]) -> Title:
    """Return a title that contains the words of a query, for a page that has these words.

    ``taken``: the titles of the website's pages, normalized by ``fold``.
    """
    if not query:
        return Title(None, None, NO_QUERY)
    wanted = fold(query)
    if wanted in fold(own.title or ""):
        return Title(None, None, HAS_WORDS)
    heading = next((one for one in own.headings if wanted in fold(one)), None)
    source: SuggestedFrom = "heading"
    if heading is not None:
        said, source = one_space(heading), "h1" if heading == own.headings[0] else "heading"
    else:
        found = _as_written(wanted, own.text)
        if found is None:
            return Title(None, None, NOT_SAID)
        said, source = found[:1].upper() + found[1:], "paragraph"
    for text in ([said + _BETWEEN + own.title] if own.title else []) + [said]:
        if title_px(text) <= WIDEST:
            return Title(None, None, TAKEN) if fold(text) in taken else Title(text, source, None)
    return Title(None, None, TOO_WIDE)


def description_for(query: str | None, own: Own, taken: Collection[str]) -> SecondField:
    """Return a description that contains the words of a query, for a page that has these words. Like the descriptions
    that are suggested for rules, it consists of sentences of the page.

    ``taken``: the descriptions of the website's pages, normalized by ``fold``.
    """
    page = own.page
    if not query:
        return SecondField(page.description, None, note=NO_QUERY)
    if _says(page.description or "", query):
        return SecondField(page.description, None, note=DESCRIBED)
    note = NO_SENTENCE
    spoken_here = page._replace(language=spoken(" ".join(page.paragraphs) or own.text))
    for text, source in _candidates(spoken_here, query):
        if not _says(text, query):
            continue
        if fold(text) not in taken:
            return SecondField(page.description, text, source)
        note = TAKEN_TEXT
    return SecondField(page.description, None, note=note)


def _candidates(page: PageText, query: str) -> Iterator[Candidate]:
    """Yield candidates for the page's description, then those that begin with a paragraph that has the query."""
    yield from descriptions.candidates(page)
    places = [at for at, paragraph in enumerate(page.paragraphs) if at and _says(paragraph, query)]
    for at in places[:MOST_PLACES]:
        begun = page._replace(description=None, og_description=None, paragraphs=page.paragraphs[at:], sections=())
        for text, _ in descriptions.candidates(begun):
            yield Candidate(text, "paragraph")


def _says(text: str, query: str) -> bool:
    return _as_written(fold(query), text) is not None


def _as_written(wanted: str, text: str) -> str | None:
    """Return the words in the text's letter case. Returns None if the text does not have them as one sequence."""
    found = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", one_space(text), re.IGNORECASE)
    return None if found is None else found[0]
