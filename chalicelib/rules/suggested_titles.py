"""The titles that an audit suggests: collected page by page, then chosen for the whole website."""

from collections import Counter
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote, urlsplit

from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.stop_words import ALL_STOP_WORDS
from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestion import Candidate, Suggestion
from chalicelib.rules import registry
from chalicelib.rules.context import Site
from chalicelib.rules.suggested_texts import TAKEN, Headings, Texts, suggestion_of, tag
from chalicelib.rules.suggested_values import unread
from chalicelib.rules.website_titles import named_below, numbers_sections, shared_title
from chalicelib.suggestions import shortened_titles, titles
from chalicelib.suggestions.choice import choose
from chalicelib.suggestions.headings import bare_number, chapters_of, is_stock
from chalicelib.suggestions.title_parts import SharedTitle, without_names
from chalicelib.suggestions.titles import PageTitle
from chalicelib.suggestions.words import content_words, split_words, stems

_PARAGRAPH: Final = 60  # characters: a shorter paragraph may be a label
_LEAST_SAID: Final = 50  # words of a text: with fewer it cannot be decided whether a heading belongs to the page
_BEGUN: Final = 40  # characters by which a paragraph is recognized at the beginning of a text
_SAID_OFTEN: Final = 2
_LEAST_MAINS: Final = 3  # main headings of sections


class Titles:
    """Collects possible titles for the affected pages of one website.

    - ``headings``: reads the pages' headings.
    - ``known_titles``: titles in the CMS, by address; None without synced content.
    """

    def __init__(
        self, site: Site, shared: SharedTitle, headings: Headings, known_titles: Mapping[str, str] | None
    ) -> None:
        self._site = site
        self._shared = shared
        self._headings = headings
        self._known_titles = known_titles
        self._texts: dict[str, Texts] = {}
        self._chosen: Mapping[str, Candidate] = {}

    def add(self, facts: PageFacts, fired: frozenset[str], kept: str | None) -> None:
        """Collect possible titles of one page.

        ``fired``: the rules that fire on it. ``kept``: the page that it repeats word for word.
        """
        texts = self._possible(facts, fired)
        self._texts[facts.url] = texts if kept is None else texts.of_copy(kept)

    def choose(self) -> None:
        """Choose a title for each page, so that no two pages get the same one."""
        present = {fold(address.title) for address in self._site.readable()}
        wanted = {url: texts.wanted() for url, texts in self._texts.items()}
        self._chosen = choose(wanted, present.__contains__)

    def letter_case_note(self) -> str | None:
        """Return what to check if the CMS has titles in another letter case than the pages, as themes cause it."""
        if not self._known_titles:
            return None
        return titles.letter_case_note(
            {address.url: address.title for address in self._site.readable()}, self._known_titles
        )

    def of_page(self, page: AffectedPage, rule_id: str) -> Suggestion:
        """Return the suggestion for an affected page of this rule."""
        texts = self._texts.get(page.url)
        if texts is None:
            return unread(page, "title")
        chosen = self._chosen.get(page.url)
        # For a title that is too long, only a shorter form of it is shown.
        if registry.BY_ID[rule_id].shortens_title:
            of_rule = next((form for form in texts.shorter if chosen is not None and form.text == chosen.text), None)
            return suggestion_of(page, texts, of_rule, TAKEN if texts.shorter else texts.why_not_shorter)
        return suggestion_of(page, texts, chosen, TAKEN if texts.wanted() else texts.why_none)

    def _possible(self, facts: PageFacts, fired: frozenset[str]) -> Texts:
        rules = [registry.BY_ID[rule_id] for rule_id in fired]
        needs = frozenset(rule.title_need for rule in rules if rule.title_need is not None)
        h1, first = self._headings.main(facts, told="short" in needs)
        if first != facts.shown_title and not titles.is_of_page(first or "", facts.title, facts.url):
            first = None
        if first is not None and first != facts.shown_title and _is_one_of_sections(first, facts):
            first = None
        if (
            h1 is not None
            and needs == {"short"}
            and _is_one_of_mains(h1, without_names(facts.title or "", self._shared), facts)
        ):
            h1 = None
        chapters = chapters_of(text for _, text in facts.headings)
        if self._site.once(numbers_sections) and (number := bare_number(h1 or first or "")) is not None:
            if number in ("A", "I"):  # an appendix, or words of the heading
                h1 = first = None
            chapters |= {number}
        lang = tag(facts, self._headings.language_of(facts))
        page = PageTitle(
            facts.url,
            facts.title,
            h1,
            facts.og_title,
            lang,
            first,
            chapters,
            self._site.is_home(facts.url),
            _said_of(facts, h1 or first or "") if needs else None,
        )
        shortens = any(rule.shortens_title for rule in rules)
        return Texts(
            facts.title,
            shortened_titles.shortened(page, self._shared, self._site.once(_shared_beginnings)) if shortens else [],
            titles.replacements(page, self._named_for(facts.url), needs) if needs else [],
            why_none=titles.why_not_replaced(page, needs),
            why_not_shorter=shortened_titles.why_not_shortened(page) if shortens else "",
            duplicated="duplicated" in needs,
        )

    def _named_for(self, url: str) -> SharedTitle:
        """Return the common part of the titles, with the website's name only if it names this page too.

        A name that comes only from the home page's title names just the pages in the home page's folder.
        """
        below = self._site.once(named_below)
        return self._shared if url.startswith(below) else self._shared._replace(name=None)


def _shared_beginnings(site: Site) -> frozenset[str]:
    shown = {fold(address.title): address.title for address in site.readable() if address.title}
    return shortened_titles.shared_beginnings(shown.values(), site.once(shared_title))


def _is_one_of_sections(heading: str, facts: PageFacts) -> bool:
    """Whether the page's own text comes before its first heading, and most headings of that level are about other
    things. The heading then names only a section."""
    levels = [level for level, text in facts.headings if text == heading]
    sections = [text for level, text in facts.headings if level in levels and text != heading]
    at = facts.text.find(heading)
    opening = next((text for text in facts.paragraphs if len(text) >= _PARAGRAPH), None)
    begins = facts.text.find(opening[:_BEGUN]) if opening is not None else -1
    if not sections or begins < 0 or 0 <= at < begins:
        return False
    words = stems(content_words(heading, ALL_STOP_WORDS))
    alike = sum(not words.isdisjoint(stems(content_words(text, ALL_STOP_WORDS))) for text in sections)
    return 2 * alike < len(sections)


def _is_one_of_mains(h1: str, own: str, facts: PageFacts) -> bool:
    """Whether the page has several main headings, each for a section, and its title names something else than the
    first. ``own``: the title without the website's name."""
    said = stems(word for word in split_words(own) if word not in ALL_STOP_WORDS)
    mains = {text for level, text in facts.headings if level == 1}
    if len(mains) < _LEAST_MAINS or not said or is_stock(own):
        return False
    return all(said.isdisjoint(stems(split_words(text))) for text in mains)


def _said_of(facts: PageFacts, heading: str) -> frozenset[str] | None:
    """Return the stems of words by which a page names its topic outside a heading.

    These are the words of its address and of its other headings, and frequent words of its text. Returns None if its
    text is too short to decide.
    """
    words = split_words(facts.text)
    if len(words) < _LEAST_SAID:
        return None
    often = Counter(stem for word in words for stem in stems((word,)))
    said = {stem for stem, count in often.items() if count >= _SAID_OFTEN}
    said |= stems(split_words(unquote(urlsplit(facts.url).path).replace("_", " ")))
    return frozenset(said.union(*(stems(split_words(text)) for _, text in facts.headings if text != heading)))
