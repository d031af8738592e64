"""The scripts of a page: how many run, and the target of the first script that only forwards the visitor."""

import re
from collections.abc import Sequence
from typing import Final

from selectolax.lexbor import LexborNode

_SCRIPT_TYPES: Final = frozenset(
    ("", "module", "text/javascript", "application/javascript", "application/x-javascript", "text/ecmascript")
)
_MOST_READ: Final = 5_000  # characters of a script: one that forwards is short
_MOST_SCRIPTS: Final = 20
_STRING: Final = r"""(?:"([^"\\\s]{1,2000})"|'([^'\\\s]{1,2000})')"""
_OBJECT: Final = r"(?<![\w.$])(?:(?:window|document|self|top|parent)\s{0,9}\.\s{0,9})?location"
_FORWARD: Final = re.compile(
    rf"{_OBJECT}(?:\s{{0,9}}\.\s{{0,9}}href)?\s{{0,9}}=\s{{0,9}}{_STRING}\s{{0,9}}(?=[;}}\n]|$|//)"
    rf"|{_OBJECT}\s{{0,9}}\.\s{{0,9}}(?:replace|assign)\s{{0,9}}\(\s{{0,9}}{_STRING}\s{{0,9}}\)"
)


def runs(kind: str) -> bool:
    """Whether a script of this type is executed. Other types hold data. ``kind``: the type in lower case, "" without a
    type."""
    return kind.partition(";")[0].rstrip() in _SCRIPT_TYPES


def forward_of(nodes: Sequence[LexborNode]) -> str | None:
    """Return the address, as written, to which a script in the page sends browsers; None if no script does."""
    for node in nodes[:_MOST_SCRIPTS]:
        attributes = node.attributes
        if "src" in attributes or not runs((attributes.get("type") or "").strip().lower()):
            continue
        match = _FORWARD.search(node.text()[:_MOST_READ])
        if match is not None:
            return next(target for target in match.groups() if target is not None)
    return None
