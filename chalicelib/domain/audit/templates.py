"""Finds the template of each page from its HTML skeleton, address, body classes and structured data.

Names are words that a person recognises: ``home``, the content system's name for the page (``product``, ``article``,
``category``), or the pattern of the address (``/blog/*``). A name depends only on what the pages of a group have in
common. Their order does not matter, nor does their number once there are three. So a template keeps its name from
audit to audit.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import urlsplit

MIN_PAGES: Final = 3  # pages with the same HTML skeleton and section that make a template
HOME: Final = "home"
OTHER: Final = "other"

_LOCALE: Final = re.compile(r"[a-z]{2}(?:[-_](?:[a-z]{2}|[a-z]{4}|[0-9]{3}))?", re.IGNORECASE)
_YEAR: Final = re.compile(r"(?:19|20)[0-9]{2}")
_NUMBER: Final = re.compile(r"[0-9]{1,12}")
_PAGE_NUMBER: Final = re.compile(r"/page/[0-9]+/?$")
_LONGEST_SECTION: Final = 60
_DEEPEST: Final = 6  # levels that a pattern distinguishes

# Body classes by which content systems name their templates. WordPress classes are everyday words, so they count only
# beside a class that only WordPress writes.
_WORDPRESS: Final = re.compile(
    r"(?:page-id|postid|parent-pageid|category|tag|author|term)-[0-9]+|wp-[a-z-]+|(?:page|post)-template(?:-[\w-]+)?"
    r"|single-format-[a-z]+|woocommerce(?:-page)?|tax-[\w-]+|post-type-archive(?:-[\w-]+)?"
)
_WORDPRESS_NAMES: Final = {
    "single-product": "product",
    "tax-product_cat": "product category",
    "tax-product_tag": "product tag",
    "post-type-archive-product": "shop",
    "woocommerce-cart": "cart",
    "woocommerce-checkout": "checkout",
    "woocommerce-account": "account",
    "single-post": "article",
    "attachment": "attachment",
    "category": "category",
    "tag": "tag",
    "author": "author",
    "date": "date archive",
    "search": "search",
    "search-results": "search",
    "blog": "blog",
    "page": "page",
}
_NAMES: Final = {
    "template-product": "product",  # Shopify
    "template-collection": "collection",
    "template-article": "article",
    "template-blog": "blog",
    "template-page": "page",
    "template-cart": "cart",
    "template-search": "search",
    "catalog-product-view": "product",  # Magento
    "catalog-category-view": "category",
    "cms-page-view": "page",
    "post-template": "article",  # Ghost
    "tag-template": "tag",
    "author-template": "author",
    "page-template": "page",
    "page-node-type-article": "article",  # Drupal
    "page-node-type-page": "page",
    "page-node-type-product": "product",
    "node-type-article": "article",
    "node-type-page": "page",
    "node-type-product": "product",
}
_CUSTOM_TYPE: Final = re.compile(r"single-([a-z][a-z_]{2,30})")  # WordPress: single-event, single-recipe
_NOT_A_TYPE: Final = frozenset(("single-format", "single-author", "single-column", "single-page", "single-post"))

# Structured data by kind; the first match of a page counts. Lists of products name products too, so lists come first.
_TYPE_NAMES: Final = (
    ("listing", frozenset("CollectionPage SearchResultsPage OfferCatalog ItemList".split())),
    ("recipe", frozenset(["Recipe"])),
    ("job", frozenset(["JobPosting"])),
    (
        "event",
        frozenset(
            "Event BusinessEvent ChildrensEvent ComedyEvent CourseInstance DanceEvent EducationEvent ExhibitionEvent"
            " Festival FoodEvent LiteraryEvent MusicEvent SaleEvent ScreeningEvent SocialEvent SportsEvent TheaterEvent"
            " VisualArtsEvent".split()
        ),
    ),
    ("product", frozenset("Product ProductGroup IndividualProduct Vehicle Car".split())),
    (
        "article",
        frozenset("Article BlogPosting NewsArticle TechArticle ScholarlyArticle Report LiveBlogPosting".split()),
    ),
    ("course", frozenset(["Course"])),
    ("profile", frozenset(["ProfilePage"])),
)


class TemplateInput(NamedTuple):
    """The facts from which a page's template is found. Fields mean the same as in ``PageFacts``."""

    url: str
    shape: str
    body_class: str
    structured_types: Sequence[str]
    is_home: bool = False


class _Page(NamedTuple):
    url: str
    section: str
    depth: int
    shape: str
    named: str | None  # by its body class
    typed: str | None  # by its structured data


def detect(pages: Iterable[TemplateInput]) -> dict[str, str]:
    """Return the name of each page's template, by address. The order of ``pages`` does not matter.

    - If the content system names the kind of a page (in the body's classes), the template has this name.
    - Of the other pages in one section, at least three with the same HTML skeleton are one template. Its name comes
      from the structured data of most of these pages, or else from the pattern of their addresses.
    - For a page that remains, the template's name is the pattern of its section if at least three pages share the
      section, else ``other``.
    """
    names: dict[str, str] = {}
    rest: list[_Page] = []
    named: Counter[str] = Counter()
    patterns: Counter[tuple[str, int]] = Counter()
    for page in pages:
        if page.is_home:
            names[page.url] = HOME
            continue
        section, depth = section_of(page.url)
        by_class = _named(page.body_class)
        if by_class is not None:
            named[by_class] += 1
        patterns[section, depth] += 1
        rest.append(_Page(page.url, section, depth, page.shape, by_class, _typed(page.structured_types)))

    groups: dict[tuple[str, str], list[_Page]] = defaultdict(list)
    for page_ in rest:
        if page_.named is not None and named[page_.named] >= MIN_PAGES:
            names[page_.url] = page_.named
        else:
            groups[page_.section, page_.shape].append(page_)
    for group in groups.values():
        name = _group_name(group) if len(group) >= MIN_PAGES else None
        for page_ in group:
            names[page_.url] = name or (
                pattern_of(page_.section, page_.depth) if patterns[page_.section, page_.depth] >= MIN_PAGES else OTHER
            )
    return names


def _group_name(group: Sequence[_Page]) -> str:
    typed = Counter(page.typed for page in group if page.typed is not None)
    for name, count in sorted(typed.items(), key=lambda item: (-item[1], item[0])):
        if 2 * count >= len(group):
            return name
    depths = Counter(page.depth for page in group)
    depth = min(depths, key=lambda level: (-depths[level], level))
    return pattern_of(group[0].section, depth)


@lru_cache(maxsize=4096)
def pattern_of(section: str, depth: int) -> str:
    """Return the pattern of addresses: ``/blog/*`` for pages one level below ``/blog``, ``/*`` for the top level."""
    if section.endswith("?*"):
        return section
    return section + "/*" * max(1, depth - (1 if section else 0))


def section_of(url: str) -> tuple[str, int]:
    """Return the section of an address and its depth: ``(section, levels)``.

    The section is the first folder, without language folders and page numbers. A year in it becomes ``yyyy``, any other
    number ``0``. For an address with a query, ``?*`` is added to its path.
    """
    parts = urlsplit(url)
    segments = [segment for segment in _PAGE_NUMBER.sub("", parts.path).split("/") if segment]
    if segments and _LOCALE.fullmatch(segments[0]):
        segments = segments[1:]
    depth = min(len(segments), _DEEPEST)
    if parts.query and segments:
        return "/" + "/".join(segments)[:_LONGEST_SECTION] + "?*", depth
    if len(segments) < 2:
        return "", depth
    first = segments[0]
    if _YEAR.fullmatch(first):
        return "/yyyy", 2  # /2024/05/31/title and /2024/title are one kind of page
    if _NUMBER.fullmatch(first):
        return "/0", depth
    return "/" + first[:_LONGEST_SECTION], depth


@lru_cache(maxsize=4096)
def _named(body_class: str) -> str | None:
    tokens = body_class.split()
    if any(_WORDPRESS.fullmatch(token) for token in tokens):
        present = frozenset(tokens)
        for token, name in _WORDPRESS_NAMES.items():
            if token in present:
                return name
        for token in tokens:
            custom = _CUSTOM_TYPE.fullmatch(token)
            if custom and token not in _NOT_A_TYPE:
                return custom[1].replace("_", " ")
    for token in tokens:
        if token in _NAMES:
            return _NAMES[token]
    return None


def _typed(types: Sequence[str]) -> str | None:
    if not types:
        return None
    present = frozenset(types)
    for name, kinds in _TYPE_NAMES:
        if not kinds.isdisjoint(present):
            return name
    return None
