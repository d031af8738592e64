"""The parsed document as the extractors see it: tag numbers, spans of subtrees, hidden parts, readable text.

Every crossing from Python into the parser costs about 40 ns, so elements are read in one pass and told apart by
number. Nothing here recurses: documents may be nested 10,000 levels deep.
"""

from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

_FACTORY: Final = LexborHTMLParser("")


def tag_id(name: str) -> int:
    """The parser's number of a tag name; the same in every document for the names HTML knows."""
    return _FACTORY.create_node(name).tag_id


def tag_ids(names: str) -> frozenset[int]:
    return frozenset(map(tag_id, names.split()))


_SAMPLE: Final = LexborHTMLParser("<p>x<!--x-->").css("p")[0]
TEXT: Final[int] = next(node.tag_id for node in _SAMPLE.iter(include_text=True) if node.is_text_node)
COMMENT: Final[int] = next(node.tag_id for node in _SAMPLE.traverse() if node.is_comment_node)
IMG: Final = tag_id("img")
ANCHOR: Final = tag_id("a")
FIGURE: Final = tag_id("figure")
SVG: Final = tag_id("svg")

# Elements that do not break a line: text on both sides of their edges belongs to one word or sentence.
INLINE: Final = tag_ids(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q ruby rb s samp small span"
    " strike strong sub sup time tt u var wbr"
)
# Elements whose text no visitor reads as text of the page.
UNREAD: Final = tag_ids(
    "script style noscript template svg math iframe noembed noframes object audio video canvas select textarea"
    " datalist head title"
)
CODE: Final = tag_ids("code pre samp kbd")

_MOST_STEPS = 4000  # nodes one readable text may cost, whatever the document
_HIDING_STYLES = ("display:none", "visibility:hidden")


class Spans:
    """Where the outermost of some elements begin and end, as positions in document order. Never quadratic."""

    __slots__ = ("ends", "nodes", "starts")

    def __init__(self, found: Iterable[tuple[int, LexborNode]]) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.nodes: list[LexborNode] = []
        end = -1
        for position, node in found:
            if position > end:  # an inner one lies within the span before it
                end = position + sum(1 for _ in node.traverse()) - 1
                self.starts.append(position)
                self.ends.append(end)
                self.nodes.append(node)

    def __contains__(self, position: int) -> bool:
        at = bisect_right(self.starts, position) - 1
        return at >= 0 and position <= self.ends[at]


def hides(attributes: dict[str, str | None]) -> bool:
    """Whether an element with these attributes is hidden: ``hidden``, ``aria-hidden``, inline ``display:none``."""
    if "hidden" in attributes:
        return attributes["hidden"] != "until-found"
    if (attributes.get("aria-hidden") or "").strip().lower() == "true":
        return True
    style = attributes.get("style")
    if style:
        style = style.replace(" ", "").lower()
        return any(hiding in style for hiding in _HIDING_STYLES)
    return False


class Visibility:
    """Answers whether an element, or anything it stands in, is hidden; every ancestor is asked once."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[int, bool] = {}

    def hidden(self, node: LexborNode) -> bool:
        known = self._known
        chain: list[tuple[int, LexborNode]] = []
        current: LexborNode | None = node
        answer = False
        while current is not None and current.is_element_node:
            key = current.mem_id
            if key in known:
                answer = known[key]
                break
            chain.append((key, current))
            current = current.parent
        for key, current in reversed(chain):
            answer = answer or hides(current.attributes)
            known[key] = answer
        return answer


def within(node: LexborNode, tags: frozenset[int], steps: int) -> LexborNode | None:
    """The nearest ancestor with one of ``tags``, looking at most ``steps`` levels up."""
    current = node.parent
    while current is not None and steps > 0:
        if current.tag_id in tags:
            return current
        current = current.parent
        steps -= 1
    return None


def readable(node: LexborNode, limit: int, *, skip: frozenset[int] = UNREAD, alt: bool = False) -> str:
    """The visible text of a subtree as a person reads it: at most about ``limit`` characters, one space.

    Line-breaking elements separate words, inline ones do not; hidden parts and ``skip`` are left out. ``alt``
    puts the alternative texts of images (and the titles of drawings) in their place.
    """
    only = node.first_child
    if only is None:
        return ""
    if only.tag_id == TEXT and only.next is None:
        return " ".join((only.text_content or "").split())[:limit].rstrip()
    pieces: list[str] = []
    size = 0
    steps = _MOST_STEPS
    breaks: list[bool] = []  # of the open elements: whether leaving one breaks the line
    current: LexborNode | None = only
    while current is not None and size <= limit and steps > 0:
        steps -= 1
        tag = current.tag_id
        child = None
        if tag == TEXT:
            piece = current.text_content or ""
            pieces.append(piece)
            size += len(piece.strip())
        elif tag == IMG:
            piece = (current.attributes.get("alt") or "") if alt else ""
            pieces.append(f" {piece} ")
            size += len(piece)
        elif tag == SVG and alt:
            drawing = current.css_first("title")
            pieces.append(f" {drawing.text(deep=True) if drawing is not None else ''} ")
        elif tag != COMMENT and tag not in skip and not hides(current.attributes):
            child = current.first_child
            line = tag not in INLINE
            if line:
                pieces.append(" ")
            if child is not None:
                breaks.append(line)
                current = child
                continue
        following = current.next
        while following is None and breaks:
            if breaks.pop():
                pieces.append(" ")
            current = current.parent
            if current is None:
                break
            following = current.next
        current = following
    text = " ".join("".join(pieces).split())
    return text if len(text) <= limit else text[:limit].rstrip()
