"""Makes markup bombs harmless before the parser sees them.

To build a tree by the HTML standard, a parser searches three lists again and again. At nearly every start tag it
searches the open elements. At each paragraph it searches the open formatting elements. At each new attribute it
searches the element's other attributes. A page of a few hundred kilobytes can therefore keep a parser busy for minutes
(measured: 200,000 nested ``<div>``, 85 s). Browsers limit the depth (Blink: 512) and ignore the tags beyond it, and so
does this module. Ordinary pages pass unchanged.
"""

import re
from collections import Counter
from typing import Final

import numpy as np

MAX_DEPTH: Final = 512
MAX_ATTRIBUTES: Final = 500
_MAX_FORMATTING: Final = 32  # formatting elements open at once: each is opened again in every later paragraph
_REOPENED_BUDGET: Final = 1_000_000  # elements that reopening may make

_SMALL: Final = 64_000  # characters: a shorter page with few tags cannot be a bomb
_LARGE: Final = 200_000
_SPARSE: Final = 500  # characters for each tag: one of them may be all attributes
_MANY_TAGS: Final = 10_000
_LONG_TAG: Final = 8_000
_MAX_ROOTS: Final = 20  # <html> and <body> tags
_MAX_NAMES: Final = 2_000  # of elements; looking up one more takes longer the more there are
_MAX_OPTIONS: Final = 500  # of one list: the parser searches them all for each new one

_OPENING: Final = ord("<")
_SLASH: Final = ord("/")
_TOKEN: Final = re.compile(r"<!--|<[!?]|</(?![a-zA-Z])|<(/?)([a-zA-Z][^ \t\n\f\r/>]*)")
_COMMENT_ENDS_AT_ONCE: Final = re.compile(r"-?>")
_COMMENT_END: Final = re.compile(r"--!?>")
_RAW: Final = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript")
}
_VOID: Final = frozenset("area base br col embed frame hr img input link meta param source track wbr".split())
_SELF_CLOSED: Final = re.compile(r"<([a-zA-Z][\w:.-]{0,60})((?:\s[^<>]{0,4000})?)/>")
# Elements that cannot pile up: void ones, and those that the next of their kind closes.
_FLAT: Final = frozenset(
    "a area base br col embed hr img input link meta param source track wbr p li dt dd option tr td th thead"
    " tbody tfoot colgroup caption html head body".split()
)
_FLAT_INSIDE: Final = {"optgroup": "select", "rb": "ruby", "rp": "ruby", "rt": "ruby", "rtc": "ruby"}
_FORMATTING: Final = frozenset("b big code em font i nobr s small strike strong tt u".split())
# One attribute with its value, or the end of the tag. Only the latter ends with ">": a value's ">" is inside quotes.
_STEP: Final = re.compile(
    r"[ \t\n\f\r/]*+(?:>|[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"
    r"(?:[ \t\n\f\r]*+=[ \t\n\f\r]*+(?:\"[^\"]*+\"|'[^']*+'|(?=>)|[^ \t\n\f\r>\"'][^ \t\n\f\r>]*+))?)"
)
_ATTRIBUTE: Final = re.compile(r"[^\s=>/]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>\"']+))?")


def tame(html: str, data: bytes) -> str:
    """Return ``html`` without the tags and attributes that exceed the limits on depth and number. Browsers ignore them
    too. If nothing exceeds them, returns the same object. Takes linear time. ``data``: the same HTML in UTF-8."""
    tags = tags_in(data)
    if tags <= MAX_DEPTH and len(html) < _SMALL:
        return html
    few = len(html) >= _SMALL and len(html) > _SPARSE * tags  # checking the attributes of few tags costs almost nothing
    if few or tags > _MANY_TAGS or len(html) > _LARGE or tags - 2 * closing_tags_in(data) > MAX_DEPTH:
        return _rebuilt(html, tags)
    return html


def tags_in(data: bytes) -> int:
    """Count ``<`` in the bytes of a page. Comparing many bytes at once is five times as fast as searching."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == _OPENING))


def closing_tags_in(data: bytes) -> int:
    """Count ``</`` in the bytes of a page."""
    letters = np.frombuffer(data, np.uint8)
    return int(np.count_nonzero((letters[:-1] == _OPENING) & (letters[1:] == _SLASH)))


def expand_self_closed(html: str) -> str:
    """Give every self-closed element of an XHTML page an end tag. For an HTML parser, an element like ``<script/>``
    would never end."""
    return _SELF_CLOSED.sub(_with_end_tag, html)


def _with_end_tag(match: re.Match[str]) -> str:
    name = match[1]
    return match[0] if name.lower() in _VOID else f"<{name}{match[2]}></{name}>"


def _end_of_tag(html: str, start: int) -> int:
    """Return the position after the ``>`` of the tag whose name ends at ``start``; the end of the text if it has none.

    A quotation mark protects ``>`` only if it begins a value, as in the HTML standard.
    """
    position = start
    while (step := _STEP.match(html, position)) is not None:
        position = step.end()
        if step[0].endswith(">"):
            return position
    return len(html)


def _fewer_attributes(tag: str) -> str:
    kept: list[str] = []
    for match in _ATTRIBUTE.finditer(tag):
        kept.append(match[0])
        if len(kept) > MAX_ATTRIBUTES:
            break
    return " ".join(kept) + ">"  # the first match is the tag's own "<name"


def _end_of_comment(html: str, match: re.Match[str]) -> int:
    """Return the position after a comment, or after text that the HTML standard treats as one."""
    at = match.end()
    if match[0] != "<!--":
        end = html.find(">", at)
        return end + 1 if end >= 0 else len(html)
    close = _COMMENT_ENDS_AT_ONCE.match(html, at) or _COMMENT_END.search(html, at)
    return close.end() if close is not None else len(html)


def _rebuilt(html: str, tags: int) -> str:
    formatting_room = max(3, min(_MAX_FORMATTING, _REOPENED_BUDGET // max(tags, 1)))
    pieces: list[str] = []
    done = 0  # everything before this position is in pieces
    position = 0
    depth = 0
    formatting = 0
    roots = 0
    options = 0
    names: set[str] = set()
    dropped: Counter[str] = Counter()
    opened: Counter[str] = Counter()
    search = _TOKEN.search
    while True:
        match = search(html, position)
        if match is None:
            break
        name = match[2]
        if name is None:
            position = _end_of_comment(html, match)
            continue
        name = name.lower()
        start = match.start()
        if match[1]:
            position = match.end()
            if name in _FLAT or (name in _FLAT_INSIDE and opened[_FLAT_INSIDE[name]]):
                continue
            if name == "select":
                options = 0
            if dropped[name]:
                dropped[name] -= 1
                position = _end_of_tag(html, position)
                pieces.append(html[done:start])
                done = position
            elif opened[name]:
                opened[name] -= 1
                depth -= 1
                if name in _FORMATTING:
                    formatting -= 1
            continue
        end = _end_of_tag(html, match.end())
        position = end
        in_drawing = opened["svg"] or opened["math"]  # elements inside have no raw text, and may close themselves
        if name in _RAW and not in_drawing:
            close = _RAW[name].search(html, end)
            if close is None:
                break
            position = close.start()
            opened[name] += 1
            depth += 1
            continue
        if name == "html" or name == "body":  # a later one only adds its attributes to the first
            roots += 1
            if roots > _MAX_ROOTS:
                pieces.append(html[done:start])
                done = end
        elif name == "option":
            options += 1
            if options > _MAX_OPTIONS:
                pieces.append(html[done:start])
                done = end
        elif name == "select" and opened["select"]:
            pass  # it closes the one that is open
        elif name in _FLAT_INSIDE and opened[_FLAT_INSIDE[name]]:
            pass
        elif name not in _FLAT and not (in_drawing and html[end - 2 : end] == "/>"):
            light = name in _FORMATTING
            if len(names) < _MAX_NAMES:
                names.add(name)
            if depth >= MAX_DEPTH or (light and formatting >= formatting_room) or name not in names:
                dropped[name] += 1
                pieces.append(html[done:start])
                done = end
                continue
            opened[name] += 1
            depth += 1
            formatting += light
        if end - start > _LONG_TAG and done < end:
            pieces.append(html[done:start])
            pieces.append(_fewer_attributes(html[start : end - 1]))
            done = end
    if not pieces:
        return html
    pieces.append(html[done:])
    return "".join(pieces)
