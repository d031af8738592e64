"""The demo website as data: pages, sitemaps, robots.txt and headers, before they become bytes.

In any text, ``{base}`` means the website's address (scheme, host and port). It is filled in when the website is
rendered.
"""

from dataclasses import dataclass, field
from typing import Final, Literal

BRAND: Final = "Alderfell"
ORGANIZATION: Final = "Alderfell Outdoor Ltd"
TELEPHONE: Final = "+44 1632 960144"
STREET: Final = "4 Quarry Road"
TOWN: Final = "Harrowdale"
POSTCODE: Final = "HD1 4QT"
COUNTRY: Final = "United Kingdom"

Kind = Literal[
    "home",
    "listing",
    "archive",
    "product",
    "article",
    "recipe",
    "page",
    "legal",
    "contact",
    "account",
]


@dataclass(slots=True)
class Picture:
    """An image of a page.

    - ``alt``: the alt text; None omits the attribute.
    - ``sized``: False omits width and height.
    - ``lazy``: whether the image is loaded only when the user scrolls to it.
    """

    src: str
    alt: str | None
    width: int = 640
    height: int = 480
    sized: bool = True
    lazy: bool = False


@dataclass(slots=True)
class Card:
    """An entry of a list of links inside the main content."""

    path: str
    label: str
    teaser: str = ""


@dataclass(slots=True)
class Structured:
    """One JSON-LD block. ``broken``: replace the block with text that does not parse."""

    type: str
    data: dict[str, object]
    broken: bool = False


@dataclass(slots=True)
class Page:
    """One HTML page: its content and how it is served."""

    path: str  # with the query string, where there is one
    kind: Kind
    title: str | None
    description: str | None
    headings: list[str]  # the text of each <h1>; normally one
    blocks: list[str] = field(default_factory=list)  # HTML of the main content below the heading
    lang: str = "en"
    nav_lang: Literal["en", "de"] = "en"
    html_lang: str | None = None  # the value of <html lang> if it is not ``lang``; "" omits it
    crumbs: list[tuple[str, str]] = field(default_factory=list)  # (label, path) above this page, home first
    crumb: str = ""  # this page's own label in the trail
    cards: list[Card] = field(default_factory=list)
    pager: list[tuple[str, str]] = field(default_factory=list)
    related: list[Card] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)  # visible label and value: price, rating, author, date
    structured: list[Structured] = field(default_factory=list)
    alternates: list[tuple[str, str]] = field(default_factory=list)  # (hreflang, path)
    canonicals: list[str] | None = None  # hrefs as written; None: the page itself
    robots: list[tuple[str, str]] = field(default_factory=list)  # (name, content) of robots meta tags
    head: list[str] = field(default_factory=list)  # more tags at the end of <head>
    extra: list[str] = field(default_factory=list)  # more HTML at the end of <main>
    titles_more: list[str] = field(default_factory=list)  # further <title> tags
    descriptions_more: list[str] = field(default_factory=list)
    viewport: bool = True
    open_graph: bool = True
    breadcrumb_markup: bool = True
    main_attributes: str = ""
    bare: bool = False  # without header, breadcrumb, related links and footer

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    compressed: bool = True
    delay: float | None = 0.0  # seconds before the answer begins; None: never
    in_sitemap: bool = True
    lastmod: str = "2025-06-01"

    def drop_structured(self, type_: str) -> None:
        self.structured = [block for block in self.structured if block.type != type_]

    def block(self, type_: str) -> Structured:
        """Return the first JSON-LD block of that type. Raises LookupError if the page has none."""
        for block in self.structured:
            if block.type == type_:
                return block
        raise LookupError(f"{self.path} has no {type_}")


@dataclass(slots=True)
class RobotsGroup:
    """One group of robots.txt."""

    agents: list[str]
    lines: list[str]


@dataclass(slots=True)
class Website:
    """The whole website. A fault is made by changing this object before the website is rendered."""

    pages: dict[str, Page]
    robots: list[RobotsGroup]
    headers: dict[str, str]  # sent with every HTML page
    redirects: dict[str, tuple[int, str]] = field(default_factory=dict)  # path -> (status, target path or address)
    statuses: dict[str, int] = field(default_factory=dict)  # further addresses that answer with an error page
    sitemap_more: list[str] = field(default_factory=list)  # addresses that only the sitemap names
    sitemap_children_more: list[str] = field(default_factory=list)
    sitemap: bool = True
    sitemap_in_robots: bool = True
    sitemap_scheme: str | None = None  # replaces the scheme of the sitemap's addresses
    one_lastmod: str | None = None
    llms_txt: str | None = ""
    llms_txt_type: str = "text/plain; charset=utf-8"
    footer_telephone: str = TELEPHONE
    footer_links: bool = True  # about and contact pages in the navigation and the footer
    missing_pictures: set[str] = field(default_factory=set)
    large_pictures: set[str] = field(default_factory=set)
    refused_agents: list[str] = field(default_factory=list)  # words in the user agent that get 403

    def page(self, path: str) -> Page:
        return self.pages[path]

    def add(self, page: Page) -> None:
        if page.path in self.pages:
            raise ValueError(f"two pages at {page.path}")
        self.pages[page.path] = page

    def unlink(self, path: str) -> None:
        """Remove the page from every list of links. The page still answers at its address."""
        for page in self.pages.values():
            page.cards = [card for card in page.cards if card.path != path]
            page.related = [card for card in page.related if card.path != path]
