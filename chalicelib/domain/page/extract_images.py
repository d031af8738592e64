"""Extracts the images of a page: alternative text, size, and whether they are decoration or content."""

import re
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import islice

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.alt_words import is_file_name, says_nothing
from chalicelib.domain.page.extract_refresh import Resolver
from chalicelib.domain.page.facts import FIRST_IMAGES, Image, PageFacts
from chalicelib.domain.page.markup import ANCHOR, IMG, MAX_LEVELS, TEXT, UNREAD, readable, tag_id, tag_ids, within
from chalicelib.domain.page.text import kept

MAX_IMAGES = 300
_HOLDERS = frozenset((ANCHOR,))
_HOLDER_LEVELS = 8  # how far up the link of an image may be
_FIGURES = frozenset((tag_id("figure"),))
_CAPTION = tag_id("figcaption")
_FIGURE_LEVELS = 6  # how far up the figure of an image may be
_MOST_CAPTION = 300
_DECORATIVE_ROLES = ("presentation", "none")
_MOST_INSIDE = 200  # elements of a link looked at
_MOST_ALT = 1000
_WHOLE = re.compile(r"\s*\+?([0-9]{1,5})(?:\.[0-9]*)?\s*(?:px)?\s*")
_STYLE_SIZE = re.compile(r"(?:^|[;\s])(width|height)\s*:\s*([0-9]{1,5})(?:\.[0-9]+)?px", re.IGNORECASE)
# A ratio, or a height in units of the text size. A position also takes the image out of the flow, where it cannot shift
# the layout.
_RATIO = re.compile(
    r"(?:^|[;\s])(?:aspect-ratio\s*:\s*[0-9a]|position\s*:\s*(?:absolute|fixed)|height\s*:\s*[0-9.]{1,8}(?:r?em|ex))",
    re.IGNORECASE,
)
# Classes of utility frameworks that set a height or a ratio, or take the image out of the flow.
_SIZED_BY_CLASS = re.compile(r"(?:^|[\s:])(?:h-|size-|aspect-|ratio-|absolute(?:\s|$)|wp-image-\d+ size-thumbnail)")
# Classes of common frameworks for parts that are closed until a visitor opens them; and for open parts, and parts that
# are closed on small screens only.
_CLOSED = frozenset("dropdown-menu modal offcanvas collapse tab-pane".split())
_OPENED = frozenset(
    "show in open opened active is-active is-open modal-open collapse-open dropdown-open current navbar-collapse"
    " d-block".split()
)
_BY_SCREEN = re.compile(r"(?:^|\s)(?:d-(?:sm|md|lg|xl|xxl)-|(?:sm|md|lg|xl|2xl):)")
_DETAILS, _SUMMARY, _DIALOG = tag_id("details"), tag_id("summary"), tag_id("dialog")
_LONGEST_KNOWN = 100  # characters of a class attribute whose result is cached
_CLOSED_LEVELS = 20  # how far up the closed part of an image may be
_FOOTERS = tag_ids("footer address")
_NAMED_FOOTER = re.compile(r"(?:^|[\s_-])footer(?:\s|$)", re.IGNORECASE)
_FOOTER_LEVELS = 12  # how far up the footer of an image may be
_MOST_BELOW = 60  # nodes below an image that are looked at
_NO_ADDRESS = "holder.js/"  # of an image that a script draws in the browser: "holder.js/300x200"
_LAZY_SOURCES = ("data-src", "data-lazy-src", "data-original")


def read_images(
    facts: PageFacts,
    found: list[tuple[int, LexborNode]],
    hidden: AbstractSet[int],
    resolver: Resolver,
    *,
    captioned: bool,
) -> None:
    """Fill ``images`` from the page's ``<img>`` elements, in order. ``captioned``: whether the page has a figure
    caption."""
    if not found:
        return
    alone: dict[int, bool] = {}  # link -> whether it shows only images
    captions: dict[int, str] = {}  # figure -> the caption of its image
    shown = 0  # images that visitors see at once
    for _, node in found[:MAX_IMAGES]:
        attributes = node.attributes
        alt: str | None = None
        if "alt" in attributes:
            alt = kept(attributes["alt"] or "", _MOST_ALT)
        width = _whole(attributes["width"]) if "width" in attributes else None
        height = _whole(attributes["height"]) if "height" in attributes else None
        ratio = False
        style = attributes.get("style")
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
            or attributes.get("role") in _DECORATIVE_ROLES
            or node.mem_id in hidden
        )
        content = False
        if not decorative and (not alt or is_file_name(alt) or says_nothing(alt)):
            content = _carries_content(node, attributes, alone, hidden)
        source = attributes.get("src")
        if not source or source[:5].lower() == "data:":
            source = _lazy_source(attributes)
        address = (resolver.resolve(source) if source else None) or ""
        if (width is None or height is None) and not ratio:
            classes = attributes.get("class")
            ratio = classes is not None and _SIZED_BY_CLASS.search(classes[:2000]) is not None
            ratio = ratio or (not decorative and _nothing_below(node))
        responsive = "srcset" in attributes or "data-srcset" in attributes
        caption = _caption(node, captions, hidden) if captioned else ""
        target = _target(node, resolver) if content else ""
        counts = not decorative and bool(address) and shown < FIRST_IMAGES
        closed = counts and _is_closed(node)
        shown += counts and not closed
        facts.images.append(
            Image(address, alt, width, height, decorative, content, ratio, responsive, caption, target, closed)
        )


def _whole(text: str | None) -> int | None:
    if text is None:
        return None
    if len(text) <= 5 and text.isascii() and text.isdigit():
        return int(text)
    match = _WHOLE.fullmatch(text[:40])
    return int(match[1]) if match else None


def _nothing_below(node: LexborNode) -> bool:
    """Whether nothing is below the image, or below the footer that it is in, so that its height moves nothing else."""
    last = current = node
    for _ in range(_FOOTER_LEVELS):
        parent = current.parent
        if parent is None or not parent.is_element_node:
            break
        current = parent
        if current.tag_id in _FOOTERS or _is_named_footer(current.attributes):
            last = current
    following = _after(last)
    for _ in range(_MOST_BELOW):
        if following is None:
            return True
        if following.tag_id == IMG or (following.tag_id == TEXT and (following.text_content or "").strip()):
            return False
        inner = following.first_child if following.tag_id not in UNREAD else None
        following = inner if inner is not None else _after(following)
    return False


def _is_closed(node: LexborNode) -> bool:
    """Whether the image is in a part that is closed at first, such as a menu or a dialog. It then moves nothing that a
    visitor sees."""
    current, below = node, node
    for _ in range(_CLOSED_LEVELS):
        parent = current.parent
        if parent is None or not parent.is_element_node:
            return False
        below, current = current, parent
        attributes = current.attributes
        if current.tag_id == _DETAILS and below.tag_id != _SUMMARY and "open" not in attributes:
            return True
        if (current.tag_id == _DIALOG and "open" not in attributes) or "popover" in attributes:
            return True
        classes = attributes.get("class")
        if classes and (_are_of_closed(classes) if len(classes) <= _LONGEST_KNOWN else _of_closed(classes)):
            return True
    return False


def _of_closed(classes: str) -> bool:
    """Whether these classes are those of a part that is closed at first."""
    names = frozenset(classes[:2000].lower().split())
    return not _CLOSED.isdisjoint(names) and _OPENED.isdisjoint(names) and _BY_SCREEN.search(classes) is None


# All pages of a website have the same classes.
_are_of_closed = lru_cache(maxsize=10_000)(_of_closed)


def _is_named_footer(attributes: dict[str, str | None]) -> bool:
    names = (attributes.get("id"), attributes.get("class"))
    return any(name is not None and _NAMED_FOOTER.search(name[:200]) is not None for name in names)


def _after(node: LexborNode) -> LexborNode | None:
    """Return the node that follows an element and everything in it."""
    current: LexborNode | None = node
    for _ in range(MAX_LEVELS):
        if current is None:
            break
        if current.next is not None:
            return current.next
        current = current.parent
    return None


def _lazy_source(attributes: dict[str, str | None]) -> str | None:
    """Return the address that a script puts in place of a ``data:`` placeholder or a missing address."""
    for name in _LAZY_SOURCES:
        lazy = attributes.get(name)
        if lazy and not lazy.startswith(_NO_ADDRESS):
            return lazy
    candidates = (attributes.get("srcset") or attributes.get("data-srcset") or "").split(None, 1)
    if candidates and candidates[0][:5].lower() != "data:":
        return candidates[0].rstrip(",")
    return None


def _caption(node: LexborNode, captions: dict[int, str], hidden: AbstractSet[int]) -> str:
    """Return the caption of the image's figure. If the figure has several images, the caption describes none of
    them."""
    figure = within(node, _FIGURES, _FIGURE_LEVELS)
    if figure is None:
        return ""
    if figure.mem_id not in captions:
        inside = list(islice(figure.traverse(), _MOST_INSIDE))
        texts = [one for one in inside if one.tag_id == _CAPTION and one.mem_id not in hidden]
        alone = sum(one.tag_id == IMG for one in inside) == 1 and len(texts) == 1
        captions[figure.mem_id] = kept(readable(texts[0], _MOST_CAPTION, hidden), _MOST_CAPTION) if alone else ""
    return captions[figure.mem_id]


def _target(node: LexborNode, resolver: Resolver) -> str:
    """Return the address to which the link of an image leads."""
    holder = within(node, _HOLDERS, _HOLDER_LEVELS)
    return "" if holder is None else resolver.resolve(holder.attributes.get("href") or "") or ""


def _leads_somewhere(link: dict[str, str | None]) -> bool:
    """Whether an ``<a>`` with these attributes leads to an address other than a place on its own page."""
    address = (link.get("href") or "").strip()
    return address[:1] not in ("", "#") and address[:11].lower() != "javascript:" and link.get("role") != "button"


def _carries_content(
    node: LexborNode, attributes: dict[str, str | None], alone: dict[int, bool], hidden: AbstractSet[int]
) -> bool:
    """Whether the image is the only content of a link. Call this only for images without a meaningful alternative text.

    An ``<a>`` that opens, closes or moves something on the page has no address, so it is not a link.
    """
    if attributes.get("aria-label") or attributes.get("title") or attributes.get("aria-labelledby"):
        return False
    holder = within(node, _HOLDERS, _HOLDER_LEVELS)
    if holder is None:
        return False
    key = holder.mem_id
    if key not in alone:
        named = holder.attributes
        inside = [inner for inner in islice(holder.traverse(), _MOST_INSIDE) if inner.tag_id == IMG]
        others = [image for image in inside if (image.attributes.get("alt") or "").strip()]
        alone[key] = not (
            named.get("aria-label")
            or named.get("aria-labelledby")
            or named.get("title")
            or (named.get("aria-hidden") or "").lower() == "true"
            or not _leads_somewhere(named)
            or len(others) > 1
            or readable(holder, 40, hidden)
        )
        if alone[key] and others and others[0].mem_id != node.mem_id:
            alone[key] = False  # another image names the link
    return alone[key]
