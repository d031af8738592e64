"""Finds what a page shows beside the text of its main element: players, frames, drawings, elements that scripts fill,
and paragraphs that follow the main element."""

import re
from collections.abc import Set as AbstractSet
from typing import Final

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.markup import MAX_LEVELS, tag_ids, within
from chalicelib.domain.page.tree import Found

_AROUND_THE_CONTENT: Final = tag_ids("nav header footer aside")
_PARTS: Final = tag_ids("frame source")  # of a frameset, of a player
_BOXES: Final = tag_ids("div section p pre ul ol table tbody span main")
_MOST_LOOKED_AT: Final = 20  # elements, of either kind
LEAST_OF_MAIN: Final = 30  # words: a main element with fewer may be only the page's opening
_FEW_WORDS: Final = 200  # more words are content without anything beside them
_LEAST_FILLED_IN: Final = 20  # characters in a text field; fewer are a hint or a greeting
# An element that a script looks up: getElementById("map"), querySelector("#map"), $("#map").
_LOOKED_UP: Final = re.compile(r"""(?:getElementById\(|querySelector\(|\$\()\s?["']#?([\w-]{1,60})["']""")
_LONGEST_HTML: Final = 200_000  # characters searched for such scripts
_LEAST_SIDE: Final = 10  # pixels; smaller frames and players count visits and show nothing
# Highlighting scripts load the example that the attribute names.
_LOADED_CODE: Final = "pre[data-src]"
_FIELDS: Final = "input:not([type=hidden]):not([type=submit]):not([type=button]):not([type=reset]):not([type=image])"
_LEAST_FIELDS: Final = 2  # a search or a newsletter has one
_MOST_PARAGRAPHS: Final = 100  # they may be nested, each containing all of the next
_LEAST_HEADINGS: Final = 2
_LEAST_FOLLOWING: Final = 200  # characters in paragraphs


def embeds(found: dict[str, Found], html: str, hidden: AbstractSet[int]) -> bool:
    """Whether the content shows something to look at or to use beside its text (see ``PageFacts.embeds``)."""
    shown = [node for kind in ("canvases", "frames", "media") for _, node in found[kind] if node.tag_id not in _PARTS]
    kept = [node for node in shown[:_MOST_LOOKED_AT] if not _is_tiny(node)]
    if found["fields"]:
        kept += _filled_in([node for _, node in found["fields"][:_MOST_LOOKED_AT]], html)
    return any(
        node.mem_id not in hidden and within(node, _AROUND_THE_CONTENT, MAX_LEVELS) is None
        for node in kept[:_MOST_LOOKED_AT]
    )


def _filled_in(fields: list[LexborNode], html: str) -> list[LexborNode]:
    """Return the text fields that contain a text, or that a script of the page fills in or turns into an editor."""
    filled = [node for node in fields if len(node.text().strip()) >= _LEAST_FILLED_IN]
    looked_up = _looked_up(html)
    return filled + [node for node in fields if node.attributes.get("id") in looked_up]


def _looked_up(html: str) -> AbstractSet[str | None]:
    """Return the ids of elements that scripts in the page look up, at most 20."""
    found = _LOOKED_UP.finditer(html, 0, _LONGEST_HTML)
    return {match[1] for match, _ in zip(found, range(_MOST_LOOKED_AT), strict=False)}


def shows_more(source: LexborNode, html: str, words: int, has_scripts: bool) -> bool:
    """Whether the content with so few ``words`` has a form, or something that scripts add (``PageFacts.embeds``)."""
    if words < _FEW_WORDS and "data-src" in html and source.css_first(_LOADED_CODE) is not None:
        return True
    return words < LEAST_OF_MAIN and (_has_form(source) or (has_scripts and _is_filled_by_script(source, html)))


def _has_form(source: LexborNode) -> bool:
    """Whether the content has a form with several fields, such as a registration. Comment forms do not count."""
    for form in source.css("form")[:_MOST_LOOKED_AT]:
        named = " ".join(form.attributes.get(name) or "" for name in ("id", "class", "action"))
        if "comment" not in named.lower() and len(form.css(_FIELDS)) >= _LEAST_FIELDS:
            return True
    return False


def _is_filled_by_script(source: LexborNode, html: str) -> bool:
    """Whether an element of the content is empty, and a script in the page looks it up."""
    for name in _looked_up(html):
        node = source.css_first(f'[id="{name}"]')
        if node is not None and node.tag_id in _BOXES and not node.text().strip():
            return True
    return False


def _is_tiny(node: LexborNode) -> bool:
    attributes = node.attributes
    sides = ((attributes.get(name) or "").strip() for name in ("width", "height"))
    return any(side.isascii() and side.isdigit() and int(side[:6]) < _LEAST_SIDE for side in sides)


def is_followed(main: LexborNode, body: LexborNode, headings: Found, characters: int) -> bool:
    """Whether a main element of ``characters`` is only the page's opening: at least two headings, and paragraphs that
    say more, are outside of it. A notice about cookies is no such part."""
    inside = {node.mem_id for node in main.traverse()}

    def follows(node: LexborNode) -> bool:
        return node.mem_id not in inside and within(node, _AROUND_THE_CONTENT, MAX_LEVELS) is None

    if sum(follows(node) for _, node in headings[:_MOST_PARAGRAPHS]) < _LEAST_HEADINGS:
        return False
    following = sum(len(node.text().strip()) for node in body.css("p")[:_MOST_PARAGRAPHS] if follows(node))
    return following >= max(_LEAST_FOLLOWING, characters)
