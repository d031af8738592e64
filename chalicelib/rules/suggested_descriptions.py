"""The descriptions that an audit suggests: collected page by page, then chosen for the whole website."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final
from urllib.parse import urlsplit

from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.page_kinds import PageKind
from chalicelib.domain.page.stop_words import ALL_STOP_WORDS
from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestion import Candidate, SuggestedFrom, Suggestion
from chalicelib.rules.articles import is_article
from chalicelib.rules.context import Address, Site
from chalicelib.rules.suggested_texts import TAKEN, Headings, Texts, suggestion_of, tag
from chalicelib.rules.suggested_values import unread
from chalicelib.rules.titles import MARKS
from chalicelib.rules.website_titles import numbers_sections
from chalicelib.suggestions import descriptions, series, titles, topics
from chalicelib.suggestions.choice import choose
from chalicelib.suggestions.composed import Outline, composed, outline_of, unended
from chalicelib.suggestions.filler import is_filler
from chalicelib.suggestions.headings import bare_number, chapters_of, cleaned, is_stock, without_byline
from chalicelib.suggestions.languages import agree, is_foreign, spoken
from chalicelib.suggestions.page_text import About, PageText
from chalicelib.suggestions.telling import says_as_much, to_keep
from chalicelib.suggestions.title_parts import SharedTitle, pieces_of, without_names
from chalicelib.suggestions.words import key_of

# Last part of an address that shows a list of texts, whatever the page's markup says.
_LIST_ADDRESS: Final = re.compile(
    r"/(?:blog|news|posts|articles|tags?|categor(?:y|ies)|archives?|authors?|topics|aktuelles|beitr%C3%A4ge|kategorien?"
    r"|actualites|articulos|noticias|notizie|nieuws|page/\d+)(?:/index\.html?)?/?$"
)
_OPENINGS: Final = 3  # paragraphs of a page that candidates come from
_BEGUN: Final = 40  # characters by which a paragraph is recognized at the beginning of a text
_LEAST_PAGES: Final = 20
_LISTED_OFTEN: Final = 3  # pages; a part that this many pages list distinguishes none of them
_MAIN_LANGUAGE: Final = 0.6  # share of the pages that declare no language
_OTHER_LANGUAGE: Final = (
    "The page declares no language, and its text is in another language than nearly all other pages."
)


class Descriptions:
    """Collects possible descriptions for the affected pages of one website.

    - ``headings``: reads the pages' headings.
    - ``composed_before``: None if this audit reads all pages. Otherwise, by address, the descriptions that earlier
      audits composed from lists on pages. In this case only these descriptions may be suggested. New ones are not
      composed, because the lists on unread pages are unknown.
    """

    def __init__(
        self, site: Site, shared: SharedTitle, headings: Headings, composed_before: Mapping[str, str] | None
    ) -> None:
        self._site = site
        self._shared = shared
        self._headings = headings
        self._composed_before = composed_before
        self._common = topics.common({address.title for address in site.readable() if address.title})
        self._series = _series(site, shared)
        self._website = (shared.ending or shared.beginning or shared.name or "").strip(MARKS)
        self._texts: dict[str, Texts] = {}
        self._chosen: Mapping[str, Candidate] = {}
        self._openings: Counter[int] = Counter()  # number of pages by beginning of a text
        self._repeatable: dict[str, dict[str, int]] = {}  # by address and text: see ``repeatable``
        # Each with the language of the page's text, and which lists may describe the page.
        self._outlines: dict[str, tuple[Outline, str | None, AbstractSet[SuggestedFrom]]] = {}
        # Short texts with the page's name, for pages without other texts: see ``descriptions.named``.
        self._named: dict[str, tuple[Candidate, int | None]] = {}
        self._kept: dict[str, str] = {}  # present descriptions of which a list must keep half of the words
        self._listed_on: Counter[int] = Counter()  # number of pages that have a part

    def add(self, facts: PageFacts, address: Address, kept: str | None) -> None:
        """Collect possible descriptions of one page. ``kept``: the page that it repeats word for word."""
        paragraphs = self._site.own_text.paragraphs(facts, address.template)
        texts = self._possible(facts, address, paragraphs, is_copy=kept is not None)
        self._texts[facts.url] = texts if kept is None else texts.of_copy(kept)

    def choose(self) -> None:
        """Choose a description for each page, so that no two pages get the same one."""
        self._drop_series()
        self._compose()
        self._drop_other_languages()
        present = {address.description_key for address in self._site.readable()}
        wanted = {url: texts.others for url, texts in self._texts.items()}
        self._chosen = choose(wanted, lambda text: hash(text) in present)

    def of_page(self, page: AffectedPage) -> Suggestion:
        """Return the suggestion for an affected page."""
        texts = self._texts.get(page.url)
        if texts is None:
            return unread(page, "meta_description")
        return suggestion_of(page, texts, self._chosen.get(page.url), TAKEN if texts.others else texts.why_none)

    def _possible(self, facts: PageFacts, address: Address, paragraphs: Sequence[str], *, is_copy: bool) -> Texts:
        section_of = dict(zip(facts.paragraphs, facts.sections, strict=False))
        kind = PageKind() if is_article(facts) else address.kind.certain
        if kind.kind is None and _LIST_ADDRESS.search(urlsplit(facts.url).path) is not None:
            kind = PageKind("archive")
        language = self._headings.language_of(facts)
        h1, first = self._headings.main(facts, told=False)
        own = without_names(facts.title or "", self._shared)
        named = [
            (facts.title or "").replace(own, "", 1),
            self._shared.ending,
            self._shared.beginning,
            self._shared.name,
        ]
        page = PageText(
            title=own or facts.title,
            h1=h1 or first or (None if own else _page_heading(facts)),
            description=_without_heading(facts),
            og_description=facts.og_description,
            paragraphs=paragraphs,
            lang=tag(facts, language),
            kind=kind,
            name=" ".join(filter(None, named)),
            language=language,
            sections=[section_of.get(paragraph, 0) for paragraph in paragraphs],
            shared=self._common | self._shared_parts_of(own),
            is_filler=any(filler == "lorem" for filler, _ in facts.placeholders) or is_filler(facts.title or ""),
        )
        about = About(page)
        found = descriptions.candidates(page, about)
        if not is_copy:
            self._openings.update(series.openings([*filter(None, [page.description]), *paragraphs[:_OPENINGS]]))
        if found and (repeatable := descriptions.repeatable(page, found, about)):
            self._repeatable[facts.url] = repeatable
        why = "" if found else descriptions.why_none(page)
        if not found and not is_copy:
            name = self._called(facts, own)
            if kept := to_keep(facts.description, about.topic):
                self._kept[facts.url] = kept
            self._take_outline(facts, name, language, descriptions.may_list(page, about))
            if (short := descriptions.named(page, name, about)) is not None:
                self._named[facts.url] = short
        undeclared = language if not facts.lang else None
        return Texts(facts.description, [], found, why, advice=descriptions.advice_for(kind), undeclared=undeclared)

    def _shared_parts_of(self, own: str) -> set[str]:
        """Return the stems of title parts that other titles have too, such as the name of a series."""
        shared = [part for part in pieces_of(own) if key_of(part) in self._series]
        return topics.of_text(" ".join(shared), ALL_STOP_WORDS)

    def _take_outline(
        self, facts: PageFacts, name: str, language: str | None, sources: AbstractSet[SuggestedFrom]
    ) -> None:
        """Store what a page lists until the lists of all pages are known. ``name``: the page's name.

        Its parts are counted even if none of its ``sources`` may describe it. An outline with names in
        another language is not used, because it was translated only in part.
        """
        if _heads_teasers(facts):
            return
        outline = outline_of(name, facts.headings, facts.listed)
        if outline is not None:
            names = outline.names()
            if language is None:
                mixed = len({spoken(name) for name in names} - {None}) > 1
            else:
                mixed = any(is_foreign(name, language) for name in names)
            if sources and not mixed:
                self._outlines[facts.url] = outline, language, sources
            self._listed_on.update(map(hash, outline.parts()))

    def _called(self, facts: PageFacts, own: str) -> str:
        """Return the page's name to precede its list: its main heading, or its ``own`` title.

        Returns "" if neither fits.
        """
        h1, first = self._headings.main(facts, told=False)
        language = facts.lang or self._headings.language_of(facts)
        chapters = chapters_of(text for _, text in facts.headings)
        if self._site.once(numbers_sections) and (number := bare_number(h1 or first or "")) is not None:
            chapters |= {number}
        for text in (h1, first, own):
            name = without_byline(cleaned(text or "", own=own, chapters=chapters), facts.title or "")
            named = titles.names_something(name, language) and not titles.is_nameless(name, self._shared)
            if name and named and not is_stock(name, numbered=True):
                return name
        return ""

    def _compose(self) -> None:
        """Compose descriptions from the entries that a page lists and few other pages list."""
        for url, (outline, language, sources) in self._outlines.items():
            texts = self._texts[url]
            if not texts.others:
                listed = [one for one in self._composed(url, outline) if one.source in sources]
                spoken_so = [one for one in listed if agree(spoken(one.text), language)]
                found = [one for one in spoken_so if says_as_much(one.text, self._kept.get(url, ""))]
                self._texts[url] = texts._replace(others=found)
        for url, (named, opening) in self._named.items():
            if not self._texts[url].others and (opening is None or self._openings[opening] < series.OFTEN):
                self._texts[url] = self._texts[url]._replace(others=[named])

    def _composed(self, url: str, outline: Outline) -> list[Candidate]:
        parts = outline.parts()
        if self._composed_before is None:
            often = {part for part in parts if self._listed_on[hash(part)] >= _LISTED_OFTEN}
            # A table of contents may have the website's name above it.
            stock = often | {part for part in parts if key_of(part) in self._shared.names}
            return composed(outline, stock, website=self._website)
        before = self._composed_before.get(url)
        if before is None:
            return []
        said = fold(before)
        left_out = {part for part in parts if part not in said}
        # Earlier releases did not put the website's name behind the topic.
        alike = [one for name in (self._website, "") for one in composed(outline, left_out, website=name, fewest=0.0)]
        return [Candidate(before, one.source) for one in alike if unended(one.text) == unended(before)][:1]

    def _drop_series(self) -> None:
        """Remove candidates that begin like texts on several other pages."""
        for url, repeatable in self._repeatable.items():
            texts = self._texts[url]
            own = [
                one
                for one in texts.others
                if one.text not in repeatable or self._openings[repeatable[one.text]] < series.OFTEN
            ]
            if len(own) < len(texts.others):
                self._texts[url] = texts._replace(others=own, why_none=TAKEN)

    def _drop_other_languages(self) -> None:
        """Remove candidates of pages in another language than nearly all others, which are probably not translated yet.

        A page that declares its language is in that language on purpose.
        """
        spoken_of = Counter(texts.undeclared for texts in self._texts.values() if texts.undeclared is not None)
        if not spoken_of:
            return
        language, count = min(spoken_of.items(), key=lambda item: (-item[1], item[0]))
        if count < _LEAST_PAGES or count < _MAIN_LANGUAGE * spoken_of.total():
            return
        for url, texts in self._texts.items():
            if texts.undeclared not in (None, language) and texts.others:
                self._texts[url] = texts._replace(others=[], why_none=_OTHER_LANGUAGE)


def _series(site: Site, shared: SharedTitle) -> frozenset[str]:
    """Return the title parts (``key_of``) that several of the website's titles have, without its name."""
    counts: Counter[str] = Counter()
    for title in {address.title for address in site.readable() if address.title}:
        counts.update(set(map(key_of, pieces_of(without_names(title, shared)))))
    return frozenset(part for part, count in counts.items() if count >= series.OFTEN)


def _without_heading(facts: PageFacts) -> str | None:
    """Return the page's description without the heading that a tool joined to the paragraph below it."""
    description = facts.description or ""
    for _, heading in facts.headings:
        rest = description.removeprefix(heading).lstrip()
        is_joined = heading and len(rest) < len(description)
        if is_joined and any(rest.startswith(paragraph[:_BEGUN]) for paragraph in facts.paragraphs):
            return rest
    return facts.description


def _heads_teasers(facts: PageFacts) -> bool:
    """Whether most headings are texts of links to other pages, as in a list of teasers.

    The number and order of such headings change with every entry.
    """
    linked = {fold(link.text) for link in facts.links if link.url != facts.url}
    below = [text for level, text in facts.headings if level > 1]
    return 2 * sum(fold(text) in linked for text in below) > len(below)


def _page_heading(facts: PageFacts) -> str | None:
    """Return the first heading that names the topic, for a page without a main heading."""
    return next((text for _, text in facts.headings if text and not is_stock(text)), None)
