"""What the suggestions of titles and of descriptions share: a page's candidate texts, its main heading and the language
of its text."""

import re
from itertools import dropwhile
from typing import Final, NamedTuple

from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestion import Advice, Candidate, Suggestion
from chalicelib.rules.context import Site
from chalicelib.rules.website_titles import repeated_headings
from chalicelib.suggestions import titles
from chalicelib.suggestions.headings import cleaned, is_stock, section_number
from chalicelib.suggestions.languages import spoken
from chalicelib.suggestions.title_parts import SharedTitle

TAKEN: Final = "Another page of the website has the same text, or the same suggestion."

_BEFORE_NUMBER: Final = re.compile(r"\D{2,}(?=\d)")


class Texts(NamedTuple):
    """The candidate texts of one page, best first.

    ``shorter``: shorter forms of its current title. ``why_none`` and ``why_not_shorter``: what to say if there are no
    candidates.
    """

    current: str | None
    shorter: list[Candidate]
    others: list[Candidate]
    why_none: str
    why_not_shorter: str = ""
    advice: Advice | None = None
    duplicated: bool = False
    undeclared: str | None = None  # the language of the text, if the page declares none

    def of_copy(self, kept: str) -> "Texts":
        """Return the texts for a page that is a copy of the page ``kept``: no candidates, only the reason why there are
        none.

        Texts are suggested only for ``kept``.
        """
        why = f"The page repeats {kept} word for word. Texts are suggested only for that other page."
        return self._replace(shorter=[], others=[], why_none=why, why_not_shorter=why)

    def wanted(self) -> list[Candidate]:
        """Return all candidates, best first.

        If other pages have the same title, the shortened titles come last, because shortening does not make the title
        unique.
        """
        return [*self.others, *self.shorter] if self.duplicated else [*self.shorter, *self.others]


class Headings:
    """Reads the headings and the languages of one website's pages.

    ``shared``: the common part of the website's titles.
    """

    def __init__(self, site: Site, shared: SharedTitle) -> None:
        self._site = site
        self._shared = shared
        self._language: tuple[str, str | None] = ("", None)  # address and language of the page that was examined last

    def main(self, facts: PageFacts, *, told: bool) -> tuple[str | None, str | None]:
        """Return the page's main heading and a substitute for it. At most one of the two is not None.

        Headings at the beginning that name the website, or a section of it, are skipped. Another heading is a
        substitute if no other heading has its level, or if it is the page's first heading and the caller compares it
        with the title (``told``). A list of posts gets none, because its first heading belongs to a post. Main headings
        of sections are not used.
        """
        if facts.shown_title is not None:
            return None, facts.shown_title
        own = list(dropwhile(lambda heading: self._is_header(heading[1]), facts.headings))
        mains = [text for level, text in own if level == 1]
        if mains and not (len(mains) > 1 and _are_sections(mains[0], mains[1])):
            return mains[0], None
        if mains or not own or self._site.addresses[facts.url].kind.kind == "archive":
            return None, None
        level, first = own[0]
        alone = (told and len(own) == len(facts.headings)) or [other for other, _ in own].count(level) == 1
        return None, first if alone else None

    def _is_header(self, heading: str) -> bool:
        """Whether a heading names the website or a section of it, not the page."""
        if titles.is_nameless(heading, self._shared):
            return True
        repeated = hash(fold(heading)) in self._site.once(repeated_headings)
        return repeated and not is_stock(cleaned(heading), numbered=True)

    def language_of(self, facts: PageFacts) -> str | None:
        """Return the language of a page's text, detected once per page."""
        if self._language[0] != facts.url:
            self._language = (facts.url, spoken(" ".join(facts.paragraphs) or facts.text))
        return self._language[1]


def suggestion_of(page: AffectedPage, texts: Texts, chosen: Candidate | None, why_none: str) -> Suggestion:
    """Return the suggestion for a page: the chosen text, or why there is none."""
    if chosen is None:
        return Suggestion(page.url, page.page_id, texts.current, None, texts.advice, note=why_none)
    return Suggestion(page.url, page.page_id, texts.current, chosen.text, texts.advice, chosen.source)


def tag(facts: PageFacts, language: str | None) -> str | None:
    """Return the declared language tag if it fits the detected language of the page's text, or if none was detected.

    Otherwise return the detected language.
    """
    declared = facts.lang or None
    return declared if language is None or (declared or "").lower().startswith(language) else language


def _are_sections(main: str, following: str) -> bool:
    """Whether two main headings of a page are those of its sections.

    They have section numbers, or the same words before a number: "Changes in 2.1", "Changes in 2.0".
    """
    if section_number(main) and section_number(following):
        return True
    first, second = _BEFORE_NUMBER.match(main), _BEFORE_NUMBER.match(following)
    return first is not None and second is not None and fold(first[0]) == fold(second[0])
