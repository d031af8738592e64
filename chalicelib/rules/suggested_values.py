"""Suggests canonical addresses and noindex. These values need no comparison with the values of other pages."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from chalicelib.domain import ids
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestion import SuggestedFrom, Suggestion
from chalicelib.rules import registry
from chalicelib.rules.con.seo_con_003_near_duplicate import RULE as NEAR_DUPLICATE
from chalicelib.rules.con.seo_con_003_near_duplicate import Alike, lists_of_posts, near_duplicates
from chalicelib.rules.context import Address, Site
from chalicelib.rules.index_files import without_index_file
from chalicelib.rules.tec.seo_tec_020_one_canonical import named_by_all
from chalicelib.rules.website_titles import repeated_headings
from chalicelib.suggestions import canonicals, noindex, titles
from chalicelib.suggestions.canonicals import PageCanonical, Target
from chalicelib.suggestions.title_parts import SharedTitle

_SEEN: Final[Mapping[str, str]] = {"title": "title", "meta_description": "description", "canonical": "canonical"}
_MOST_HOPS: Final = 10
# Sources of canonical addresses that were chosen by comparing several copies.
_WEIGHED: Final = frozenset({"home_page", "sitemap", "language", "links"})
# Rules about pages that repeat another page: the canonical address to suggest is that page's, never their own.
_REPEATING: Final = frozenset({"SEO-CON-002", "SEO-CON-003", "SEO-TEC-028"})
_SAME_TEXT: Final = 0.98  # share of the texts that two pages have in common although their headings differ
_ELSEWHERE: Final = "Only the owner can decide which of the two websites should be found."
_KEPT: Final = "This is the page to keep among the pages with nearly the same text."
_DIFFERS: Final = "The page with nearly the same text has another title. Describe on this page how the two differ."
_OTHER_HEADING: Final = (
    "The page with nearly the same text has another main heading. Describe on this page how the two differ."
)
_LIST: Final = "The lists have the same entries today, but new entries may make them differ."
_NAMED: Final = "The page already names the page to keep as canonical."
_UNREAD: Final = "The page did not answer when it was last read. The next audit makes a suggestion."


class _Value(NamedTuple):
    """The current value, and the suggested one or the reason why there is none."""

    current: str | None
    suggested: str | None
    source: SuggestedFrom | None = None
    note: str | None = None


class Values:
    """Collects canonical and noindex suggestions for the affected pages of one website.

    ``shared``: the common part of the website's titles.
    """

    def __init__(self, site: Site, site_id: str, shared: SharedTitle) -> None:
        self._site = site
        self._site_id = site_id
        self._shared = shared
        self._values: dict[tuple[str, str], _Value] = {}  # by field and address

    def add_canonical(self, facts: PageFacts, address: Address, fired: frozenset[str]) -> None:
        """Collect the canonical suggestion for one page. ``fired``: the rules that fire on it."""
        near = self._site.once(near_duplicates).get(facts.url) if NEAR_DUPLICATE.id in fired else None
        if near is not None and lists_of_posts(facts.url, near, self._site):
            near = None
        self._values["canonical", facts.url] = self._canonical(facts, address, near)

    def add_noindex(self, address: Address, fired: frozenset[str], *, is_article: bool) -> None:
        """Collect the noindex suggestion for one page. ``fired``: the rules that fire on it.

        ``is_article``: whether the page has a text like an article.
        """
        self._values["noindex", address.url] = self._noindex(address, fired, is_article=is_article)

    def of_page(self, page: AffectedPage, field: str, rule_id: str) -> Suggestion:
        """Return the suggestion for an affected page."""
        value = self._values.get((field, page.url))
        if value is None:
            return unread(page, field)
        if rule_id in _REPEATING and value.suggested == page.url:
            value = value._replace(suggested=None, source=None, note=_of_repeating(page, value, self._site))
        return Suggestion(page.url, page.page_id, value.current, value.suggested, source=value.source, note=value.note)

    def of_site_rule(self, rule_id: str) -> list[Suggestion]:
        """Return suggestions for a site rule. The suggestions are for the home page, or for all pages that name the
        same canonical address."""
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
            return [self._of_address(page, _Value(page.canonical, page.url, "own_address")) for page in pages]
        return []

    def kept_copy(self, facts: PageFacts, address: Address) -> str | None:
        """Return the page that search should show instead of this copy.

        Returns None if search should show this page, or if it is unclear which page search should show.
        """
        copies = self._copies(address)
        kept = canonicals.kept(copies, facts.lang) if len(copies) > 1 else None
        return kept.url if kept is not None and kept.url != facts.url else None

    def _canonical(self, facts: PageFacts, address: Address, near: Alike | None = None) -> _Value:
        """Return the canonical suggestion for one page. ``near``: the pages with nearly the same text."""
        keep = near.keep if near is not None else None
        declared = [written for written, _, _ in facts.canonicals]
        if address.canonical_elsewhere is not None:
            return _Value(", ".join(dict.fromkeys(declared)), None, note=_ELSEWHERE)
        current = ", ".join(dict.fromkeys(declared)) or None
        copies = self._copies(address)
        if keep is not None and len(copies) < 2:
            if keep in (facts.url, current):
                return _Value(current, None, note=_KEPT if keep == facts.url else _NAMED)
            if not self._is_the_same(address, keep):
                return _Value(current, None, note=_DIFFERS)
            if near is not None and _is_about_another_thing(address, self._site.addresses[keep], near):
                return _Value(current, None, note=_OTHER_HEADING)
            return _Value(current, keep, "near_duplicate")
        page = PageCanonical(
            url=facts.url,
            declared=declared,
            names_itself=any(absolute == facts.url for _, absolute, _ in facts.canonicals),
            leads_to=self._leads_to(address.canonical),
            alike=copies,
            lang=facts.lang,
        )
        chosen = canonicals.suggested(page)
        folder = self._site.addresses.get(without_index_file(facts.url))
        if chosen.url == facts.url and folder is not None and folder.same_as == facts.url:
            return _Value(current, folder.url, "folder_address")  # of the home page, which is judged at its index file
        if address.kind.kind == "archive" and chosen.source in _WEIGHED and chosen.url is not None:
            kept = self._site.addresses.get(chosen.url)
            if kept is None or fold(kept.title) != fold(address.title):
                return _Value(current, None, note=_LIST)
        return _Value(current, *chosen)

    def _is_the_same(self, address: Address, keep: str) -> bool:
        """Whether the page is ``keep`` at another address.

        Otherwise it is only similar: another release, month or list.
        """
        kept = self._site.addresses.get(keep)
        if kept is None or "archive" in (address.kind.kind, kept.kind.kind):
            return False
        if fold(kept.title) == fold(address.title):
            if not titles.is_nameless(address.title, self._shared):
                return True
            # A title that all pages have says nothing about them, and neither does a heading that many pages have.
            return kept.heading == address.heading and address.heading not in self._site.once(repeated_headings)
        return canonicals.is_filed_twice((address.url, address.title), (keep, kept.title))

    def _copies(self, address: Address) -> list[Target]:
        """Return the pages with the same text, including this page.

        Returns an empty list if the page may not be indexed, or has no copies.
        """
        alike = self._site.once(_alike).get(address.text_hash, ())
        if address not in alike:
            return []
        # Language versions of one page are not copies, even if one is not translated yet.
        return [
            self._target(other)
            for other in alike
            if other is address or other.language_set is None or other.language_set != address.language_set
        ]

    def _leads_to(self, url: str | None) -> Target | None:
        """Follow redirects and canonical addresses to the final page.

        Returns None if the final page is not a known page of the website.
        """
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
        return Target(
            address.url,
            address.indexable,
            address.canonical_is_self,
            self._site.inlinks(address.url),
            address.url in self._site.sitemap,
        )

    def _noindex(self, address: Address, fired: frozenset[str] = frozenset(), *, is_article: bool = False) -> _Value:
        needs = {registry.BY_ID[rule_id].noindex_need for rule_id in fired}
        page = noindex.PageNoindex(
            is_kept_out=address.noindex,
            kind=address.kind.certain,
            is_home=self._site.is_home(address.url),
            in_sitemap=address.url in self._site.sitemap,
            inlinks=self._site.inlinks(address.url),
            conflicting="conflicting" in needs,
            has_no_place="no_place" in needs,
            is_article=is_article,
            words=address.words,
        )
        return _Value(noindex.value(address.noindex), *noindex.suggested(page))

    def _of_address(self, address: Address, value: _Value) -> Suggestion:
        page_id = ids.page_id(self._site_id, address.url)
        return Suggestion(address.url, page_id, value.current, value.suggested, source=value.source, note=value.note)


def _is_about_another_thing(address: Address, kept: Address, near: Alike) -> bool:
    """Whether the first headings differ, and so do some words of the texts, although the titles are the same.

    Example: the documentation of two libraries, each under the title "Documentation".
    """
    if fold(kept.title) != fold(address.title) or address.heading == kept.heading:
        return False
    is_equal = any(url == kept.url and share >= _SAME_TEXT for share, url in near.others)
    return not is_equal and 0 not in {address.heading, kept.heading}


def _of_repeating(page: AffectedPage, value: _Value, site: Site) -> str:
    """Return why a page that repeats another one should not name a canonical address."""
    address = site.addresses[page.url]
    if len(site.once(_alike).get(address.text_hash, ())) > 1:
        return "This is the address to keep. The other pages should name it as canonical."
    return "Other pages have nearly the same text. Only a person can decide which page should be found."


def unread(page: AffectedPage, field: str) -> Suggestion:
    """Return the suggestion for a page that did not answer. The suggestion has the value that the last audit saw, and
    no new value."""
    seen = page.evidence.get(_SEEN.get(field, ""))
    return Suggestion(page.url, page.page_id, seen if isinstance(seen, str) else None, None, note=_UNREAD)


def _alike(site: Site) -> dict[str, list[Address]]:
    """Group, by their text, the pages that have word for word the same text as others. Only pages that may be indexed
    are included."""
    found: dict[str, list[Address]] = {}
    for address in site.indexable():
        if address.text_hash:
            found.setdefault(address.text_hash, []).append(address)
    return {text: pages for text, pages in found.items() if len(pages) > 1}
