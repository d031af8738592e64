"""Images of a page: alternative text, size, and whether they decorate or carry content."""

import re

from selectolax.lexbor import LexborNode

from chalicelib.domain.audit.extract_head import Resolver
from chalicelib.domain.audit.facts import Image, PageFacts
from chalicelib.domain.audit.markup import ANCHOR, FIGURE, Visibility, readable, within
from chalicelib.domain.audit.text import mask_emails, one_space

MAX_IMAGES = 300
_HOLDERS = frozenset((ANCHOR, FIGURE))
_HOLDER_LEVELS = 8  # how far up the link or figure of an image may be
_MOST_ALT = 1000
_WHOLE = re.compile(r"\s*\+?([0-9]{1,5})(?:\.[0-9]*)?\s*(?:px)?\s*")
_STYLE_SIZE = re.compile(r"(?:^|[;\s])(width|height)\s*:\s*([0-9]{1,5})(?:\.[0-9]+)?px", re.IGNORECASE)
_RATIO = re.compile(r"(?:^|[;\s])aspect-ratio\s*:\s*[0-9a]", re.IGNORECASE)
_LAZY_SOURCES = ("data-src", "data-lazy-src", "data-original")


def read_images(
    facts: PageFacts, found: list[tuple[int, LexborNode]], visibility: Visibility, resolver: Resolver
) -> None:
    """Fill ``images`` from the page's ``<img>`` elements, in order."""
    alone: dict[int, bool] = {}  # holder -> whether images are all it shows
    for _, node in found[:MAX_IMAGES]:
        attributes = node.attributes
        alt: str | None = None
        if "alt" in attributes:
            alt = one_space(attributes["alt"] or "")[:_MOST_ALT]
            if "@" in alt:
                alt = mask_emails(alt)
        width, height = _whole(attributes.get("width")), _whole(attributes.get("height"))
        style = attributes.get("style")
        ratio = False
        if style:
            for name, size in _STYLE_SIZE.findall(style[:2000]):
                if name.lower() == "width":
                    width = int(size) if width is None else width
                else:
                    height = int(size) if height is None else height
            ratio = _RATIO.search(style[:2000]) is not None
        decorative = (
            (width is not None and width <= 1)
            or (height is not None and height <= 1)
            or (attributes.get("role") or "").strip().lower() in ("presentation", "none")
            or visibility.hidden(node)
        )
        content = not decorative and _carries_content(node, attributes, alone)
        source = _source(attributes)
        address = (resolver.resolve(source) if source else None) or ""
        facts.images.append(Image(address, alt, width, height, decorative, content, ratio))


def _whole(text: str | None) -> int | None:
    if text is None:
        return None
    match = _WHOLE.fullmatch(text[:40])
    return int(match[1]) if match else None


def _source(attributes: dict[str, str | None]) -> str | None:
    """The address a visitor ends up loading: a placeholder ``data:`` source gives way to the lazy one."""
    source = (attributes.get("src") or "").strip()
    if not source or source[:5].lower() == "data:":
        for name in _LAZY_SOURCES:
            lazy = attributes.get(name)
            if lazy:
                return lazy
        candidates = (attributes.get("srcset") or attributes.get("data-srcset") or "").split(None, 1)
        if candidates and candidates[0][:5].lower() != "data:":
            return candidates[0].rstrip(",")
        return None
    return source


def _carries_content(node: LexborNode, attributes: dict[str, str | None], alone: dict[int, bool]) -> bool:
    """Whether the image is the only thing a link or a figure shows."""
    if attributes.get("aria-label") or attributes.get("title") or attributes.get("aria-labelledby"):
        return False
    holder = within(node, _HOLDERS, _HOLDER_LEVELS)
    if holder is None:
        return False
    key = holder.mem_id
    if key not in alone:
        named = holder.attributes
        others = [image for image in holder.css("img")[:20] if (image.attributes.get("alt") or "").strip()]
        alone[key] = not (
            named.get("aria-label")
            or named.get("aria-labelledby")
            or named.get("title")
            or (named.get("aria-hidden") or "").lower() == "true"
            or (holder.tag_id == ANCHOR and "href" not in named)
            or len(others) > 1
            or readable(holder, 40)
        )
        if alone[key] and others and others[0].mem_id != node.mem_id:
            alone[key] = False  # another image says what the link is
    return alone[key]
