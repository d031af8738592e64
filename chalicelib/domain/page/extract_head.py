"""Extracts from ``<head>``: title, description, robots, canonical, hreflang, viewport, refresh, generator.

Search engines read some of this only inside ``<head>``. An element that may not occur there ends ``<head>`` early, and
what follows is parsed into ``<body>``. A canonical, an hreflang or a title there is recorded in ``head_tags_in_body``
and not used; robots and description are recorded and used, as engines honour them anywhere.
"""

import re
from collections.abc import Callable, Mapping
from hashlib import sha256

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.extract_refresh import Resolver, read_refresh
from chalicelib.domain.page.facts import Hreflang, PageFacts, Written
from chalicelib.domain.page.headers import joined
from chalicelib.domain.page.markup import tag_ids, within
from chalicelib.domain.page.text import fold, kept, one_space
from chalicelib.domain.page.widths import description_px, title_px

_MOST_TAGS = 500  # hreflang, canonical and robots tags kept of one page
_MOST_TITLES = 50  # beyond <head> that are looked at
_MOST_TEXT = 5_000  # characters kept of a title or description
_MOST_NAME = 200  # of the name of a website
_MOST_HEADER = 60_000  # characters read of a Link header
_MATH_OR_SVG = tag_ids("svg math")
_CRAWLER_NAMES = re.compile(r"robots|[a-z0-9_.-]*bot[a-z0-9_.-]*|slurp|teoma|bingpreview|google-extended|googleother")
# RFC 8288, on a header whose white space is single spaces.
_PARAMETER = r" ?; ?([\w*!#$&+.^`|~-]{1,40}) ?= ?(?:\"([^\"]{0,500})\"|([^\",; ]{0,200}))"
_HEADER_PARAMETER = re.compile(_PARAMETER)
_HEADER_LINK = re.compile(r"<([^<>]{0,2100})>((?:" + _PARAMETER.replace("(", "(?:").replace("(?:?:", "(?:") + ")*)")


def _in_body(facts: PageFacts, name: str) -> None:
    if name not in facts.head_tags_in_body:
        facts.head_tags_in_body.append(name)


def read_titles(facts: PageFacts, titles: list[tuple[int, LexborNode]], body_at: int) -> None:
    """``titles``: every ``<title>`` with its position; titles of drawings do not count."""
    inside = 0
    for position, node in titles:
        if position < body_at:
            facts.title_count += 1
            if facts.title is None:
                written = node.text()
                facts.title = kept(written, _MOST_TEXT)
                facts.title_written = _written(written, facts.title, title_px)
            continue
        inside += 1
        if inside > _MOST_TITLES:
            break
        if within(node, _MATH_OR_SVG, 600) is None:
            _in_body(facts, "title")
            break


def _written(text: str, stored: str, pixels: Callable[[str], int]) -> Written | None:
    """Measures of the original text if addresses in it were hidden; None if the stored text is the original."""
    whole = one_space(text)[:_MOST_TEXT]
    if whole == stored:
        return None
    return Written(sha256(fold(whole).encode("utf-8", "replace")).hexdigest()[:16], len(whole), pixels(whole))


def read_metas(facts: PageFacts, metas: list[tuple[int, LexborNode]], body_at: int, resolver: Resolver) -> None:
    """Record what ``<meta>`` elements declare."""
    for position, node in metas:
        attributes = node.attributes
        content = attributes.get("content")
        name = attributes.get("name")
        named_property = attributes.get("property")
        if named_property and (not name or named_property[:3].lower() == "og:"):
            name = named_property
        if name is not None:
            if content is None or "itemprop" in attributes:
                continue
            name = name[:60].strip().lower()
            if name == "description":
                facts.description_count += 1
                if not facts.description:
                    facts.description = kept(content, _MOST_TEXT)
                    facts.description_written = _written(content, facts.description, description_px)
            elif name == "viewport":
                if facts.viewport is None or not _sets_viewport(facts.viewport):
                    facts.viewport = one_space(content)[:300]
            elif name == "og:title":
                facts.og_title = facts.og_title or kept(content, _MOST_TEXT)
            elif name == "og:description":
                facts.og_description = facts.og_description or kept(content, _MOST_TEXT)
            elif name == "og:site_name":
                facts.site_name = facts.site_name or kept(content, _MOST_NAME) or None
            elif name == "generator":
                facts.generator = facts.generator or kept(content, 200)
            elif _CRAWLER_NAMES.fullmatch(name):
                if len(facts.robots_meta) < _MOST_TAGS:
                    facts.robots_meta.append((name, one_space(content.lower())[:500]))
                name = "robots"
            else:
                continue
            if position > body_at and name in ("description", "robots"):
                _in_body(facts, name)
        elif facts.meta_refresh is None and (attributes.get("http-equiv") or "").strip().lower() == "refresh":
            read_refresh(facts, content or "", resolver)


def _sets_viewport(content: str) -> bool:
    content = content.lower()
    return "width" in content or "initial-scale" in content


def names_another(rel: str, attributes: Mapping[str, str | None]) -> bool:
    """Whether a ``<link>`` (``rel`` in lower case) may name a canonical or an alternate."""
    return "canonical" in rel or "hreflang" in attributes


def read_link_element(
    facts: PageFacts, rel: str, attributes: dict[str, str | None], in_body: bool, resolver: Resolver
) -> None:
    """One ``<link>`` whose ``rel`` (lower case) names a canonical or an alternate."""
    tokens = rel.split()
    href = attributes.get("href")
    if href is None or "itemprop" in attributes:
        return
    if "canonical" in tokens:
        if in_body:
            _in_body(facts, "canonical")
        elif len(facts.canonicals) < _MOST_TAGS:
            written = href.strip()
            facts.canonicals.append((written[:2100], (resolver.resolve(written) if written else None) or "", "html"))
    language = attributes.get("hreflang")
    if language is not None and "alternate" in tokens:
        if in_body:
            _in_body(facts, "hreflang")
        elif len(facts.hreflang) < _MOST_TAGS:
            facts.hreflang.append(Hreflang(language.strip()[:40], resolver.resolve(href) or "", "html"))


def read_link_header(facts: PageFacts, headers: Mapping[str, str], resolver: Resolver) -> None:
    """Canonical and hreflang of the ``Link`` header (RFC 8288); addresses are relative to the page's own."""
    header = joined(headers, "link")
    if not header:
        return
    for match in _HEADER_LINK.finditer(one_space(header[:_MOST_HEADER])):
        parameters: dict[str, str] = {}
        for name, quoted, plain in _HEADER_PARAMETER.findall(match[2]):
            parameters.setdefault(name.lower(), quoted or plain)
        tokens = parameters.get("rel", "").lower().split()
        written = match[1].strip()
        if "canonical" in tokens and len(facts.canonicals) < _MOST_TAGS:
            facts.canonicals.append((written, resolver.resolve(written) or "", "header"))
        if "alternate" in tokens and "hreflang" in parameters and len(facts.hreflang) < _MOST_TAGS:
            language = parameters["hreflang"].strip()[:40]
            facts.hreflang.append(Hreflang(language, resolver.resolve(written) or "", "header"))
