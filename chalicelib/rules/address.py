"""The facts about one requested address, for the rules."""

from typing import Final

from chalicelib.domain.crawl.urls import domain_of, origin
from chalicelib.domain.page import page_kinds
from chalicelib.domain.page.code_tools import is_code_tool
from chalicelib.domain.page.directives import NONE_GIVEN, Directives
from chalicelib.domain.page.facts import COOKIES, LINK_IN_CONTENT, REFUSED, PageFacts
from chalicelib.domain.page.headers import lines_of
from chalicelib.domain.page.page_kinds import PageKind
from chalicelib.domain.page.rendered import is_shell
from chalicelib.domain.page.text import fold
from chalicelib.domain.page.walls import is_wall
from chalicelib.rules.address_faults import faults_of
from chalicelib.rules.identity import NOTHING, Identity, identity_of
from chalicelib.rules.makers import says_who
from chalicelib.suggestions.headings import is_of_section


class Address:
    """The stored facts of one requested address.

    The facts and the page's links take about two kilobytes of memory, however large the page is.
    """

    __slots__ = (
        "alternates",
        "as_read",
        "blocks",
        "canonical",
        "canonical_elsewhere",
        "challenge",
        "content_links",
        "content_types",
        "cookies",
        "description_key",
        "directives",
        "error",
        "faults",
        "forwards",
        "has_organization",
        "heading",
        "html",
        "identity",
        "in_frame",
        "is_copied",
        "is_section",
        "kind",
        "language_set",
        "leads_back",
        "listing",
        "own_host",
        "own_linked",
        "own_links",
        "own_words",
        "paragraphs",
        "readable",
        "redirect_to",
        "robots_allowed",
        "same_as",
        "says_who",
        "shape",
        "shell",
        "sketch",
        "status",
        "template",
        "text_hash",
        "title",
        "title_digest",
        "translations",
        "tries",
        "url",
        "words",
    )

    def __init__(
        self, facts: PageFacts, *, own_host: bool, robots_allowed: bool, given: Directives, domain: str = ""
    ) -> None:
        self.url = facts.url
        self.status = facts.status
        self.error = facts.error
        self.tries = facts.tries
        self.redirect_to = facts.redirect_to if 300 <= facts.status < 400 else None
        self.cookies = tuple(lines_of(facts.headers, COOKIES))  # names of the cookies that a redirect sets
        self.html = facts.is_html
        self.own_host = own_host
        self.robots_allowed = robots_allowed
        self.as_read = False  # whether robots.txt now disallows the page; it is then judged as it was read
        self.directives = given
        # ``readable``: the address answers 200 with HTML that was read completely. (After a HEAD request, there are no
        # bytes.) A challenge that is shown instead of the page is not a readable page.
        self.challenge = own_host and facts.status == 200 and is_wall(facts)
        whole = facts.status == 200 and facts.is_html and facts.bytes > 0 and facts.error is None
        self.readable = own_host and whole and not self.challenge
        self.forwards = facts.forwards
        self.shell = self.readable and is_shell(facts)
        self.canonical, self.canonical_elsewhere = _canonicals(facts, domain)
        self.leads_back = False  # the canonical address redirects to this one; set when all addresses are known
        self.title = facts.title or ""
        # Digest of the title as it is on the page, if e-mail addresses in it are masked in ``title``; otherwise "".
        self.title_digest = facts.title_written.digest if facts.title_written is not None else ""
        # Hash of the folded first heading, or of the text shown in its place; 0 if the page has neither.
        # ``is_section``: that heading begins with a section number.
        first = facts.shown_title or (facts.headings[0][1] if facts.headings else "")
        self.heading = hash(fold(first)) if first else 0
        self.is_section = is_of_section(first)
        # Hash of the folded description: equal descriptions have equal keys; 0 means no description.
        described = facts.description_written.digest if facts.description_written else fold(facts.description or "")
        self.description_key = hash(described) if described else 0
        self.text_hash = facts.text_hash
        self.sketch = facts.sketch
        self.words = facts.words
        # ``own_words``: words of text that only this page has (see ``own_text``). ``own_links``: how many links are in
        # that text; ``own_linked``: words of those links. Until the website is surveyed, all words count as own.
        self.own_words = facts.words
        self.own_links = self.own_linked = 0
        self.is_copied = False  # some other pages, fewer than half, also have most of its text
        self.blocks = facts.blocks if self.readable else b""  # needed only until the website is surveyed
        self.paragraphs = tuple(map(hash, facts.paragraphs)) if self.readable else ()
        self.kind: PageKind = kind_of(facts) if self.readable else PageKind()
        self.says_who = self.kind.kind == "contact" and says_who(facts)  # only contact pages are checked
        self.listing = facts.listing
        self.in_frame = facts.in_frame
        # Whether a list's HTML has its entries as links. Only lists are checked.
        self.content_links = self.kind.kind == "archive" and any(link.flags & LINK_IN_CONTENT for link in facts.links)
        self.language_set = _language_set(facts)
        # Hashes of the addresses that hreflang names (see ``names``).
        self.alternates: frozenset[int] = frozenset(hash(alternate.url) for alternate in facts.hreflang)
        # Hashes of the addresses that links in the text name as translations, such as a language menu.
        self.translations: frozenset[int] = frozenset(map(hash, facts.translations))
        self.content_types: tuple[str, ...] = tuple(facts.structured_types)
        self.identity: Identity = identity_of(facts) if self.readable else NOTHING
        self.has_organization = _has_organization(facts)
        # Faults of the address itself, if people chose it. Tools that document program code choose the addresses
        # themselves.
        is_chosen = self.readable and not is_code_tool(facts.generator)
        self.faults = faults_of(facts.url, _shown_names(facts)) if is_chosen else ()
        self.shape = (facts.shape, facts.body_class)
        self.template: str | None = None
        self.same_as: str | None = None  # the page's other address, under which it is judged (``index_copies``)

    @property
    def turned_away(self) -> bool:
        """Whether the website rejected the crawler, by a status or by a challenge shown instead of the page."""
        return self.status in REFUSED or self.challenge

    @property
    def noindex(self) -> bool:
        return self.directives.noindex is not None

    @property
    def canonical_is_self(self) -> bool:
        """Whether the page's canonical address is the page itself, or the page names none on the website's domain.

        An address that redirects to the page counts as the page's own address.
        """
        return self.canonical is None or self.canonical == self.url or self.leads_back

    def names(self, *addresses: str) -> bool:
        """Whether the page's hreflang annotations name one of these addresses."""
        return any(hash(url) in self.alternates for url in addresses)

    def is_version_of(self, other: "Address") -> bool:
        """Whether one of the two pages names the other as a version in another language.

        The page may name the other with hreflang or in a language menu.
        """
        here, there = hash(self.url), hash(other.url)
        named = there in self.alternates or there in self.translations
        return named or here in other.alternates or here in other.translations

    @property
    def indexable(self) -> bool:
        # Search engines treat an immediate refresh as a redirect: the page itself is not shown.
        allowed = self.robots_allowed or self.as_read
        return self.readable and allowed and self.directives.noindex is None and not self.forwards

    @property
    def broken(self) -> bool:
        """Whether the address answers 4xx or 5xx. A status that only rejects the crawler does not count."""
        return self.status >= 400 and self.status not in REFUSED


def _canonicals(facts: PageFacts, domain: str) -> tuple[str | None, str | None]:
    """Return two canonical addresses of the page: one on the website's domain, and one on another domain.

    At most one of the two is not None. If the page names no address on ``domain``, the second is the first canonical
    address on another registrable domain (SEO-TEC-034). All other rules then treat the page as its own canonical.
    """
    own = origin(facts.url) + "/"
    elsewhere: str | None = None
    for _, absolute, _ in facts.canonicals:
        if not absolute:
            continue
        if not domain or absolute.startswith(own) or domain_of(absolute) == domain:
            return absolute, None
        elsewhere = elsewhere or absolute
    return None, elsewhere


def _shown_names(facts: PageFacts) -> list[str]:
    """Return the page's title and its main headings. The first heading is used if no heading is a main one."""
    called = [text for level, text in facts.headings if level == 1] or [text for _, text in facts.headings[:1]]
    return [facts.title or "", facts.shown_title or "", *called]


def kind_of(facts: PageFacts) -> PageKind:
    """Detect the kind of a page from its address and its content."""
    return page_kinds.detect(
        facts.url,
        body_class=facts.body_class,
        text=facts.text,
        headings=facts.headings,
        shown=facts.shows_kind,
    )


def _language_set(facts: PageFacts) -> int | None:
    """Return a number that identifies the page's set of language versions.

    Returns None if hreflang names no other page, or does not name the page itself.
    """
    if not facts.hreflang:
        return None
    addresses = frozenset(hash(alternate.url) for alternate in facts.hreflang)
    return hash(addresses) if hash(facts.url) in addresses and len(addresses) > 1 else None


def _has_organization(facts: PageFacts) -> bool:
    organization = facts.organization
    return bool(organization and organization.get("name") and organization.get("url"))


UNREAD: Final = Address(PageFacts(url=""), own_host=True, robots_allowed=True, given=NONE_GIVEN)
