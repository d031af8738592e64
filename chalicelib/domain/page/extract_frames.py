"""Detects pages that are shown in a frame next to other pages, such as the lists and trees of manuals and help viewers.

The links of such a page open in another frame. Visitors never see the page alone, and never see its title.
"""

from typing import Final

from selectolax.lexbor import LexborNode

_LEAST_LINKS: Final = 3
_SHARE: Final = 0.5  # least share of the page's links that name another frame
_OTHER_FRAMES: Final = frozenset(("_parent", "_top"))
# Common misspellings of "_blank"; no frame has these names.
_WINDOWS: Final = frozenset("blank new neu newwindow window win external extern popup self".split())
_NAMED: Final = 'a[target]:not([target^="_"])'


def opens_elsewhere(
    bases: list[tuple[int, LexborNode]], anchors: list[tuple[int, LexborNode]], root: LexborNode, html: str
) -> bool:
    """Whether the page's links open in another frame: its ``<base>`` or at least half of the links name another frame
    as target.

    ``bases``, ``anchors``: these elements with their positions. ``html``: the page's source.
    """
    for _, node in bases:
        target = node.attributes.get("target")
        if target is not None:  # only the first counts
            return target.strip().lower() in _OTHER_FRAMES or _names_frame(target)
    if html.count("target=") == html.count('target="_'):  # true of nearly all pages; then no element is read
        return False
    named = sum(_names_frame(node.attributes.get("target") or "") for node in root.css(_NAMED))
    return named >= _LEAST_LINKS and named >= _SHARE * len(anchors)


def _names_frame(target: str) -> bool:
    target = target.strip().lower()
    return target[:1] not in ("", "_") and target not in _WINDOWS
