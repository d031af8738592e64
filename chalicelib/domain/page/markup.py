"""Helpers for extractors: tag numbers, spans of subtrees, hidden parts, readable text.

Every call from Python into the parser costs about 40 ns. Elements are therefore read in one pass and distinguished by
number. Nothing here is recursive, because elements may be nested 10,000 levels deep.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import dropwhile, islice
from operator import attrgetter
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

_FACTORY: Final = LexborHTMLParser("")


def tag_id(name: str) -> int:
    """Return the number that the parser uses for a tag name. For tag names of HTML, it is the same in every
    document."""
    return _FACTORY.create_node(name).tag_id


def tag_ids(names: str) -> frozenset[int]:
    return frozenset(map(tag_id, names.split()))


_SAMPLE: Final = LexborHTMLParser("<p>x<!--x-->").css("p")[0]
TEXT: Final[int] = next(node.tag_id for node in _SAMPLE.iter(include_text=True) if node.is_text_node)
COMMENT: Final[int] = next(node.tag_id for node in _SAMPLE.traverse() if node.is_comment_node)
IMG: Final = tag_id("img")
ANCHOR: Final = tag_id("a")
SVG: Final = tag_id("svg")
PARAGRAPH: Final = tag_id("p")
BOX: Final = tag_id("div")

# Elements that do not break a line: text on both sides of their edges belongs to one word or sentence.
INLINE: Final = tag_ids(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q ruby rb s samp small span"
    " strike strong sub sup time tt u var wbr"
)
# The parser numbers the elements that it does not know above all others.
_LARGEST_KNOWN: Final = 1_000
# Elements whose text no visitor reads as text of the page.
UNREAD: Final = tag_ids(
    "script style noscript template svg math iframe noembed noframes object audio video canvas select textarea"
    " datalist head title"
)
_PARAGRAPHS: Final = frozenset((PARAGRAPH, BOX))  # text in a box without inner boxes is a paragraph as well
# Boxes in which old pages put their text without a paragraph around it.
_HOLDERS: Final = tag_ids("body main article section center div p")
_HEADINGS: Final = tag_ids("h1 h2 h3 h4 h5 h6")
_MOST_HEADINGS: Final = 40  # whose words are looked at
_LONGEST_HEADING: Final = 60  # characters that are kept
_CODES: Final = tag_ids("code samp kbd tt")
_PRE: Final = tag_id("pre")
SHORTEST_BLOCK: Final = 20  # characters of text directly in a box: less is no sentence
_LONGEST_NAME: Final = 40  # characters of code inside a sentence: more is a sample
_MOST_UNCLOSED: Final = 10
_BLOCKS: Final = "p,div,h1,h2,h3,h4,h5,h6,ul,ol,dl,table"
SAMPLE: Final = "\x1a"  # replaces a code sample in a block; such a block is no sentence
# Replaces hidden words of a line. It is white space, so it disappears when the spaces of a text are normalised.
UNSHOWN: Final = "\x1c"
_ENDING_NO_LINE: Final = INLINE | {COMMENT}
_WITHIN_LINES: Final = tag_ids("br img")  # break a line or are part of one, but end no paragraph
MAX_LEVELS: Final = 64  # levels that are searched; only abnormal documents have more

_PAGE: Final = tag_ids("html body")
_MOST_CLIMBED: Final = 256  # levels
_SMALL_SPAN: Final = 64  # nodes; walking a smaller subtree costs less than a binary search for its end

_LEAST_FROM_START: Final = 200  # characters that follow the element at which a text begins
_MOST_STEPS: Final = 500  # nodes that may be visited for one text, in addition to one for each character
_mem_id: Final = attrgetter("mem_id")
# Selectors of hidden parts, by the feature that ``prefilter`` finds.
_HIDING: Final = {
    "hidden": "[hidden]",
    "aria_hidden": '[aria-hidden="true"]',
    "display": '[style*="display"]',
    "hiding_class": '[class~="d-none"]',
}
# Bootstrap's class that shows nothing; one of the others beside it shows the element on wider screens.
_HIDING_CLASS: Final = "d-none"
_SHOWING_CLASS: Final = re.compile(r"(?:^|\s)d-(?:sm|md|lg|xl|xxl)-(?!none(?:\s|$))")


class Spans:
    """The spans of some elements, each as first and last position in document order. An element inside another one has
    no separate span. Construction never takes quadratic time.

    - ``found``: the elements, in document order.
    - ``among``: further elements, including ``found``. If it is given, a span ends at the last of these elements inside
      it. This is faster, because no subtree is searched. ``end_of`` then accepts only these elements.
    """

    __slots__ = ("ends", "nodes", "starts")

    def __init__(
        self, found: Iterable[tuple[int, LexborNode]], among: Sequence[tuple[int, LexborNode]] | None = None
    ) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.nodes: list[LexborNode] = []
        end = -1
        for position, node in found:
            if position > end:  # an inner one lies within the span before it
                end = _end(position, node) if among is None else _end_among(position, node, among)
                self.starts.append(position)
                self.ends.append(end)
                self.nodes.append(node)

    def __contains__(self, position: int) -> bool:
        at = bisect_right(self.starts, position) - 1
        return at >= 0 and position <= self.ends[at]

    def end_of(self, position: int, node: LexborNode) -> int:
        """Return the last position of the element at ``position``, even if the element is inside another one."""
        at = bisect_right(self.starts, position) - 1
        if at >= 0 and self.starts[at] == position:
            return self.ends[at]
        return _end(position, node)


def _end(position: int, node: LexborNode) -> int:
    return position + len([None for _ in node.traverse()]) - 1


def _end_among(position: int, node: LexborNode, among: Sequence[tuple[int, LexborNode]]) -> int:
    """Return the position of the last of these elements that is ``node`` or inside it. Its descendants follow it
    without a gap, so a binary search checks the ancestors of a few elements. Only a small or a very deep element is
    walked."""
    inside = len(list(islice(node.traverse(), _SMALL_SPAN)))
    if inside < _SMALL_SPAN:
        return position + inside - 1
    key = node.mem_id
    low, high = bisect_left(among, position, key=_position), len(among)  # ``low`` is inside, ``high`` is not
    step = 1
    while high - low > 1:
        asked = min(low + step, (low + high) // 2)
        verdict = _is_inside(among[asked][1], key)
        if verdict is None:
            return _end(position, node)
        if verdict:
            low = asked
            step *= 2
        else:
            high = asked
    return among[low][0]


def _position(item: tuple[int, LexborNode]) -> int:
    return item[0]


def _is_inside(node: LexborNode, ancestor: int) -> bool | None:
    """Whether the element with this ``mem_id`` is an ancestor of a node; None if too many levels had to be climbed to
    decide."""
    current = node.parent
    for _ in range(_MOST_CLIMBED):
        if current is None:
            return False
        if current.mem_id == ancestor:
            return True
        current = current.parent
    return None


def _hides(attributes: dict[str, str | None]) -> bool:
    if "hidden" in attributes:
        return attributes["hidden"] != "until-found"
    if attributes.get("aria-hidden") == "true":
        return True
    classes = attributes.get("class") or ""
    if _HIDING_CLASS in classes.split() and _SHOWING_CLASS.search(classes) is None:
        return True
    return "display:none" in (attributes.get("style") or "").replace(" ", "").lower()


class Hidden:
    """The hidden parts of a page, with everything inside them. A part is hidden by ``hidden``, ``aria-hidden``, an
    inline style or a class.

    A hidden ``<body>`` hides nothing, because a script shows it later. ``seen``: the result of ``prefilter`` for the
    page. With it, selectors that cannot match are skipped, since each takes up to a tenth of the time for parsing.
    """

    __slots__ = ("inside", "roots")

    def __init__(self, root: LexborNode, seen: AbstractSet[str]) -> None:
        self.roots: list[LexborNode] = []  # the outermost hidden elements
        self.inside: set[int] = set()  # mem_id of every hidden element
        query = ",".join(_HIDING[name] for name in _HIDING if name in seen)
        # Many pages, such as those with icons, use only aria-hidden: then every element with it is hidden.
        certain = query == _HIDING["aria_hidden"]
        inside = self.inside
        for node in root.css(query) if query else ():
            if node.mem_id in inside or node.tag_id in _PAGE:
                continue
            if certain or _hides(node.attributes):
                self.roots.append(node)
                inside.update(map(_mem_id, node.traverse()))

    def take_out(self) -> None:
        """Remove the hidden parts.

        If words inside a line are removed, ``UNSHOWN`` takes their place, since the rest of the sentence may be broken.
        Parts that are hidden only from screen readers are icons and signs. They are removed without a replacement.
        """
        for node in self.roots:
            if (
                node.tag_id in INLINE
                and node.parent is not None
                and "aria-hidden" not in node.attributes
                and any(map(str.isalpha, node.text()))
            ):
                node.replace_with(UNSHOWN)
            else:
                node.decompose(False)


def within(node: LexborNode, tags: frozenset[int], steps: int) -> LexborNode | None:
    """Return the nearest ancestor with one of ``tags``, at most ``steps`` levels up; None if there is none."""
    current = node.parent
    while current is not None and steps > 0:
        if current.tag_id in tags:
            return current
        current = current.parent
        steps -= 1
    return None


def readable(
    node: LexborNode, limit: int, hidden: AbstractSet[int], *, alt: bool = False, unread: frozenset[int] = UNREAD
) -> str:
    """Return the visible text of a subtree as a person reads it: at most ``limit`` characters, with single spaces.

    Line-breaking elements separate words, inline ones do not. Hidden parts, scripts and drawings are left out.

    - ``alt``: whether alternative texts replace images, and titles replace drawings.
    - ``unread``: the elements whose text is left out.
    """
    only = node.first_child
    if only is None:
        return ""
    if only.tag_id == TEXT and only.next is None:
        return " ".join((only.text_content or "").split())[:limit].rstrip()
    pieces: list[str] = []
    size = 0
    steps = _MOST_STEPS + limit
    breaks: list[bool] = []  # of the open elements: whether leaving one breaks the line
    current: LexborNode | None = only
    while current is not None and size <= limit and steps > 0:
        steps -= 1
        tag = current.tag_id
        if tag == TEXT:
            piece = current.text_content or ""
            pieces.append(piece)
            size += len(piece.strip())
        elif tag == COMMENT or (hidden and current.mem_id in hidden):
            pass
        elif tag == IMG:
            if alt:
                pieces.append(f" {current.attributes.get('alt') or ''} ")
        elif tag == SVG and alt:
            drawing = current.css_first("title")
            pieces.append(f" {drawing.text() if drawing is not None else ''} ")
        elif tag not in unread:
            line = tag not in INLINE and not (tag > _LARGEST_KNOWN and _is_invented(current))
            if line:
                pieces.append(" ")
            child = current.first_child
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
    return " ".join("".join(pieces).split())[:limit].rstrip()


def written_text(node: LexborNode, limit: int) -> str:
    """Return the text of a subtree as written, including hidden parts: at most ``limit`` characters, with single
    spaces."""
    pieces: list[str] = []
    size = 0
    for inner in islice(node.traverse(include_text=True), _MOST_STEPS + limit):
        if inner.tag_id == TEXT:
            piece = inner.text_content or ""
            pieces.append(piece)
            size += len(piece.strip())
            if size > limit:
                break
    return " ".join("".join(pieces).split())[:limit].rstrip()


class Block(NamedTuple):
    """A ``<p>`` element, or text directly in a container element such as ``<div>``. A block contains no other block.

    - ``node``: the element that holds it.
    - ``pieces``: its text, including names marked as code.
    - ``section``: the number of headings before it.
    - ``heading``: the last of these headings; "" before the page's second heading.
    """

    node: LexborNode
    pieces: list[str]
    section: int
    heading: str


def leading_text(
    node: LexborNode,
    limit: int,
    paragraphs: list[Block] | None = None,
    start: LexborNode | None = None,
) -> str:
    """Return the start of a subtree's text, with single spaces: at least ``limit`` characters if the text has that
    many.

    The text is that of ``readable``, with one difference: only code is left out. So remove other unwanted parts first.

    - ``paragraphs``: a list to which the function adds the blocks of text (``Block``) that it reads.
    - ``start``: an element to begin at. The text before it is used only if hardly any text follows.
    """
    found: list[Block] = []
    nodes = node.traverse(include_text=True, skip_empty=True)
    if start is not None:
        wanted = start.mem_id
        nodes = dropwhile(lambda current: current.mem_id != wanted, nodes)
    text = _leading(nodes, limit, found)
    if start is not None and len(text) < _LEAST_FROM_START:
        found.clear()
        text = _leading(node.traverse(include_text=True, skip_empty=True), limit, found)
    if paragraphs is not None:
        paragraphs.extend(found)
    return text


def _leading(found: Iterable[LexborNode], limit: int, paragraphs: list[Block]) -> str:
    nodes = iter(found)
    pieces: list[str] = []
    own: list[str] = []  # of the block that is being read
    opened: LexborNode | None = None  # the paragraph or box that holds it, or else:
    begun: list[tuple[LexborNode, int]] = []  # texts that may be the first, with their places in ``own``
    size = section = 0
    heading = ""
    broken = True  # white space or the edge of a line precedes the next text
    code_in_line = _CodeInLine()
    for current in nodes:
        tag = current.tag_id
        if tag == TEXT:
            piece = current.text_content
            if not piece:
                continue
            if opened is None:
                begun.append((current, len(own)))
            if not (broken or piece[0].isspace()) and _apart(current):
                pieces.append(" ")
                own.append(" ")
            pieces.append(piece)
            own.append(piece)
            size += len(piece.strip())
            if size > limit:
                break
            broken = piece[-1].isspace()
            continue
        if tag in _CODES:
            name = code_in_line(current)
            if name:
                if opened is None:
                    begun.append((current, len(own)))
                if not broken and _apart(current):
                    own.append(" ")
                own.append(name)
                broken = False
                _skip(current, nodes)
            continue
        if tag in _ENDING_NO_LINE or (tag > _LARGEST_KNOWN and _is_invented(current)):
            continue
        is_paragraph = tag in _PARAGRAPHS
        if is_paragraph or own or not broken or opened is not None:
            if not broken:
                pieces.append(" ")
                own.append(" ")
                broken = True
            if is_paragraph or tag not in _WITHIN_LINES:
                if own:
                    _close(paragraphs, opened, begun, own, section, heading)
                    own = []
                opened = current if is_paragraph else None
                begun = []
        if tag in _HEADINGS:
            section += 1
            heading = written_text(current, _LONGEST_HEADING) if 1 < section <= _MOST_HEADINGS else ""
        elif tag == _PRE:
            _skip(current, nodes)
    if own:
        _close(paragraphs, opened, begun, own, section, heading)
    return " ".join("".join(pieces).split())


def _close(
    paragraphs: list[Block],
    opened: LexborNode | None,
    begun: Sequence[tuple[LexborNode, int]],
    own: list[str],
    section: int,
    heading: str,
) -> None:
    """Store a finished block. If the element that holds it is unknown, the block begins with the first text that is
    directly in a ``<div>``. This text is searched only if the block is long enough to matter."""
    if opened is None:
        if sum(map(len, own)) < SHORTEST_BLOCK:
            return
        for node, at in begun:
            opened = _holder(node)
            if opened is not None:
                own = own[at:]
                break
        else:
            return
    paragraphs.append(Block(opened, own, section, heading))


class _CodeInLine:
    """Replaces an element of code inside a sentence: returns its text if it is a name, ``SAMPLE`` for a sample, and ""
    if the element was never closed.

    A code element that was never closed contains the rest of the page. Only a few elements are checked for this,
    because a check costs as much as walking the element.
    """

    def __init__(self) -> None:
        self._left = _MOST_UNCLOSED

    def __call__(self, code: LexborNode) -> str:
        text = code.text()
        if 0 < len(text) <= _LONGEST_NAME:
            return text
        if self._left > 0 and code.css_first(_BLOCKS) is not None:
            self._left -= 1
            return ""
        return SAMPLE if text else " "


def before(node: LexborNode) -> LexborNode | None:
    """Return the sibling before a node, other than blank text."""
    found = node.prev
    while found is not None and found.tag_id == TEXT and not (found.text_content or "").strip():
        found = found.prev
    return found


def _is_invented(node: LexborNode) -> bool:
    """Whether the page invented the element, as in "<v>push</v>". Browsers show it inside the line. The hyphen of
    another one's name says that a script or a style sheet may show it as a box.

    Loops over all elements compare the number themselves, which saves nearly all calls."""
    return node.tag_id > _LARGEST_KNOWN and "-" not in (node.tag or "-")


def _skip(node: LexborNode, nodes: Iterator[LexborNode]) -> None:
    """Skip the descendants of a node that was just met."""
    inside = len([None for _ in node.traverse(include_text=True, skip_empty=True)]) - 1
    next(islice(nodes, inside, inside), None)


def _holder(text: LexborNode) -> LexborNode | None:
    """Return the ``<div>`` that directly contains a text; None if a heading, a list item, a cell or a similar element
    does."""
    current = text.parent
    for _ in range(MAX_LEVELS):
        if current is None or not (current.tag_id in INLINE or _is_invented(current)):
            break
        current = current.parent
    return current if current is not None and current.tag_id in _HOLDERS else None


def _apart(text: LexborNode) -> bool:
    """Whether white space, or the end of a line-breaking element, separates this text from the text before it.

    Callers know that no line-breaking element begins between the two.
    """
    current: LexborNode | None = text
    previous: LexborNode | None = None
    for _ in range(MAX_LEVELS):
        if current is None:
            return True
        previous = current.prev
        if previous is not None:
            break
        current = current.parent
    for _ in range(MAX_LEVELS):
        if previous is None:
            return False
        if previous.tag_id == TEXT:
            return (previous.text_content or " ")[-1].isspace()
        if previous.tag_id not in _ENDING_NO_LINE and not _is_invented(previous):
            return True
        previous = previous.last_child
    return True
