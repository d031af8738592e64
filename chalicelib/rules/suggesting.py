"""The suggestions of an audit: collected page by page while pages are judged, chosen for the whole website at its end.

Of a page only what it could say is kept, a few short texts, never its facts. Failure policy: a page that did not
answer keeps its place in the list and has no suggestion this time; a suggestion is never kept from an older audit,
because other pages may say the same by now.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from chalicelib.domain import ids
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestions import canonicals, descriptions, noindex, titles
from chalicelib.domain.suggestions.canonicals import PageCanonical, Target
from chalicelib.domain.suggestions.choice import choose
from chalicelib.domain.suggestions.model import WRITABLE_FIELDS, Advice, Suggested, Suggestion
from chalicelib.domain.suggestions.titles import PageTitle, SharedTitle
from chalicelib.domain.suggestions.words import key_of
from chalicelib.rules import registry
from chalicelib.rules.brand import STOCK_TITLES, names
from chalicelib.rules.con.seo_con_003_near_duplicate import RULE as NEAR_DUPLICATE
from chalicelib.rules.con.seo_con_003_near_duplicate import near_duplicates
from chalicelib.rules.context import Address, Site
from chalicelib.rules.tec.seo_tec_020_one_canonical import named_by_all
from chalicelib.rules.titles import shared_ending

_SEEN: Final[Mapping[str, str]] = {"title": "title", "meta_description": "description", "canonical": "canonical"}
_MOST_HOPS: Final = 10
_PRODUCTS: Final = frozenset({"Product", "ProductGroup", "IndividualProduct"})


class _Value(NamedTuple):
    """A value that needs no comparison with other pages: canonical and noindex."""

    current: str | None
    suggested: str | None


class _Texts(NamedTuple):
    """What one page could say, best first. ``shorter``: forms of its present title."""

    current: str | None
    shorter: list[str]
    others: list[str]
    advice: Advice | None = None
    duplicated: bool = False

    def wanted(self) -> list[str]:
        """All of it in order. Shortening a title that other pages have too tells none of them apart."""
        return [*self.others, *self.shorter] if self.duplicated else [*self.shorter, *self.others]


class Suggester:
    """Collects what the affected pages of one website could say.

    ``known_titles``: titles as the content system holds them, by address; None without synced content.
    """

    def __init__(self, site: Site, site_id: str, known_titles: Mapping[str, str] | None = None) -> None:
        self._site = site
        self._site_id = site_id
        self._known_titles = known_titles
        self._shared = SharedTitle(
            site.once(shared_ending), frozenset(filter(None, map(key_of, site.once(names)))), STOCK_TITLES
        )
        self._titles: dict[str, _Texts] = {}
        self._descriptions: dict[str, _Texts] = {}
        self._values: dict[tuple[str, str], _Value] = {}

    def add(self, facts: PageFacts, rule_ids: Iterable[str]) -> None:
        """Take up one page and the rules that fire on it. ``facts`` are not kept."""
        fired = frozenset(rule_ids)
        fields = {field for rule_id in fired if (field := registry.BY_ID[rule_id].writable_field) is not None}
        if not fields or facts.url not in self._site.addresses:
            return
        address = self._site.addresses[facts.url]
        if "title" in fields:
            self._titles[facts.url] = self._title(facts, fired)
        if "meta_description" in fields:
            paragraphs = self._site.own_text.paragraphs(facts, address.template)
            self._descriptions[facts.url] = _description(facts, address, paragraphs)
        if "canonical" in fields:
            near = self._site.once(near_duplicates).get(facts.url) if NEAR_DUPLICATE.id in fired else None
            self._values["canonical", facts.url] = self._canonical(facts, address, near.keep if near else None)
        if "noindex" in fields:
            self._values["noindex", facts.url] = self._noindex(address, fired)

    def finish(
        self, affected: Mapping[str, Sequence[AffectedPage]], site_rules: Iterable[str] = ()
    ) -> dict[str, Suggested]:
        """The suggestions by rule. ``affected``: the pages of each rule; ``site_rules``: website rules that fire."""
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
                chosen = [self._valued(page, field) for page in listed]
            result[rule_id] = Suggested(chosen, note if field == "title" else None)
        for rule_id in site_rules:
            of_site = self._of_site_rule(rule_id)
            if of_site:
                result[rule_id] = Suggested(of_site)
        return result

    # -- one page --------------------------------------------------------------------------------------

    def _title(self, facts: PageFacts, fired: frozenset[str]) -> _Texts:
        page = PageTitle(facts.url, facts.title, _first_heading(facts), facts.og_title, facts.lang)
        rules = [registry.BY_ID[rule_id] for rule_id in fired]
        needs = frozenset(rule.title_need for rule in rules if rule.title_need is not None)
        return _Texts(
            facts.title,
            titles.shortened(page, self._shared) if any(rule.shortens_title for rule in rules) else [],
            titles.replacements(page, self._shared, needs) if needs else [],
            duplicated="duplicated" in needs,
        )

    def _canonical(self, facts: PageFacts, address: Address, keep: str | None = None) -> _Value:
        """``keep``: of the pages that say nearly the same, the one that stands for them; perhaps this one."""
        declared = [written for written, _, _ in facts.canonicals]
        alike = [
            other
            for other in self._site.once(_alike).get(address.text_hash, ())
            # Language versions of one page stay apart, even where one is not translated yet.
            if other is address or other.language_set is None or other.language_set != address.language_set
        ]
        if keep is not None and address not in alike:
            # A page that is kept has nothing to say about itself.
            current = ", ".join(dict.fromkeys(declared)) or None
            return _Value(current, None if keep in (facts.url, current) else keep)
        page = PageCanonical(
            url=facts.url,
            declared=declared,
            names_itself=any(absolute == facts.url for _, absolute, _ in facts.canonicals),
            leads_to=self._leads_to(address.canonical),
            alike=[self._target(other) for other in alike] if address in alike else [],
        )
        return _Value(", ".join(dict.fromkeys(declared)) or None, canonicals.suggested(page))

    def _leads_to(self, url: str | None) -> Target | None:
        """Where a canonical address finally leads, through redirects and the canonical addresses it meets."""
        for _ in range(_MOST_HOPS):
            if url is None:
                return None
            address = self._site.addresses.get(self._site.end_of(url))
            if address is None or not address.own_host:
                return None
            if address.canonical_is_self:
                return self._target(address)
            url = address.canonical
        return None

    def _target(self, address: Address) -> Target:
        return Target(address.url, address.indexable, address.canonical_is_self, self._site.inlinks(address.url))

    def _noindex(self, address: Address, fired: frozenset[str] = frozenset()) -> _Value:
        needs = {registry.BY_ID[rule_id].noindex_need for rule_id in fired}
        page = noindex.PageNoindex(
            is_kept_out=address.noindex,
            kind=address.kind,
            is_home=self._site.is_home(address.url),
            in_sitemap=address.url in self._site.sitemap,
            inlinks=self._site.inlinks(address.url),
            conflicting="conflicting" in needs,
            has_no_place="no_place" in needs,
        )
        return _Value(noindex.value(address.noindex), noindex.suggested(page))

    # -- the website -----------------------------------------------------------------------------------

    def _choose_titles(self) -> dict[str, str]:
        present = {fold(address.title) for address in self._site.readable()}
        wanted = {url: texts.wanted() for url, texts in self._titles.items()}
        return choose(wanted, present.__contains__)

    def _choose_descriptions(self) -> dict[str, str]:
        present = {address.description_key for address in self._site.readable()}
        wanted = {url: texts.others for url, texts in self._descriptions.items()}
        return choose(wanted, lambda text: hash(text) in present)

    def _letter_case_note(self) -> str | None:
        if not self._known_titles:
            return None
        return titles.letter_case_note(
            {address.url: address.title for address in self._site.readable()}, self._known_titles
        )

    def _titled(self, page: AffectedPage, rule_id: str, chosen: str | None) -> Suggestion:
        texts = self._titles.get(page.url)
        if texts is None:
            return _unread(page, "title")
        # What is shown for a title that is too long is a shorter form of it, or nothing.
        if registry.BY_ID[rule_id].shortens_title and chosen not in texts.shorter:
            chosen = None
        return Suggestion(page.url, page.page_id, texts.current, chosen)

    def _described(self, page: AffectedPage, chosen: str | None) -> Suggestion:
        texts = self._descriptions.get(page.url)
        if texts is None:
            return _unread(page, "meta_description")
        return Suggestion(page.url, page.page_id, texts.current, chosen, texts.advice)

    def _valued(self, page: AffectedPage, field: str) -> Suggestion:
        value = self._values.get((field, page.url))
        return _unread(page, field) if value is None else Suggestion(page.url, page.page_id, *value)

    def _of_site_rule(self, rule_id: str) -> list[Suggestion]:
        """The pages that a rule about the whole website means: the home page, or those with one canonical address."""
        field = registry.BY_ID[rule_id].writable_field
        if field == "noindex":
            home = self._site.addresses.get(self._site.home_url)
            return [] if home is None else [self._of_address(home, self._noindex(home))]
        if field == "canonical":
            found = self._site.once(named_by_all)
            if found is None:
                return []
            shared = found[0]
            pages = sorted(
                (page for page in self._site.indexable() if page.canonical == shared and page.url != shared),
                key=lambda page: page.url,
            )
            return [self._of_address(page, _Value(page.canonical, page.url)) for page in pages]
        return []

    def _of_address(self, address: Address, value: _Value) -> Suggestion:
        return Suggestion(address.url, ids.page_id(self._site_id, address.url), *value)


def _description(facts: PageFacts, address: Address, paragraphs: Sequence[str]) -> _Texts:
    page = descriptions.PageText(
        title=facts.title,
        h1=_first_heading(facts),
        description=facts.description,
        og_description=facts.og_description,
        paragraphs=paragraphs,
        lang=facts.lang,
        kind=address.kind,
        is_product=not _PRODUCTS.isdisjoint(facts.structured_types),
    )
    return _Texts(facts.description, [], descriptions.candidates(page), descriptions.advice_for(address.kind))


def _first_heading(facts: PageFacts) -> str | None:
    return next((text for level, text in facts.headings if level == 1 and text), None)


def _unread(page: AffectedPage, field: str) -> Suggestion:
    """A page that did not answer: what the last audit saw of it, and no suggestion."""
    seen = page.evidence.get(_SEEN.get(field, ""))
    return Suggestion(page.url, page.page_id, seen if isinstance(seen, str) else None, None)


def _alike(site: Site) -> dict[str, list[Address]]:
    """Pages that may be indexed, by the text that several of them share word for word."""
    found: dict[str, list[Address]] = {}
    for address in site.indexable():
        if address.text_hash:
            found.setdefault(address.text_hash, []).append(address)
    return {text: pages for text, pages in found.items() if len(pages) > 1}
