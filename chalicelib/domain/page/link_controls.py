"""Recognises anchors that only control the page, such as those that open a menu, and lead to no other page."""

import re
from collections.abc import Set as AbstractSet
from typing import Final

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.link_words import is_control
from chalicelib.domain.page.markup import ANCHOR, readable, tag_ids

_TOGGLES: Final = ("aria-expanded", "aria-controls", "aria-haspopup", "aria-pressed")
# Attributes with which component libraries mark what opens, closes or moves a part of the page: data-toggle,
# data-bs-dismiss, data-slide-to, data-card-widget, uk-toggle.
_COMPONENT: Final = re.compile(
    r"data-(?:[a-z]{1,8}-)?(?:toggle|dismiss|slide|slide-to)|data-card-widget|(?:data-)?uk-(?:toggle|close|[a-z]{1,20}-item)"
)
_CONTROL_CLASS: Final = re.compile(r"toggle|expand|collaps|arrow", re.IGNORECASE)
# "menu-toggle", "navbar-toggler", "toggle_nav".
_TOGGLE_CLASS: Final = re.compile(r"(?:^|[\s_-])(?:toggle|toggler|navbar-burger|hamburger)(?:[\s_-]|$)", re.IGNORECASE)
# A call that only selects a tab: show(2), openTab('#specs').
_TAB_CALL: Final = re.compile(
    r"javascript:\s{0,4}[\w.$]{1,80}\((?:\d{1,9}|'#[\w-]{1,80}'|\"#[\w-]{1,80}\")\);?", re.IGNORECASE
)
# A script that by its name only opens and closes, prints, goes back or chooses a filter: toggleFolder('3'),
# menu.hide(), history.back(), Doxygen's searchBox.OnSelectItem(2).
_CONTROL_CALL: Final = re.compile(
    r"(?:javascript:|void\s?\(?0?\)?|[\s;]|return\b)*"
    r"(?:[\w$]{1,40}\.){0,4}(?:toggle\w{0,40}|(?:collapse|expand|unfold|close|hide|dismiss)(?-i:[A-Z_]\w{0,40}|)"
    r"|history\.(?:back|go)|(?:window\.)?print|searchBox\.\w{1,40})\s?\([^()]{0,100}\)"
    r"(?:[\s;]|return\b|false|true)*",
    re.IGNORECASE,
)
_NAMES_ADDRESS: Final = re.compile(r"location|['\"][^'\"]{0,80}(?:/|\.(?:x?html?|php|aspx?|jsp)\b)", re.IGNORECASE)
_LONGEST_CALL: Final = 500  # characters of a script that are looked at
_CAPTIONS: Final = tag_ids("caption")
_TAB_CLASSES: Final = frozenset("tabs tablist tab-list nav-tabs".split())
_TAB_LEVELS: Final = 6
_LISTS: Final = tag_ids("ul ol dl menu")
_BOXES: Final = tag_ids("div nav section")
_WRAPPERS: Final = tag_ids("span p div h1 h2 h3 h4 h5 h6 b strong")
_SUBMENU_CLASS: Final = re.compile(r"menu|dropdown|collaps|children|flyout|sub", re.IGNORECASE)
_MOST_SIBLINGS: Final = 5
_MOST_NODES: Final = 60  # of a submenu, until its first link


def controls_page(
    node: LexborNode, attributes: dict[str, str | None], why: str, text: str, hidden: AbstractSet[int]
) -> bool:
    """Whether the anchor only controls the page: a menu, the arrow that opens a section, a tab of a table.

    - ``why``: the reason why crawlers cannot follow the anchor: "no href", "onclick", or its address (javascript:).
    """
    if any(name in _TOGGLES or _COMPONENT.fullmatch(name) is not None for name in attributes) or is_control(text):
        return True
    script = f"{why if why[:11].lower() == 'javascript:' else ''} {attributes.get('onclick') or ''}"[:_LONGEST_CALL]
    if _NAMES_ADDRESS.search(script) is not None:
        return False
    if _CONTROL_CALL.fullmatch(script) is not None:
        return True
    classes = attributes.get("class") or ""
    if _TOGGLE_CLASS.search(classes) is not None or _is_before_submenu(node):
        return True
    if why == "no href":
        return _CONTROL_CLASS.search(classes) is not None and not readable(node, 1, hidden, alt=True)
    return _TAB_CALL.fullmatch(why) is not None and _is_among_tabs(node)


def _is_among_tabs(node: LexborNode) -> bool:
    current = node.parent
    for _ in range(_TAB_LEVELS):
        if current is None or not current.is_element_node:
            return False
        if current.tag_id in _CAPTIONS:
            return True
        attributes = current.attributes
        if attributes.get("role") == "tablist":
            return True
        if not _TAB_CLASSES.isdisjoint((attributes.get("class") or "").lower().split()):
            return True
        current = current.parent
    return False


def _is_before_submenu(node: LexborNode) -> bool:
    """Whether the next element is a list with links that crawlers can follow: then the anchor opens and closes it."""
    parent = node.parent
    is_wrapped = parent is not None and parent.tag_id in _WRAPPERS and _is_alone(node)
    following = _next_element(parent if is_wrapped and parent is not None else node)
    if following is None:
        return False
    if following.tag_id not in _LISTS:
        classes = following.attributes.get("class") or ""
        if following.tag_id not in _BOXES or _SUBMENU_CLASS.search(classes) is None:
            return False
    for seen, inner in enumerate(following.traverse()):
        if seen >= _MOST_NODES:
            return False
        if inner.tag_id == ANCHOR:
            href = (inner.attributes.get("href") or "#").strip().lower()
            if not href.startswith(("#", "javascript:")):
                return True
    return False


def _is_alone(node: LexborNode) -> bool:
    """Whether the parent has no text beside the anchor, and no element after it."""
    return not _is_text(node.prev) and not _is_text(node.next) and _next_element(node) is None


def _is_text(node: LexborNode | None) -> bool:
    return node is not None and node.is_text_node and (node.text_content or "").strip() != ""


def _next_element(node: LexborNode) -> LexborNode | None:
    """Return the element that follows without text before it."""
    current = node.next
    for _ in range(_MOST_SIBLINGS):
        if current is None or current.is_element_node:
            return current
        if _is_text(current):
            return None
        current = current.next
    return None
