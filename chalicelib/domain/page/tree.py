"""A page as a tree, parsed as browsers do. One walk over the tree collects the elements that hold facts."""

from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from chalicelib.domain.crawl.urls import LinkResolver
from chalicelib.domain.page.extract_refresh import Resolver
from chalicelib.domain.page.markup import COMMENT, tag_ids
from chalicelib.domain.page.markup_bombs import expand_self_closed, tame

NOWHERE: Final = 1 << 60  # a position behind every element

Found = list[tuple[int, LexborNode]]  # elements with their positions in document order

_KIND_NAMES: Final = {
    "addresses": "address",
    "anchors": "a area",
    "articles": "article",
    "asides": "aside",
    "bases": "base",
    "bodies": "body frameset",
    "canvases": "canvas",
    "codes": "code pre samp kbd tt",
    "edges": "header footer",
    "fields": "textarea",
    "forms": "form",
    "frames": "frame iframe",
    "headings": "h1 h2 h3 h4 h5 h6",
    "images": "img",
    "links": "link",
    "mains": "main",
    "media": "audio embed object source video",
    "metas": "meta",
    "navs": "nav",
    "scripts": "script",
    "titles": "title",
    "unread": "style noscript template svg math noembed noframes select datalist",
}
_KINDS: Final = {tag: kind for kind, names in _KIND_NAMES.items() for tag in tag_ids(names)} | {COMMENT: "comments"}


def parse(html: str, content_type: str | None) -> tuple[LexborNode | None, str, bytes]:
    """Parse a page. Returns the tree's root (None if the page has no elements), and the sanitised HTML that was parsed,
    as text and in UTF-8."""
    if content_type == "application/xhtml+xml":
        html = expand_self_closed(html)
    data = html.encode("utf-8", "replace")  # lone surrogates have no UTF-8
    tamed = tame(html, data)
    if tamed is not html:
        html, data = tamed, tamed.encode("utf-8", "replace")
    return LexborHTMLParser(data, scripting=True).root, html, data


def survey(root: LexborNode) -> tuple[dict[str, Found], int]:
    """Return the elements that hold facts, by kind and in document order, and the number of all elements."""
    found: dict[str, Found] = {kind: [] for kind in _KIND_NAMES}
    found["comments"] = []
    kinds = _KINDS
    position = 0
    for position, node in enumerate(root.traverse(), start=1):
        tag = node.tag_id
        if tag in kinds:
            found[kinds[tag]].append((position, node))
    return found, position - len(found["comments"])


def with_base(bases: Found, resolver: Resolver) -> Resolver:
    """Return the resolver for the page's links. Links are relative to the page's ``<base href>``, if it has one."""
    for _, node in bases:
        href = node.attributes.get("href")
        if href is not None:  # only the first counts
            base = resolver.written(href)
            return LinkResolver(base) if base is not None else resolver
    return resolver
