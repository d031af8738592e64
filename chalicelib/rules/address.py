"""The stored facts of one requested address."""

from typing import Final

from chalicelib.domain.crawl.urls import domain_of, origin
from chalicelib.domain.page import page_kinds
from chalicelib.domain.page.directives import NONE_GIVEN, Directives
from chalicelib.domain.page.facts import COOKIES, LINK_IN_CONTENT, REFUSED, PageFacts
from chalicelib.domain.page.headers import lines_of
from chalicelib.domain.page.page_kinds import PageKind
from chalicelib.domain.page.rendered import is_shell
from chalicelib.domain.page.text import fold
from chalicelib.domain.page.walls import is_wall
from chalicelib.rules.address_faults import faults_of
from chalicelib.rules.identity import NOTHING, Identity, identity_of
from chalicelib.suggestions.headings import is_of_section


class Address:
    """The stored facts of one requested address: about two kilobytes with its links, for pages of any size."""

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
        self.cookies = tuple(lines_of(facts.headers, COOKIES))  # names of those that a redirect sets
        self.html = facts.is_html
        self.own_host = own_host
        self.robots_allowed = robots_allowed
        self.as_read = False  # robots.txt has come to forbid it since it was read: it is judged as it was then
        self.directives = given
        # A page answers 200 with HTML that was read whole; what was only asked for with HEAD has no bytes.
        # A wall that came in place of the page is none.
        self.challenge = own_host and facts.status == 200 and is_wall(facts)
        whole = facts.status == 200 and facts.is_html and facts.bytes > 0 and facts.error is None
        self.readable = own_host and whole and not self.challenge
        self.forwards = facts.forwards
        self.shell = self.readable and is_shell(facts)
        self.canonical, self.canonical_elsewhere = _canonicals(facts, domain)
        self.leads_back = False  # the canonical address redirects to this one; known once the website is
        self.title = facts.title or ""
        # Of the title as the page has it, where addresses in it are hidden; "" for all other titles.
        self.title_digest = facts.title_written.digest if facts.title_written is not None else ""
        # Stands for the folded first heading, or what is shown in its place, 0 where there is none; and whether it has
        # the number of a section.
        first = facts.shown_title or (facts.headings[0][1] if facts.headings else "")
        self.heading = hash(fold(first)) if first else 0
        self.is_section = is_of_section(first)
        # Stands for the folded description: equal ones have equal keys, 0 is none.
        described = facts.description_written.digest if facts.description_written else fold(facts.description or "")
        self.description_key = hash(described) if described else 0
        self.text_hash = facts.text_hash
        self.sketch = facts.sketch
        self.words = facts.words
        # Of these, what is text of the page alone (see ``own_text``), and what of that is the text of links: in so many
        # places, so many words. All of it as long as nothing else is known.
        self.own_words = facts.words
        self.own_links = self.own_linked = 0
        self.is_copied = False  # most of its text stands on some other pages too, which are no majority
        self.blocks = facts.blocks if self.readable else b""  # until the website is known as a whole
        self.paragraphs = tuple(map(hash, facts.paragraphs)) if self.readable else ()
        self.kind: PageKind = kind_of(facts) if self.readable else PageKind()
        self.listing = facts.listing
        self.in_frame = facts.in_frame
        # Whether a list comes with its entries as links; asked of lists only.
        self.content_links = self.kind.kind == "archive" and any(link.flags & LINK_IN_CONTENT for link in facts.links)
        self.language_set = _language_set(facts)
        # Stands for the addresses that hreflang names: see ``names``.
        self.alternates: frozenset[int] = frozenset(hash(alternate.url) for alternate in facts.hreflang)
        # Likewise those that links in the text name, such as a language menu.
        self.translations: frozenset[int] = frozenset(map(hash, facts.translations))
        self.content_types: tuple[str, ...] = tuple(facts.structured_types)
        self.identity: Identity = identity_of(facts) if self.readable else NOTHING
        self.has_organization = _has_organization(facts)
        self.faults = faults_of(facts.url, _shown_names(facts)) if self.readable else ()  # of the address itself
        self.shape = (facts.shape, facts.body_class)
        self.template: str | None = None
        self.same_as: str | None = None  # another address of the same page, under which it is judged (index_copies)

    @property
    def turned_away(self) -> bool:
        """The crawler was turned away, by a status or by a wall in place of the page."""
        return self.status in REFUSED or self.challenge

    @property
    def noindex(self) -> bool:
        return self.directives.noindex is not None

    @property
    def canonical_is_self(self) -> bool:
        """Whether the page has no other canonical address on the website's domain, or one that leads back to it."""
        return self.canonical is None or self.canonical == self.url or self.leads_back

    def names(self, *addresses: str) -> bool:
        """Whether the page names one of the addresses as one of its language versions."""
        return any(hash(url) in self.alternates for url in addresses)

    def is_version_of(self, other: "Address") -> bool:
        """Whether one of the two pages names the other as one of its language versions, for search engines or in a
        menu for people."""
        here, there = hash(self.url), hash(other.url)
        named = there in self.alternates or there in self.translations
        return named or here in other.alternates or here in other.translations

    @property
    def indexable(self) -> bool:
        # Search engines take a refresh that happens at once as a redirect: the page itself is not shown.
        allowed = self.robots_allowed or self.as_read
        return self.readable and allowed and self.directives.noindex is None and not self.forwards

    @property
    def broken(self) -> bool:
        """The address answers 4xx or 5xx, other than by turning the crawler away."""
        return self.status >= 400 and self.status not in REFUSED


def _canonicals(facts: PageFacts, domain: str) -> tuple[str | None, str | None]:
    """The address that the page names as its canonical one; and the first it names on another registrable domain than
    ``domain``, where it names no other (SEO-TEC-034): then it counts as its own canonical everywhere else.
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
    """The page's names: its title and its main headings, or the first heading if none is a main one."""
    called = [text for level, text in facts.headings if level == 1] or [text for _, text in facts.headings[:1]]
    return [facts.title or "", facts.shown_title or "", *called]


def kind_of(facts: PageFacts) -> PageKind:
    """The kind of a page, by its address and its content."""
    return page_kinds.detect(
        facts.url,
        body_class=facts.body_class,
        text=facts.text,
        headings=facts.headings,
        shown=facts.shows_kind,
    )


def _language_set(facts: PageFacts) -> int | None:
    """Identifies the set of language versions that the page names, including itself; None without such a set."""
    if not facts.hreflang:
        return None
    addresses = frozenset(hash(alternate.url) for alternate in facts.hreflang)
    return hash(addresses) if hash(facts.url) in addresses and len(addresses) > 1 else None


def _has_organization(facts: PageFacts) -> bool:
    organization = facts.organization
    return bool(organization and organization.get("name") and organization.get("url"))


UNREAD: Final = Address(PageFacts(url=""), own_host=True, robots_allowed=True, given=NONE_GIVEN)
