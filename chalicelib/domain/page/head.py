"""Reads only the values that are compared with approved changes: title, description, robots and canonical.

The values equal those of ``read_page``, at a fraction of the cost: links, headings and text are skipped. Most of the
remaining cost would be parsing the body. The body affects these values only if it contains ``<meta>`` or ``<base>``. If
it contains neither of them, parsing stops where the body begins.
"""

import re
from collections.abc import Mapping
from typing import Final

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.extract_head import (
    names_another,
    read_link_element,
    read_link_header,
    read_metas,
    read_titles,
)
from chalicelib.domain.page.extract_refresh import Resolver
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.markup import tag_id
from chalicelib.domain.page.markup_bombs import tame
from chalicelib.domain.page.tree import NOWHERE, Found, parse, with_base

_KIND_NAMES: Final = {"title": "titles", "meta": "metas", "link": "links", "base": "bases", "body": "bodies"} | {
    "frameset": "bodies"
}
_QUERY: Final = ",".join(_KIND_NAMES)
_KINDS: Final = {tag_id(name): kind for name, kind in _KIND_NAMES.items()}
_BODY: Final = re.compile(r"<body(?=[\s/>])", re.IGNORECASE)
_SAYING: Final = ("<meta", "<base")  # they count in a body too
_MARK: Final = "data-wos-body"
_HTML: Final = frozenset({None, "text/html"})


def read_head(facts: PageFacts, html: str, *, headers: Mapping[str, str], resolver: Resolver) -> None:
    """Fill ``title``, ``description``, ``robots_meta`` and ``canonicals`` of ``facts`` from the decoded page. The
    values equal those of ``read_page``; other fields stay unset. Never raises on a page."""
    root = _root(html, facts.content_type)
    if root is None:
        return
    found: dict[str, Found] = {kind: [] for kind in _KINDS.values()}
    for position, node in enumerate(root.css(_QUERY)):  # in document order
        found[_KINDS[node.tag_id]].append((position, node))
    body_at = found["bodies"][0][0] if found["bodies"] else NOWHERE
    links_from = with_base(found["bases"], resolver)
    read_titles(facts, found["titles"], body_at)
    read_metas(facts, found["metas"], body_at, links_from)
    for position, node in found["links"]:
        attributes = node.attributes
        rel = (attributes.get("rel") or "").lower()
        if names_another(rel, attributes):
            read_link_element(facts, rel, attributes, position > body_at, links_from)
    read_link_header(facts, headers, resolver)


def _root(html: str, content_type: str | None) -> LexborNode | None:
    body = _BODY.search(html) if content_type in _HTML else None
    if body is not None and tame(html, html.encode("utf-8", "replace")) == html:
        rest = html[body.start() :].lower()
        if not any(tag in rest for tag in _SAYING):
            root, _, _ = parse(f"{html[: body.start()]}<body {_MARK}>", content_type)
            # If the first <body> was not a tag but part of a comment, a script, a text or a value, or an ignored tag,
            # the mark is not on the body.
            if root is not None and root.css_first(f"body[{_MARK}]") is not None:
                return root
    return parse(html, content_type)[0]
