"""The facts that the crawler learned about one address. They are stored, judged and shown in this form.

There is one ``PageFacts`` per requested address. They are stored packed (msgpack, zstd) in blocks, so fields are
positional: **append new fields at the end with a default, never reorder**. Units: bytes, milliseconds, epoch seconds.
``None`` means unknown. An empty list means that nothing was found.
"""

from typing import Literal

import msgspec

# Link.flags
LINK_NOFOLLOW = 1  # rel has nofollow, ugc or sponsored, on all links to this target
LINK_IN_NAV = 2  # inside <nav>, <header> or <footer>
LINK_LABELLED = 4  # has aria-label or title, or its text comes from an image's alt
LINK_IN_CONTENT = 8  # (also) outside <nav>, <header> and <footer>
LINK_MARKED = 16  # one of the links to this target has nofollow, ugc or sponsored, whether or not all have

# Words of a paragraph that answers the question above it.
SHORTEST_ANSWER = 15
LONGEST_ANSWER = 80
LONGEST_LET_PASS = 120  # words without a finding: 90 are quoted about as well as 80
MANY_ELEMENTS = 1_500  # of one page; more make it slow
# Least words of a heading that asks something.
FEWEST_QUESTION_WORDS = 3  # fewer name a topic: "FAQ?", "Why us"
FEWEST_WITHOUT_MARK = 4  # "How to pitch a tent" asks, "What we do" does not

# Why a page that answered has no facts: reading it takes more time or memory than a page is given, or failed.
PageError = Literal["too_hard", "unreadable"]

ResourceKind = Literal["script", "style"]

SLOW_MS = 800  # an answer that begins later is slow

LONGEST_HEADER = 20_000  # characters kept of one header

FIRST_IMAGES = 5  # of a page: images that are assumed to be on its first two screens
Packed = bytes  # for PageFacts, which has a field named ``bytes``


class Link(msgspec.Struct, array_like=True, gc=False):
    """One distinct target of the page's links (``<a href>`` or ``<area href>``) that crawlers may follow.

    The target is normalised and has no fragment.
    """

    url: str
    text: str = ""  # visible text (or alt of an image inside), one space, at most 80 characters
    flags: int = 0


class Image(msgspec.Struct, array_like=True, gc=False):
    """One ``<img>`` of the page."""

    src: str  # absolute, or "" without a src
    alt: str | None = None  # None: no alt attribute at all
    width: int | None = None
    height: int | None = None
    decorative: bool = False  # role=presentation/none, aria-hidden, or a tracking pixel
    carries_content: bool = False  # it has no alt that says something, and is the only content of a link
    # Its style or classes keep room for it without width and height. Or nothing is below it that could move.
    aspect_ratio: bool = False
    responsive: bool = False  # browsers choose among several files (srcset, <picture>)
    caption: str = ""  # of its figure, if it is the only image there; one space, at most 300 characters
    target: str = ""  # if it carries content: where the link leads
    # It is in a part that is closed at first (menu, dialog). Determined until ``FIRST_IMAGES`` others were found.
    closed: bool = False


class Resource(msgspec.Struct, array_like=True, gc=False):
    """One script or style sheet that the page loads from the website's own host."""

    url: str
    kind: ResourceKind


class Hreflang(msgspec.Struct, array_like=True, gc=False):
    lang: str
    url: str
    source: str = "html"  # html, header or sitemap


class Contact(msgspec.Struct, array_like=True, gc=False):
    """The owner's contact details that a page shows.

    Each list has at most 10 telephone numbers or 5 postal addresses.
    """

    site_telephones: list[str] = []  # of tel: links in header, navigation and footer
    telephones: list[str] = []  # of tel: links in the content
    addresses: list[str] = []  # texts of <address> elements, at most 200 characters
    mail: bool = False  # a mailto: link names an address, which is not kept
    author: bool = False  # beside such a link, a part of the page is marked as its author's


class Written(msgspec.Struct, array_like=True, gc=False):
    """Measures of a text as it was before its e-mail addresses were hidden. They are stored only if addresses were
    hidden in the text."""

    digest: str  # SHA-256 (16 hex) of the folded text: equal texts have equal digests
    characters: int
    pixels: int  # width in a search result


class PageFacts(msgspec.Struct, array_like=True, gc=False):
    """All facts about one address. The first fields have values for every answer, the later fields only for HTML
    pages."""

    url: str  # normalised address asked for
    status: int = 0  # HTTP status; 0: no answer (see error)
    # timeout, dns, connect, tls, reset, too_large, protocol, refused_address, robots: no answer; or a PageError
    error: str | None = None
    fetched_at: int = 0
    redirect_to: str | None = None  # absolute normalised target of a 3xx, also on other hosts
    content_type: str | None = None  # media type without parameters, lower case
    charset: str | None = None  # used to decode the body
    charset_source: str | None = None  # header, bom, meta, detected or default
    bytes: int = 0  # decoded body
    transfer_bytes: int = 0  # body on the wire
    content_encoding: str | None = None  # gzip, br, zstd, deflate or None
    ttfb_ms: int | None = None  # until the answer began; None: not known, see ``crowded_ms``
    truncated: bool = False  # the body was larger than the crawler reads
    headers: dict[str, str] = {}  # the few headers rules need, lower-case names (see KEPT_HEADERS)
    tries: int = 1
    is_html: bool = False

    # -- HTML pages -----------------------------------------------------------------------------------
    # In all texts, e-mail addresses are masked.
    title: str | None = None  # first <title> of <head>, one space; None: no such tag, "" : empty
    title_count: int = 0
    description: str | None = None
    description_count: int = 0
    canonicals: list[tuple[str, str, str]] = []  # (as written, absolute normalised or "", html|header), in order
    robots_meta: list[tuple[str, str]] = []  # (lower-case name: robots, googlebot, …; lower-case content), in order
    hreflang: list[Hreflang] = []
    lang: str | None = None  # <html lang>
    viewport: str | None = None
    headings: list[tuple[int, str]] = []  # visible h1..h6 in order: (level, text), at most 100, text at most 200
    h1_count: int = 0  # visible h1 with text
    words: int = 0  # words of the main content
    text: str = ""  # start of the main text, personal email addresses masked, at most 1,500 characters
    text_hash: str = ""  # SHA-256 (32 hex) of the normalised main text; "" below 50 words
    shape: str = ""  # hash of the page's skeleton, for template detection
    body_class: str = ""  # <body class>, at most 300 characters
    links: list[Link] = []  # distinct internal targets (own host), first occurrence order
    external_links: list[Link] = []  # distinct http(s) targets on other hosts, at most 300
    uncrawlable_links: int = 0  # <a> without href, javascript:, onclick only
    images: list[Image] = []  # at most 300
    structured_types: list[str] = []  # distinct @type / itemtype names, JSON-LD first
    structured_errors: list[str] = []  # why a JSON-LD block does not parse, in words
    organization: dict[str, str | list[str]] | None = (
        None  # name, url, sameAs, telephone, address of Organization kinds
    )
    elements: int = 0  # elements of the document
    head_tags_in_body: list[str] = []  # title, description, robots, canonical, hreflang parsed inside <body>
    insecure_resources: list[str] = []  # http:// scripts, styles, frames, images of an https page, at most 20
    insecure_forms: list[str] = []  # http:// form actions
    meta_refresh: str | None = None  # absolute target of <meta http-equiv=refresh>
    forwards: bool = False  # the refresh happens at once, to another page: search engines treat it as a redirect
    nosnippet_main: bool = False  # data-nosnippet on main or body
    # Of <meta name=generator> (several are joined by "; "), a comment, or a mark of a tool.
    generator: str | None = None
    og_title: str | None = None
    og_description: str | None = None
    breadcrumb_visible: bool = False
    frames: list[str] = []  # absolute targets of <frame> and <iframe> of a frameset page (links for the crawl)
    platform: str | None = None  # wordpress, shopify or None, as the markup reveals
    paragraphs: list[str] = []  # first ones of the main text, addresses masked: at most 8 of 20 to 400 characters

    contact: Contact | None = None  # None: the page shows no contact details
    # Of JSON-LD objects that get special search results: (type, name or "", required properties that are missing)
    schema_missing: list[tuple[str, str, list[str]]] = []
    # Claims of JSON-LD about a product that the page does not show: (price, rating or name; in JSON-LD; as shown)
    schema_differs: list[tuple[str, str, str]] = []
    questions: int = 0  # H2 and H3 of the content that ask something and are followed by a paragraph, list or table
    unanswered: list[tuple[str, int]] = []  # (question, words) if the paragraph is too short or too long
    placeholders: list[tuple[str, str]] = []  # (lorem, template, shortcode or markdown; excerpt): at most 10
    sketch: Packed = b""  # of the main text, for finding near-duplicates (see shingles); empty below 50 words
    uncrawlable_samples: list[tuple[str, str]] = []  # of uncrawlable_links: (text, href or why), at most 5
    # (target, text) of links in the content that say nothing, to addresses whose text in ``links`` is the navigation's
    vague_links: list[tuple[str, str]] = []
    title_written: Written | None = None  # None: ``title`` is what the page says, no address is hidden in it
    description_written: Written | None = None  # likewise of ``description``
    # Whether the page is of the kind that its address suggests: a search, a log-in, a basket. None: the address
    # suggests none, or the page was not checked.
    shows_kind: bool | None = None
    blocks: Packed = b""  # of the main text, to recognise text that many pages repeat (see blocks)
    # How long the answer took to begin while other requests of ours ran, if that was too long to be meaningful. Then
    # ``ttfb_ms`` is None until the address was asked again with nothing else running.
    crowded_ms: int | None = None
    site_name: str | None = None  # the website's name by this page: og:site_name, or a WebSite in JSON-LD
    # The title above the text, if it is in a box and not in a heading (Doxygen). Main headings may follow below it.
    shown_title: str | None = None
    sections: list[int] = []  # for each of ``paragraphs``: how many headings separate it from the first
    translations: list[str] = []  # own addresses that links in the body name as language versions (rel, hreflang)
    in_frame: bool = False  # its links open in another frame: a menu or a list that is shown beside the pages
    listing: bool = False  # nearly all of the main text is program code
    # Two members that version 1.0 filled and no code reads any more: their positions in the stored array are kept.
    brief: str | None = None
    items: list[str] = []
    # Of a page with hardly any paragraphs: the texts of the links of its first list, at most 12 of 100 characters.
    listed: list[str] = []
    scripts: int | None = None  # scripts that run, in the page or from files; None: not counted
    script_forward: str | None = None  # of a page with hardly any links: the address to which a script forwards
    asked: str | None = None  # the address as it was requested; None if it was ``url``
    # The written form of those addresses on the page that are not written in their normal form.
    spelled: dict[str, str] = {}
    resources: list[Resource] = []  # each address once, at most 60
    body_lang: str | None = None  # <body lang>, which counts for the text in place of ``lang``
    structured_empty: int = 0  # JSON-LD blocks that can be read and name no type, so that they say nothing
    product: str = ""  # the name in JSON-LD of the page's only product; "" if there are several or none
    product_images: list[str] = []  # the absolute addresses of its images there, at most 10
    # A script framework fills in a list of links in the content: the HTML has the template of an entry.
    fills_list: bool = False
    # Of a page with such a list anywhere: the own addresses that its scripts name, at most 1,000.
    listed_by_script: list[str] = []
    form_targets: list[str] = []  # own addresses that its forms lead to, at most 20
    main_h1: str | None = None  # the first h1 of <main>, if another h1 precedes <main>, such as a logo's
    person: str | None = None  # the person who owns the website, by JSON-LD: in a WebSite, or separately
    code_elements: int = 0  # coloured words inside <pre>; counted only on a page with MANY_ELEMENTS
    # The content has something to look at or to use beside its text: a player, a frame, a canvas, a text field that is
    # filled in, or an example of code that a script loads. On a page with hardly any words, a form and an empty element
    # that a script looks up count too.
    embeds: bool = False


KEPT_HEADERS = (
    "x-robots-tag",
    "link",
    "strict-transport-security",
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "retry-after",
    "server",
    "last-modified",
    "vary",
    "cache-control",
)
# Only for redirects: the names of the cookies that they set, one per line, without values.
COOKIES = "set-cookie"


class RobotsFile(msgspec.Struct, array_like=True):
    """The website's robots.txt as the crawler received it."""

    url: str
    status: int = 0  # 0: no answer
    text: str = ""  # at most 500 KiB
    fetched_at: int = 0
    error: str | None = None
    content_type: str | None = None
    redirects: int = 0
    bytes: int = 0


class SitemapFile(msgspec.Struct, array_like=True):
    """One sitemap file that was requested."""

    url: str
    found_by: str = "guess"  # robots, guess or index
    status: int = 0
    kind: str | None = None  # index, urlset, text or None when it could not be read
    entries: int = 0
    error: str | None = None  # in words: why it could not be read
    bytes: int = 0


class TextFile(msgspec.Struct, array_like=True):
    """A small text file at a fixed address, such as /llms.txt."""

    url: str
    status: int = 0
    text: str = ""  # at most 200,000 characters
    bytes: int = 0
    content_type: str | None = None
    fetched_at: int = 0
    error: str | None = None


class Probe(msgspec.Struct, array_like=True):
    """The answer to one extra request about the website, made once per audit."""

    # variant (another spelling of the home address), not_found (a random address), agent (home as a bot),
    # browser (home as a browser)
    question: str
    url: str
    status: int = 0
    redirect_to: str | None = None
    canonical: str | None = None
    title: str | None = None
    agent: str | None = None
    error: str | None = None
    text_hash: str = ""  # as of PageFacts
    text: str = ""  # as of PageFacts
    words: int = 0
    protection: str | None = None  # for agent and browser: the CDN or firewall that the answer's headers name


class TargetFacts(msgspec.Struct, array_like=True, gc=False):
    """The answer of an address that the audit requests but does not read as a page: a canonical, a link target or a
    file."""

    url: str  # normalised address asked for
    own_host: bool
    status: int = 0  # HTTP status; 0: no answer (see error)
    error: str | None = None  # as of PageFacts
    fetched_at: int = 0
    tries: int = 1
    redirect_to: str | None = None
    is_html: bool = False
    canonical: str | None = None  # the first that the page names; only known if requested with GET
    robots_meta: list[tuple[str, str]] = []  # likewise
    x_robots_tag: str | None = None
    image: bool = False  # requested as an image of a page
    bytes: int | None = None  # of the file as it is sent; None if the answer does not say
    asked: str | None = None  # as of PageFacts
    redirect_written: str | None = None  # ``redirect_to`` as written, if that is not its normal form
    # -- scripts and style sheets of the website -------------------------------------------------------
    resource: bool = False  # requested as a script or style sheet
    content_type: str | None = None  # as of PageFacts
    nosniff: bool = False  # browsers must not guess the file's type
    imports: list[str] = []  # own sheets that a style sheet imports, at most 20
    # True: the faulty answer came twice, and in between a page still named the file. False: the file may have been
    # replaced since the page was read, as files with a hash in their name are at every release.
    stands: bool = False

    @property
    def file(self) -> bool:
        """Whether the address was requested as a file that pages load, such as an image, and not as the target of a
        link."""
        return self.image or self.resource

    @property
    def uncertain(self) -> bool:
        """Whether the answer proves nothing about the address. Other websites reject programs in many ways, so a
        refusal need not mean that the page is missing."""
        return not self.own_host and self.status >= 400 and self.status not in CERTAIN_ELSEWHERE

    def as_page(self) -> PageFacts:
        """Convert this answer to ``PageFacts``. Of the page's content, it has only the canonical address and the robots
        tag."""
        return PageFacts(
            url=self.url,
            status=0 if self.uncertain else self.status,
            error="refused" if self.uncertain else self.error,
            fetched_at=self.fetched_at,
            redirect_to=self.redirect_to,
            tries=self.tries,
            is_html=self.is_html,
            headers={"x-robots-tag": self.x_robots_tag} if self.x_robots_tag else {},
            canonicals=[(self.canonical, self.canonical, "html")] if self.canonical else [],
            robots_meta=self.robots_meta,
            asked=self.asked,
        )


REFUSED = frozenset({401, 403, 407, 429})  # the crawler was rejected: says nothing about the address
PAGE_OR_NONE = frozenset({200, 404, 410})  # answers with a page, or with what the server sends for a missing page
CERTAIN_ELSEWHERE = frozenset({404, 410, 500})  # errors of other websites that can be trusted


class SiteFacts(msgspec.Struct, array_like=True):
    """Facts about the website as a whole. ``sitemap_urls``: normalised, on the website's own host, without
    duplicates."""

    home_url: str  # where the home page finally answers, normalised
    host: str  # host[:port] of home_url, without a leading www.
    robots: RobotsFile | None = None
    sitemaps: list[SitemapFile] = []
    sitemap_urls: list[tuple[str, str | None]] = []  # (address, lastmod as written)
    sitemap_foreign: int = 0  # entries on other hosts
    sitemap_truncated: bool = False
    llms_txt: TextFile | None = None
    probes: list[Probe] = []
    certificate_not_after: int | None = None  # epoch seconds
    certificate_error: str | None = None
    home_redirects: list[tuple[str, int]] = []  # hops before home_url: (address, status)
    # The time for sitemaps ran out before every file had answered; then ``sitemap_truncated`` is true as well.
    sitemap_late: bool = False
    # Language versions that sitemaps name: (address, [(language as written, address of the version)]).
    sitemap_languages: list[tuple[str, list[tuple[str, str]]]] = []
