"""The suggestions of an audit.

They are collected page by page during judging, and chosen for the whole website at the end. Of each page, only a few
short candidate texts are kept until then.

Failure policy: a page that did not answer stays in the issue's list of pages, without a suggestion. A suggestion of an
older audit is never reused, because other pages may have that text by now.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import dropwhile
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.page_kinds import PageKind
from chalicelib.domain.page.stop_words import ALL_STOP_WORDS
from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestion import (
    WRITABLE_FIELDS,
    Advice,
    Candidate,
    Suggested,
    SuggestedFrom,
    Suggestion,
)
from chalicelib.rules import registry
from chalicelib.rules.context import Address, Site
from chalicelib.rules.suggested_values import Values, unread
from chalicelib.rules.website_titles import named_below, numbers_sections, repeated_headings, shared_title
from chalicelib.suggestions import descriptions, series, shortened_titles, titles, topics
from chalicelib.suggestions.choice import choose
from chalicelib.suggestions.composed import Outline, composed, outline_of, unended
from chalicelib.suggestions.filler import is_filler
from chalicelib.suggestions.headings import bare_number, chapters_of, cleaned, is_stock, section_number, without_byline
from chalicelib.suggestions.languages import agree, is_foreign, spoken
from chalicelib.suggestions.page_text import About, PageText
from chalicelib.suggestions.title_parts import SharedTitle, pieces_of, without_names
from chalicelib.suggestions.titles import PageTitle
from chalicelib.suggestions.words import content_words, key_of, split_words, stems

# Last part of an address that shows a list of texts, whatever the page's markup says.
_LIST_ADDRESS: Final = re.compile(
    r"/(?:blog|news|posts|articles|tags?|categor(?:y|ies)|archives?|authors?|topics|aktuelles|beitr%C3%A4ge|kategorien?"
    r"|actualites|articulos|noticias|notizie|nieuws|page/\d+)(?:/index\.html?)?/?$"
)

_ARTICLES: Final = frozenset(
    {"Article", "BlogPosting", "NewsArticle", "TechArticle", "ScholarlyArticle", "Report", "Recipe", "HowTo"}
)
_ARTICLE_WORDS: Final = 300  # words; a page with a main heading, paragraphs and this many words is an article
_PARAGRAPH: Final = 60  # characters: a shorter paragraph may be a label
_LEAST_SAID: Final = 50  # words of a text: with fewer it cannot be decided whether a heading belongs to the page
_BEGUN: Final = 40  # characters by which a paragraph is recognized at the beginning of a text
_OPENINGS: Final = 3  # paragraphs of a page that candidates come from
_BEFORE_NUMBER: Final = re.compile(r"\D{2,}(?=\d)")
_SAID_OFTEN: Final = 2
_LEAST_PAGES: Final = 20
_LISTED_OFTEN: Final = 3  # pages; a part that this many pages list distinguishes none of them
_MAIN_LANGUAGE: Final = 0.6  # share of the pages that declare no language
_OTHER_LANGUAGE: Final = (
    "The page declares no language, and its text is in another language than nearly all other pages."
)
TAKEN: Final = "Another page of the website has the same text, or the same suggestion."


class _Texts(NamedTuple):
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

    def of_copy(self, kept: str) -> "_Texts":
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


class Suggester:
    """Collects possible texts for the affected pages of one website.

    - ``known_titles``: titles in the CMS, by address; None without synced content.
    - ``composed_before``: None if this audit reads all pages. Otherwise, by address, the descriptions that earlier
      audits composed from lists on pages. In this case only these descriptions may be suggested. New ones are not
      composed, because the lists on unread pages are unknown.
    """

    def __init__(
        self,
        site: Site,
        site_id: str,
        known_titles: Mapping[str, str] | None = None,
        composed_before: Mapping[str, str] | None = None,
    ) -> None:
        self._composed_before = composed_before
        self._site = site
        self._known_titles = known_titles
        self._shared = site.once(shared_title)
        self._common = topics.common({address.title for address in site.readable() if address.title})
        self._series = _series(site, self._shared)
        self._titles: dict[str, _Texts] = {}
        self._descriptions: dict[str, _Texts] = {}
        self._openings: Counter[int] = Counter()  # number of pages by beginning of a text
        self._repeatable: dict[str, dict[str, int]] = {}  # by address and text: see ``repeatable``
        # Each with the language of the page's text, and which lists may describe the page.
        self._outlines: dict[str, tuple[Outline, str | None, AbstractSet[SuggestedFrom]]] = {}
        # Short texts with the page's name, for pages without other texts: see ``descriptions.named``.
        self._named: dict[str, tuple[Candidate, int | None]] = {}
        self._listed_on: Counter[int] = Counter()  # number of pages that have a part
        self._values = Values(site, site_id, self._shared)
        self._language: tuple[str, str | None] = ("", None)  # address and language of the page that was examined last

    def add(self, facts: PageFacts, rule_ids: Iterable[str]) -> None:
        """Collect the texts of one page and the rules that fire on it. ``facts`` are not stored."""
        fired = frozenset(rule_ids)
        fields = {field for rule_id in fired if (field := registry.BY_ID[rule_id].writable_field) is not None}
        if not fields or facts.url not in self._site.addresses:
            return
        address = self._site.addresses[facts.url]
        kept = self._values.kept_copy(facts, address) if not fields.isdisjoint(("title", "meta_description")) else None
        if "title" in fields:
            texts = self._title(facts, fired)
            self._titles[facts.url] = texts if kept is None else texts.of_copy(kept)
        if "meta_description" in fields:
            paragraphs = self._site.own_text.paragraphs(facts, address.template)
            texts = self._description(facts, address, paragraphs, is_copy=kept is not None)
            self._descriptions[facts.url] = texts if kept is None else texts.of_copy(kept)
        if "canonical" in fields:
            self._values.add_canonical(facts, address, fired)
        if "noindex" in fields:
            self._values.add_noindex(address, fired, is_article=_is_article(facts))

    def finish(
        self, affected: Mapping[str, Sequence[AffectedPage]], site_rules: Iterable[str] = ()
    ) -> dict[str, Suggested]:
        """Return the suggestions by rule.

        ``affected``: the affected pages of each rule. ``site_rules``: the site rules that fire.
        """
        title_of = self._choose_titles()
        description_of = self._choose_descriptions()
        note = self._letter_case_note()
        result: dict[str, Suggested] = {}
        for rule_id, pages in affected.items():
            field = registry.BY_ID[rule_id].writable_field
            if field not in WRITABLE_FIELDS:
                continue
            listed = sorted(pages, key=lambda page: page.url)
            if field == "title":
                chosen = [self._titled(page, rule_id, title_of.get(page.url)) for page in listed]
            elif field == "meta_description":
                chosen = [self._described(page, description_of.get(page.url)) for page in listed]
            else:
                chosen = [self._values.of_page(page, field, rule_id) for page in listed]
            result[rule_id] = Suggested(chosen, note if field == "title" else None)
        for rule_id in site_rules:
            of_site = self._values.of_site_rule(rule_id)
            if of_site:
                result[rule_id] = Suggested(of_site)
        return result

    # -- one page --------------------------------------------------------------------------------------

    def _title(self, facts: PageFacts, fired: frozenset[str]) -> _Texts:
        rules = [registry.BY_ID[rule_id] for rule_id in fired]
        needs = frozenset(rule.title_need for rule in rules if rule.title_need is not None)
        h1, first = self._headings(facts, told="short" in needs)
        if first != facts.shown_title and not titles.is_of_page(first or "", facts.title, facts.url):
            first = None
        if first is not None and first != facts.shown_title and _is_one_of_sections(first, facts):
            first = None
        chapters = chapters_of(text for _, text in facts.headings)
        if self._site.once(numbers_sections) and (number := bare_number(h1 or first or "")) is not None:
            if number in ("A", "I"):  # an appendix, or words of the heading
                h1 = first = None
            chapters |= {number}
        lang = _tag(facts, self._language_of(facts))
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
        return _Texts(
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

    def _headings(self, facts: PageFacts, *, told: bool) -> tuple[str | None, str | None]:
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

    def _description(self, facts: PageFacts, address: Address, paragraphs: Sequence[str], *, is_copy: bool) -> _Texts:
        section_of = dict(zip(facts.paragraphs, facts.sections, strict=False))
        kind = PageKind() if _is_article(facts) else address.kind.certain
        if kind.kind is None and _LIST_ADDRESS.search(urlsplit(facts.url).path) is not None:
            kind = PageKind("archive")
        language = self._language_of(facts)
        h1, first = self._headings(facts, told=False)
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
            lang=_tag(facts, language),
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
            self._take_outline(facts, name, language, descriptions.may_list(page, about))
            if (short := descriptions.named(page, name, about)) is not None:
                self._named[facts.url] = short
        undeclared = language if not facts.lang else None
        return _Texts(facts.description, [], found, why, advice=descriptions.advice_for(kind), undeclared=undeclared)

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
        h1, first = self._headings(facts, told=False)
        language = facts.lang or self._language_of(facts)
        chapters = chapters_of(text for _, text in facts.headings)
        if self._site.once(numbers_sections) and (number := bare_number(h1 or first or "")) is not None:
            chapters |= {number}
        for text in (h1, first, own):
            name = without_byline(cleaned(text or "", own=own, chapters=chapters), facts.title or "")
            named = titles.names_something(name, language) and not titles.is_nameless(name, self._shared)
            if name and named and not is_stock(name, numbered=True):
                return name
        return ""

    def _language_of(self, facts: PageFacts) -> str | None:
        """Return the language of a page's text, detected once per page."""
        if self._language[0] != facts.url:
            self._language = (facts.url, spoken(" ".join(facts.paragraphs) or facts.text))
        return self._language[1]

    # -- the website -----------------------------------------------------------------------------------

    def _choose_titles(self) -> dict[str, Candidate]:
        present = {fold(address.title) for address in self._site.readable()}
        wanted = {url: texts.wanted() for url, texts in self._titles.items()}
        return choose(wanted, present.__contains__)

    def _compose_descriptions(self) -> None:
        """Compose descriptions from the entries that a page lists and few other pages list."""
        for url, (outline, language, sources) in self._outlines.items():
            texts = self._descriptions[url]
            if not texts.others:
                listed = [one for one in self._composed(url, outline) if one.source in sources]
                found = [one for one in listed if agree(spoken(one.text), language)]
                self._descriptions[url] = texts._replace(others=found)
        for url, (named, opening) in self._named.items():
            if not self._descriptions[url].others and (opening is None or self._openings[opening] < series.OFTEN):
                self._descriptions[url] = self._descriptions[url]._replace(others=[named])

    def _composed(self, url: str, outline: Outline) -> list[Candidate]:
        parts = outline.parts()
        if self._composed_before is None:
            often = {part for part in parts if self._listed_on[hash(part)] >= _LISTED_OFTEN}
            # A table of contents may have the website's name above it.
            return composed(outline, often | {part for part in parts if key_of(part) in self._shared.names})
        before = self._composed_before.get(url)
        if before is None:
            return []
        said = fold(before)
        alike = composed(outline, {part for part in parts if part not in said}, fewest=0.0)
        return [Candidate(before, one.source) for one in alike if unended(one.text) == unended(before)]

    def _drop_series(self) -> None:
        """Remove candidates that begin like texts on several other pages."""
        for url, repeatable in self._repeatable.items():
            texts = self._descriptions[url]
            own = [
                one
                for one in texts.others
                if one.text not in repeatable or self._openings[repeatable[one.text]] < series.OFTEN
            ]
            if len(own) < len(texts.others):
                self._descriptions[url] = texts._replace(others=own, why_none=TAKEN)

    def _choose_descriptions(self) -> dict[str, Candidate]:
        self._drop_series()
        self._compose_descriptions()
        self._drop_other_languages()
        present = {address.description_key for address in self._site.readable()}
        wanted = {url: texts.others for url, texts in self._descriptions.items()}
        return choose(wanted, lambda text: hash(text) in present)

    def _drop_other_languages(self) -> None:
        """Remove candidates of pages in another language than nearly all others, which are probably not translated yet.

        A page that declares its language is in that language on purpose.
        """
        spoken_of = Counter(texts.undeclared for texts in self._descriptions.values() if texts.undeclared is not None)
        if not spoken_of:
            return
        language, count = min(spoken_of.items(), key=lambda item: (-item[1], item[0]))
        if count < _LEAST_PAGES or count < _MAIN_LANGUAGE * spoken_of.total():
            return
        for url, texts in self._descriptions.items():
            if texts.undeclared not in (None, language) and texts.others:
                self._descriptions[url] = texts._replace(others=[], why_none=_OTHER_LANGUAGE)

    def _letter_case_note(self) -> str | None:
        if not self._known_titles:
            return None
        return titles.letter_case_note(
            {address.url: address.title for address in self._site.readable()}, self._known_titles
        )

    def _titled(self, page: AffectedPage, rule_id: str, chosen: Candidate | None) -> Suggestion:
        texts = self._titles.get(page.url)
        if texts is None:
            return unread(page, "title")
        # For a title that is too long, only a shorter form of it is shown.
        if registry.BY_ID[rule_id].shortens_title:
            of_rule = next((form for form in texts.shorter if chosen is not None and form.text == chosen.text), None)
            return _said(page, texts, of_rule, TAKEN if texts.shorter else texts.why_not_shorter)
        return _said(page, texts, chosen, TAKEN if texts.wanted() else texts.why_none)

    def _described(self, page: AffectedPage, chosen: Candidate | None) -> Suggestion:
        texts = self._descriptions.get(page.url)
        if texts is None:
            return unread(page, "meta_description")
        return _said(page, texts, chosen, TAKEN if texts.others else texts.why_none)


def _are_sections(main: str, following: str) -> bool:
    """Whether two main headings of a page are those of its sections.

    They have section numbers, or the same words before a number: "Changes in 2.1", "Changes in 2.0".
    """
    if section_number(main) and section_number(following):
        return True
    first, second = _BEFORE_NUMBER.match(main), _BEFORE_NUMBER.match(following)
    return first is not None and second is not None and fold(first[0]) == fold(second[0])


def _series(site: Site, shared: SharedTitle) -> frozenset[str]:
    """Return the title parts (``key_of``) that several of the website's titles have, without its name."""
    counts: Counter[str] = Counter()
    for title in {address.title for address in site.readable() if address.title}:
        counts.update(set(map(key_of, pieces_of(without_names(title, shared)))))
    return frozenset(part for part, count in counts.items() if count >= series.OFTEN)


def _shared_beginnings(site: Site) -> frozenset[str]:
    shown = {fold(address.title): address.title for address in site.readable() if address.title}
    return shortened_titles.shared_beginnings(shown.values(), site.once(shared_title))


def _without_heading(facts: PageFacts) -> str | None:
    """Return the page's description without the heading that a tool joined to the paragraph below it."""
    description = facts.description or ""
    for _, heading in facts.headings:
        rest = description.removeprefix(heading).lstrip()
        is_joined = heading and len(rest) < len(description)
        if is_joined and any(rest.startswith(paragraph[:_BEGUN]) for paragraph in facts.paragraphs):
            return rest
    return facts.description


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


def _tag(facts: PageFacts, language: str | None) -> str | None:
    """Return the declared language tag if it fits the detected language of the page's text, or if none was detected.

    Otherwise return the detected language.
    """
    declared = facts.lang or None
    return declared if language is None or (declared or "").lower().startswith(language) else language


def _is_article(facts: PageFacts) -> bool:
    """Whether the page has a text like an article, whatever its address."""
    if not _ARTICLES.isdisjoint(facts.structured_types):
        return True
    return facts.words >= _ARTICLE_WORDS and _has_paragraphs(facts) and _first_heading(facts) is not None


def _heads_teasers(facts: PageFacts) -> bool:
    """Whether most headings are texts of links to other pages, as in a list of teasers.

    The number and order of such headings change with every entry.
    """
    linked = {fold(link.text) for link in facts.links if link.url != facts.url}
    below = [text for level, text in facts.headings if level > 1]
    return 2 * sum(fold(text) in linked for text in below) > len(below)


def _has_paragraphs(facts: PageFacts) -> bool:
    return sum(len(paragraph) >= _PARAGRAPH for paragraph in facts.paragraphs) > 1


def _page_heading(facts: PageFacts) -> str | None:
    """Return the first heading that names the topic, for a page without a main heading."""
    return next((text for _, text in facts.headings if text and not is_stock(text)), None)


def _first_heading(facts: PageFacts) -> str | None:
    return next((text for level, text in facts.headings if level == 1 and text), None)


def _said(page: AffectedPage, texts: _Texts, chosen: Candidate | None, why_none: str) -> Suggestion:
    if chosen is None:
        return Suggestion(page.url, page.page_id, texts.current, None, texts.advice, note=why_none)
    return Suggestion(page.url, page.page_id, texts.current, chosen.text, texts.advice, chosen.source)
