"""The input of a rule: the website as a whole (``Site``) and one page in it (``Page``).

An audit reads its facts twice. Pass 1 adds every address to a ``SiteBuilder``. The builder stores only the data for
questions about the whole website. ``finish`` answers these questions once, in time linear in pages and links. Pass 2
gives each page's facts to the judge, which wraps them in a ``Page``.

The results do not depend on the order of addresses.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, TypeVar

from chalicelib.domain.agentic import AgenticResult
from chalicelib.domain.audit import searched, templates
from chalicelib.domain.audit.inputs import PageSpeed
from chalicelib.domain.audit.score import coverage
from chalicelib.domain.audit.templates import TemplateInput
from chalicelib.domain.content import ContentItem
from chalicelib.domain.crawl import robots as robots_txt
from chalicelib.domain.crawl import urls
from chalicelib.domain.crawl.assets import is_file
from chalicelib.domain.page import directives
from chalicelib.domain.page.directives import NONE_GIVEN, Directives
from chalicelib.domain.page.facts import LINK_NOFOLLOW, REFUSED, PageFacts, SiteFacts, TargetFacts
from chalicelib.domain.page.page_kinds import PageKind
from chalicelib.domain.page.rendered import Told
from chalicelib.domain.readiness.access import readable
from chalicelib.domain.search.figures import Figures
from chalicelib.rules import index_copies
from chalicelib.rules.address import UNREAD, Address
from chalicelib.rules.graph import Graph
from chalicelib.rules.identity import Identity
from chalicelib.rules.own_text import OwnText
from chalicelib.settings.crawl import crawl_settings
from chalicelib.suggestions.canonicals import folder_of

__all__ = ["LINKING_SHOWN", "MAX_HOPS", "REFUSED", "SEARCH_CRAWLER", "UNREAD", "Address", "Page", "Site", "SiteBuilder"]

SEARCH_CRAWLER: Final = "Googlebot"  # the crawler for which "disallowed" is decided, unless a rule names another
MAX_HOPS: Final = 10  # browsers and search crawlers give up about here
LINKING_SHOWN: Final = 10
_MOST_FILLED_LISTS: Final = 1_000  # pages with lists that scripts fill in; the next constant: addresses of such a list
_MOST_ENTRIES: Final = 50

_T = TypeVar("_T")


class SiteBuilder:
    """Collects the addresses of a website (pass 1). All inputs except ``now`` and ``lacks`` are mappings by address. An
    input is None if there is no such data.

    - ``now``: epoch seconds of the audit.
    - ``search``: search figures of 28 days.
    - ``speed``: speed measurements.
    - ``rendered``: pages as a browser rendered them.
    - ``content``: content of the CMS.
    - ``agentic``: Lighthouse's results.
    - ``lacks``: names of the inputs that are missing now, although earlier judgements of the website used them.
    """

    def __init__(
        self,
        site_facts: SiteFacts,
        *,
        now: float,
        search: Mapping[str, Figures] | None = None,
        speed: Mapping[str, PageSpeed] | None = None,
        rendered: Mapping[str, Told] | None = None,
        content: Mapping[str, ContentItem] | None = None,
        agentic: Mapping[str, AgenticResult] | None = None,
        lacks: frozenset[str] = frozenset(),
    ) -> None:
        self.facts = site_facts
        self.now = now
        self.search = search
        self.speed = speed
        self.rendered = rendered
        self.content = content
        self.agentic = agentic
        self.lacks = lacks
        self.images: dict[str, TargetFacts] = {}
        self.resources: dict[str, TargetFacts] = {}
        text = site_facts.robots.text if site_facts.robots and site_facts.robots.status == 200 else ""
        self.robots = robots_txt.parse(text)
        self._domain = urls.domain_of(site_facts.home_url)
        self.addresses: dict[str, Address] = {}
        self.links = Graph()
        self.home: PageFacts | None = None
        # ``reached``: hashes of addresses that visitors reach without a link, through forms or lists that scripts fill
        # in. ``filled_lists``: the first addresses that scripts name, for each of the first pages with such a list.
        self.reached: set[int] = set()
        self.filled_lists: list[frozenset[int]] = []
        self.links_unasked = 0  # links of the website that could not be requested in time
        self._read: set[str] = set()
        self.frameset_folders: set[str] = set()
        self._known: set[str] = set()
        self._given: dict[tuple[tuple[tuple[str, str], ...], str | None], Directives] = {}
        self._identities: dict[Identity, Identity] = {}
        self._types: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._alternates: dict[frozenset[int], frozenset[int]] = {}

    def add(self, facts: PageFacts, *, read: bool = True, as_read: bool = False) -> None:
        """Add one address that was requested. ``facts`` are not stored.

        - ``read=False``: the address was only requested, not read as a page.
        - ``as_read``: whether robots.txt now disallows the page. The page is then judged as it was when it was read
          (see ``Address``).

        An address on another host counts only as the target of links.
        """
        own_host = urls.same_site(facts.url, self.facts.host)
        address = Address(
            facts,
            own_host=own_host,
            robots_allowed=not own_host or self.robots.verdict(SEARCH_CRAWLER, facts.url).allowed,
            given=self._directives(facts),
            domain=self._domain if own_host else "",
        )
        address.as_read = as_read
        address.identity = self._identities.setdefault(address.identity, address.identity)
        address.content_types = self._types.setdefault(address.content_types, address.content_types)
        address.alternates = self._alternates.setdefault(address.alternates, address.alternates)
        self.addresses[facts.url] = address
        if read:
            self._read.add(facts.url)
        if facts.url == self.facts.home_url:
            self.home = facts
        if not own_host:
            return
        if address.readable:
            self.reached.update(map(hash, facts.form_targets))
            self.reached.update(map(hash, facts.listed_by_script))
            if facts.fills_list and address.kind.kind != "search" and len(self.filled_lists) < _MOST_FILLED_LISTS:
                self.filled_lists.append(frozenset(map(hash, facts.listed_by_script[:_MOST_ENTRIES])))
        if address.readable or facts.meta_refresh:
            self._add_links(facts, address)
        elif address.redirect_to is not None:
            self.links.redirect(facts.url, address.redirect_to)

    def add_target(self, target: TargetFacts) -> None:
        """Add an address that was only checked, not read as a page. It may be on this website or on another.

        Files that pages use (images, scripts) are recorded separately, not as addresses of the website.
        """
        if target.file:
            (self.images if target.image else self.resources)[target.url] = target
            return
        self.add(target.as_page(), read=False)

    def add_known(self, url: str) -> None:
        """Add an address of the website that was discovered but not requested, because of the budget or robots.txt."""
        self._known.add(url)

    def _directives(self, facts: PageFacts) -> Directives:
        header = facts.headers.get("x-robots-tag")
        if not facts.robots_meta and not header:
            return NONE_GIVEN
        key = (tuple((name, content) for name, content in facts.robots_meta), header)
        given = self._given.get(key)
        if given is None:
            given = self._given[key] = directives.read(facts.robots_meta, header, self.now)
        return given

    def _add_links(self, facts: PageFacts, address: Address) -> None:
        followed = [link.url for link in facts.links if not link.flags & LINK_NOFOLLOW]
        others = [link.url for link in facts.links if link.flags & LINK_NOFOLLOW]
        # Visitors reach a frameset's frames and a refresh's target from the page, so that they count as links.
        if facts.frames:
            self.frameset_folders.add(folder_of(facts.url))
        followed += [target for target in facts.frames if urls.same_site(target, self.facts.host)]
        if facts.meta_refresh and urls.same_site(facts.meta_refresh, self.facts.host):
            followed.append(facts.meta_refresh)
        if address.directives.nofollow is not None:
            followed, others = [], followed + others
        self.links.add(facts.url, followed, others)

    def searched(self, copies: Mapping[str, str]) -> Mapping[str, Figures] | None:
        """Return the search figures of each page; None without search data.

        ``copies``: other addresses of pages, such as index files, each with the address at which the page is judged.
        """
        if self.search is None:
            return None

        known = {*self.addresses, *self._known, *(url for url, _ in self.facts.sitemap_urls)}

        def pages_first() -> list[str]:
            indexable = {url for url, address in self.addresses.items() if address.indexable}
            return sorted(known, key=lambda url: (url not in indexable, url))

        found = searched.by_page(self.search, self.facts.host, known, pages_first)
        for copy, kept in copies.items():
            if copy in found:
                found[kept] = found.pop(copy) + found.get(kept, searched.NOT_SHOWN)
        return found

    def finish(self, *, coverage: float | None = None) -> "Site":
        """Answer the questions about the whole website. The time is linear in pages and links.

        ``coverage``: percentage of the known addresses that the audit read. If it is None, it is computed from the
        addresses that were added.
        """
        hops = [url for url, _ in self.facts.home_redirects if url not in self.addresses]
        for origin, following in pairwise([*(url for url, _ in self.facts.home_redirects), self.facts.home_url]):
            if origin in hops:
                self.links.redirect(origin, following)
        # A file that pages load and also link to counts as an address of the website too.
        files = {**self.resources, **self.images}
        loaded = (url for url in files if url not in self.addresses and urls.same_site(url, self.facts.host))
        for url in self.links.linked_among(loaded):
            self.add(files[url].as_page(), read=False)
        sitemap = {url for url, _ in self.facts.sitemap_urls}
        own = {url for url, address in self.addresses.items() if address.own_host}
        unread = {url for url in (self._known | sitemap) if url not in self.addresses}
        watched = {
            url
            for url, address in self.addresses.items()
            if address.broken or address.redirect_to is not None or not address.robots_allowed
        }
        copies = index_copies.copies(self.addresses, self.facts.home_url)
        for copy, kept in copies.items():
            self.addresses[copy].same_as = kept
            self.links.same(copy, kept)
        barred = {url for url in unread if not self.robots.verdict(SEARCH_CRAWLER, url).allowed}
        self.links.finish([*{*self.addresses, *unread, *hops}], home=self.facts.home_url, watched=watched | barred)
        site = Site(self, sitemap=sitemap, own=own, unread=unread, barred=barred, read=self._read, copies=copies)
        site.coverage = site.share_read() if coverage is None else coverage
        return site


class Site:
    """The website as a whole.

    Its attributes are computed in advance. ``once`` computes and stores values that a rule needs for all its pages.
    """

    def __init__(
        self,
        builder: SiteBuilder,
        *,
        sitemap: set[str],
        own: set[str],
        unread: set[str],
        barred: set[str],
        read: set[str],
        copies: Mapping[str, str],
    ) -> None:
        self.facts = builder.facts
        self.now = builder.now
        self.search = builder.searched(copies)  # search figures of 28 days by page, None without search data
        self.speed = builder.speed
        self.rendered = builder.rendered
        self.content = builder.content
        self.agentic = builder.agentic  # the last results of Lighthouse by address, None if there are none
        self.lacks = builder.lacks
        # Answers of images, and of scripts and style sheets, as far as they were requested.
        self.images, self.resources = builder.images, builder.resources
        self.host = builder.facts.host
        self.home_url = builder.facts.home_url
        self.home = builder.home  # facts of the home page, None if it was not read
        self.robots = builder.robots
        self.addresses = builder.addresses
        self.links = builder.links
        self.reached = frozenset(builder.reached)
        self.filled_lists = builder.filled_lists
        self.frameset_folders = tuple(builder.frameset_folders)  # folders in which framesets are
        self.links_unasked = builder.links_unasked
        self.sitemap = sitemap
        # Addresses of the sitemap, and pages that the sitemap lists under another of their addresses.
        self.listed = sitemap | {copies[url] for url in sitemap if url in copies}
        self.unread = unread  # known addresses of the website that were never requested
        self._barred = barred  # the addresses in ``unread`` that robots.txt disallows for the search crawler
        self.known = own | unread
        self.read = read  # addresses that were read as pages, by this crawl or by an earlier one
        self.coverage = 0.0  # percentage, set when the website is finished
        self._once: dict[Callable[[Site], object], object] = {}
        self._see_through_redirects()
        self._name_templates(copies)
        self.own_text = OwnText(self.readable())
        rendered = self.rendered or {}
        # Pages that have no text until scripts run, and that were not rendered in a browser.
        self.shells = {address.url for address in self.readable() if address.shell and address.url not in rendered}

    def _see_through_redirects(self) -> None:
        """Resolve redirects to pages, wherever a canonical, hreflang or the sitemap names the redirecting address."""
        if not self.links.redirects:
            return
        self.listed = self.listed | {self.end_of(url) for url in self.sitemap if url in self.links.redirects}
        for address in self.addresses.values():
            if address.canonical not in (None, address.url) and address.canonical in self.links.redirects:
                address.leads_back = self.end_of(address.canonical) == address.url
            unnamed = len(address.alternates) > 1 and address.language_set is None
            if unnamed and address.names(*self.leading_to(address.url)):
                address.language_set = hash(address.alternates)

    def leading_to(self, url: str) -> Sequence[str]:
        """Return the addresses whose redirects end at this address."""
        return self.once(_sources_of_redirects).get(url, ())

    def _name_templates(self, copies: Mapping[str, str]) -> None:
        pages = [
            TemplateInput(address.url, *address.shape, address.content_types, address.url == self.home_url)
            for address in self.readable()
        ]
        for url, name in templates.detect(pages).items():
            self.addresses[url].template = name
        for copy, kept in copies.items():
            self.addresses[copy].template = self.addresses[kept].template

    @property
    def robots_readable(self) -> bool:
        """Whether robots.txt answered with a status below 500. Crawlers understand 4xx as "everything is allowed"."""
        robots = self.facts.robots
        return robots is not None and readable(robots.status)

    def share_read(self) -> float:
        """Return the percentage of the known addresses that were read. Addresses that robots.txt disallows are left
        out."""
        token = crawl_settings().token
        wanted = {
            url
            for url in {*self.known, *(self.search or ())}
            if url in self.read or (not is_file(url) and self.robots.verdict(token, url).allowed)
        }
        return coverage(self.read - self.shells, wanted)

    def once(self, prepare: "Callable[[Site], _T]") -> _T:
        """Return ``prepare(site)``. It is computed only once for a website. ``prepare``: a function of a rule's
        module."""
        if prepare not in self._once:
            self._once[prepare] = prepare(self)
        return self._once[prepare]  # type: ignore[return-value]

    def readable(self) -> Iterator[Address]:
        """Yield all HTML pages of the website that answer 200, each once."""
        return (address for address in self.addresses.values() if address.readable and address.same_as is None)

    def indexable(self) -> Iterator[Address]:
        """Yield all pages that may be indexed, each once."""
        return (address for address in self.addresses.values() if address.indexable and address.same_as is None)

    def allowed(self, url: str) -> bool:
        """Whether robots.txt allows the search crawler to read an address.

        An address on another host is always allowed.
        """
        address = self.addresses.get(url)
        if address is not None:
            return address.robots_allowed
        if url in self.unread:
            return url not in self._barred or not urls.same_site(url, self.host)
        return not urls.same_site(url, self.host) or self.robots.verdict(SEARCH_CRAWLER, url).allowed

    def chain(self, url: str) -> tuple[list[str], bool]:
        """Return the addresses that a redirect passes through, up to the last known one, and whether the redirects form
        a loop.

        The list is empty if the address does not redirect. Too many redirects count as a loop.
        """
        passed = [url]
        seen = {url}
        while len(passed) <= MAX_HOPS + 1:
            following = self.links.redirects.get(passed[-1])
            if following is None:
                return (passed[1:], False)
            passed.append(following)
            if following in seen:
                return (passed[1:], True)
            seen.add(following)
        return (passed[1:], True)

    def end_of(self, url: str) -> str:
        """Return the address at which redirects end. Returns the given address if it does not redirect, or if the
        redirects form a loop."""
        hops, loops = self.chain(url)
        return hops[-1] if hops and not loops else url

    def inlinks(self, url: str) -> int:
        """Count the other pages that link to the address, directly or through redirects. Links with nofollow do not
        count."""
        return self.links.inlinks(url)

    def linking(self, url: str) -> tuple[int, list[str]]:
        """Return the number of other pages that link to exactly this address, and the first few of these pages.

        The pages are recorded only for addresses that are broken, redirect or are disallowed by robots.txt.
        """
        return self.links.linked(url), self.links.sources(url, LINKING_SHOWN)

    def is_home(self, url: str) -> bool:
        return url == self.home_url


def _sources_of_redirects(site: Site) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for url in site.links.redirects:
        found.setdefault(site.end_of(url), []).append(url)
    return found


class Page:
    """One address from the view of a page rule: its facts, and data about it from the whole website."""

    __slots__ = ("address", "facts", "site")

    def __init__(self, facts: PageFacts, site: Site) -> None:
        self.facts = facts
        self.site = site
        self.address = site.addresses.get(facts.url) or UNREAD

    @property
    def url(self) -> str:
        return self.facts.url

    @property
    def asked(self) -> bool:
        """Whether the address was requested."""
        return self.address is not UNREAD

    @property
    def status(self) -> int:
        """The HTTP status of the address, even if it was only requested and not read as a page; 0 without an answer."""
        return self.address.status

    @property
    def same_as(self) -> str | None:
        """The page's main address, at which it is judged. None if ``url`` is the main address, which is usual.

        For example, the main address of an index file is that of its folder.
        """
        return self.address.same_as

    @property
    def readable(self) -> bool:
        """Whether this is an HTML page that answers 200."""
        return self.address.readable

    @property
    def indexable(self) -> bool:
        """Whether this is a readable page that may be indexed.

        Such a page is allowed by robots.txt, has no noindex, and does not forward to another address.
        """
        return self.address.indexable

    @property
    def not_indexable_reason(self) -> str | None:
        """The reason why the page is not indexable, as one word; None if the page is indexable."""
        address = self.address
        if not self.site.allowed(self.url):
            return "robots_txt"
        if address.indexable:
            return None
        if address is UNREAD:
            return "not_read"
        return _why_not(address)

    @property
    def noindex(self) -> bool:
        return self.address.noindex

    @property
    def directives(self) -> Directives:
        return self.address.directives

    @property
    def robots_allowed(self) -> bool:
        return self.site.allowed(self.url)

    @property
    def canonical(self) -> str | None:
        """The first canonical address that the page names, in absolute form. None if the page names no canonical
        address on the website's domain."""
        return self.address.canonical

    @property
    def canonical_elsewhere(self) -> str | None:
        """The page's canonical address on another registrable domain. None if the page names no such address."""
        return self.address.canonical_elsewhere

    @property
    def canonical_is_self(self) -> bool:
        """Whether the page is its own canonical address. Also true if it names none on the website's domain."""
        return self.address.canonical_is_self

    @property
    def kind(self) -> PageKind:
        return self.address.kind

    @property
    def is_home(self) -> bool:
        return self.facts.url == self.site.home_url

    @property
    def in_sitemap(self) -> bool:
        return self.facts.url in self.site.sitemap

    @property
    def template(self) -> str | None:
        return self.address.template

    @property
    def depth(self) -> int | None:
        return self.site.links.depth(self.facts.url)

    @property
    def inlinks(self) -> int:
        return self.site.links.inlinks(self.facts.url)

    @property
    def impressions(self) -> int | None:
        """How often search results showed the page in 28 days; None without search data."""
        search = self.site.search
        return None if search is None else search.get(self.facts.url, searched.NOT_SHOWN).impressions

    @property
    def linked(self) -> int:
        """How many other pages link to exactly this address, with or without nofollow."""
        return self.site.links.linked(self.facts.url)


def _why_not(address: Address) -> str:
    status = address.status
    if status == 0:
        return "no_answer"
    if 300 <= status < 400:
        return "redirect"
    if address.turned_away:
        return "refused"
    if status >= 500:
        return "server_error"
    if status >= 400:
        return "client_error"
    if address.directives.noindex is not None:
        return "noindex"
    if address.forwards and address.readable:
        return "redirect"
    if not address.html:
        return "not_html"
    return "not_read_whole"
