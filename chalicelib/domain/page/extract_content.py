"""Finds what a page shows beside the text of its main element: players, frames, drawings, elements that scripts fill,
and paragraphs that follow the main element."""

import re
from collections.abc import Set as AbstractSet
from typing import Final

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.markup import MAX_LEVELS, tag_id, tag_ids, within
from chalicelib.domain.page.tree import Found

_AROUND_THE_CONTENT: Final = tag_ids("nav header footer aside dialog")
# In ids and classes of boxes that are around the content, or above it.
_BESIDE_THE_CONTENT: Final = re.compile(
    r"(?:^|[\s_-])(?:header|logo|banner|foot(?:er)?|cookies?|consent|dialog|modal|popup|newsletter|fb-root)(?:[\s_-]|$)",
    re.IGNORECASE,
)
_PARTS: Final = tag_ids("frame source")  # of a frameset, of a player
_BOXES: Final = tag_ids("div section p pre ul ol table tbody")
_PAGE: Final = tag_ids("html body")  # their classes are about everything
_PARAGRAPH: Final = tag_id("p")
_FORM: Final = tag_ids("form")
_FOLLOWING: Final = tag_ids("h1 h2 h3 p")
_MOST_FOLLOWING: Final = 200  # headings and paragraphs that are looked at
_MOST_LOOKED_AT: Final = 20  # elements, of either kind
LEAST_OF_MAIN: Final = 30  # words: a main element with fewer may be only the page's opening
_FEW_WORDS: Final = 200  # more words are content without anything beside them
_LEAST_FILLED_IN: Final = 20  # characters in a text field; fewer are a hint or a greeting
# An element that a script looks up: getElementById("map"), querySelector("#map"), $("#map").
_LOOKED_UP: Final = re.compile(r"""(?:getElementById\(|querySelector\(|\$\()\s?["']#?([\w-]{1,60})["']""")
_LONGEST_HTML: Final = 200_000  # characters searched for such scripts
LEAST_PICTURE: Final = 40_000  # pixels, as 200 by 200
_LEAST_SIDE: Final = 10  # pixels; smaller frames and players count visits and show nothing
_NO_SIDE: Final = re.compile(r"\b(?:width|height)\s?:\s?0", re.IGNORECASE)
# Highlighting scripts load the example that the attribute names.
_LOADED_CODE: Final = "pre[data-src]"
_FIELDS: Final = "input:not([type=hidden]):not([type=submit]):not([type=button]):not([type=reset]):not([type=image])"
_LEAST_FIELDS: Final = 2  # a search or a newsletter has one
_NAMING: Final = ("id", "name", "class", "action")
_NONE: Final = frozenset[int]()
_COMMENT: Final = "comment"  # in names of the form below an article
_LEAST_HEADINGS: Final = 2
_LEAST_FOLLOWING: Final = 200  # characters in paragraphs


def embeds(found: dict[str, Found], main: LexborNode | None, html: str, hidden: AbstractSet[int]) -> bool:
    """Whether the content shows something to look at or to use beside its text (see ``PageFacts.embeds``).

    If the page has a main element, only what is inside it counts.
    """
    shown = [node for kind in ("canvases", "frames", "media") for _, node in found[kind] if node.tag_id not in _PARTS]
    kept = [node for node in shown[:_MOST_LOOKED_AT] if not _is_tiny(node)]
    if found["fields"]:
        kept += _filled_in([node for _, node in found["fields"][:_MOST_LOOKED_AT]], html)
    return any(_is_content(node, main, hidden) for node in kept[:_MOST_LOOKED_AT])


def _is_content(node: LexborNode, main: LexborNode | None, hidden: AbstractSet[int]) -> bool:
    """Whether an element is shown, is inside ``main`` if that is given, and is in no box around the content: a footer,
    a dialog, a notice about cookies. What is around ``main`` does not matter."""
    if node.mem_id in hidden:
        return False
    current: LexborNode | None = node
    for _ in range(MAX_LEVELS):
        if current is None or not current.is_element_node or current.tag_id in _PAGE:
            break
        if main is not None and current.mem_id == main.mem_id:
            return True
        if current.tag_id in _AROUND_THE_CONTENT:
            return False
        attributes = current.attributes
        names = " ".join(filter(None, (attributes.get("id"), attributes.get("class"))))
        if names and _BESIDE_THE_CONTENT.search(names[:300]) is not None:
            return False
        current = current.parent
    return main is None


def _filled_in(fields: list[LexborNode], html: str) -> list[LexborNode]:
    """Return the text fields that contain a text, or that a script of the page fills in or turns into an editor.

    Fields for comments do not count.
    """
    looked_up = _looked_up(html)
    return [
        node
        for node in fields
        if (len(node.text().strip()) >= _LEAST_FILLED_IN or node.attributes.get("id") in looked_up)
        and not _is_for_comments(node)
    ]


def _is_for_comments(node: LexborNode) -> bool:
    """Whether a form, or the form of a field, or the field itself is named after comments."""
    parts = (node, within(node, _FORM, MAX_LEVELS))
    named = [part.attributes.get(name) or "" for part in parts if part is not None for name in _NAMING]
    return _COMMENT in " ".join(named).lower()


def _looked_up(html: str) -> AbstractSet[str | None]:
    """Return the ids of elements that scripts in the page look up, at most 20."""
    found = _LOOKED_UP.finditer(html, 0, _LONGEST_HTML)
    return {match[1] for match, _ in zip(found, range(_MOST_LOOKED_AT), strict=False)}


def shows_more(main: LexborNode | None, source: LexborNode, html: str, words: int, has_scripts: bool) -> bool:
    """Whether the content with so few ``words`` has a form, or something that scripts add (``PageFacts.embeds``).

    Without a main element, forms and empty elements may belong to the website, such as a notice about cookies.
    ``source``: the element from which the text is read.
    """
    if words < _FEW_WORDS and "data-src" in html and source.css_first(_LOADED_CODE) is not None:
        return True
    if words >= LEAST_OF_MAIN:
        return False
    if any(_is_large(image) and _is_content(image, main, _NONE) for image in source.css("img")[:_MOST_LOOKED_AT]):
        return True
    return main is not None and (_has_form(main) or (has_scripts and _is_filled_by_script(main, html)))


def _is_large(image: LexborNode) -> bool:
    """Whether the HTML gives an image so many pixels that it is a picture and no icon or button."""
    sides = [(image.attributes.get(name) or "").strip() for name in ("width", "height")]
    if not all(side.isascii() and side.isdigit() for side in sides):
        return False
    return int(sides[0][:6]) * int(sides[1][:6]) >= LEAST_PICTURE


def _has_form(main: LexborNode) -> bool:
    """Whether the content has a form with several fields, such as a registration. Comment forms do not count."""
    return any(
        not _is_for_comments(form) and len(form.css(_FIELDS)) >= _LEAST_FIELDS
        for form in main.css("form")[:_MOST_LOOKED_AT]
    )


def _is_filled_by_script(main: LexborNode, html: str) -> bool:
    """Whether an element of the content is empty, and a script in the page looks it up."""
    for name in _looked_up(html):
        node = main.css_first(f'[id="{name}"]')
        if node is not None and node.tag_id in _BOXES and not node.text().strip() and _is_content(node, None, _NONE):
            return True
    return False


def _is_tiny(node: LexborNode) -> bool:
    attributes = node.attributes
    sides = ((attributes.get(name) or "").strip() for name in ("width", "height"))
    if any(side.isascii() and side.isdigit() and int(side[:6]) < _LEAST_SIDE for side in sides):
        return True
    return _NO_SIDE.search((attributes.get("style") or "")[:500]) is not None


def is_followed(main: LexborNode, body: LexborNode, hidden: AbstractSet[int], characters: int) -> bool:
    """Whether a main element of ``characters`` is only the page's opening: at least two headings of chapters, and
    paragraphs that say more, come after it. Footers, dialogs and notices about cookies are no such part."""
    inside = {node.mem_id for node in main.traverse()}
    least = max(_LEAST_FOLLOWING, characters)
    following = chapters = looked_at = 0
    for node in body.traverse():
        if node.mem_id in inside:
            looked_at = 1
        elif looked_at and node.tag_id in _FOLLOWING and looked_at <= _MOST_FOLLOWING:
            looked_at += 1
            if not _is_content(node, None, hidden):
                continue
            if node.tag_id != _PARAGRAPH:
                chapters += 1
            elif following < least:  # paragraphs may be nested, each containing all of the next
                following += len(node.text().strip())
    return chapters >= _LEAST_HEADINGS and following >= least
