"""The media types with which browsers accept a script or a style sheet if the header ``nosniff`` forbids them to guess
the type."""

from collections.abc import Mapping
from typing import Final

from chalicelib.domain.page.facts import ResourceKind

# WHATWG, MIME Sniffing: JavaScript MIME types.
_SCRIPT_TYPES: Final = frozenset(
    """application/ecmascript application/javascript application/x-ecmascript application/x-javascript text/ecmascript
    text/javascript text/javascript1.0 text/javascript1.1 text/javascript1.2 text/javascript1.3 text/javascript1.4
    text/javascript1.5 text/jscript text/livescript text/x-ecmascript text/x-javascript""".split()
)
ACCEPTED: Final[Mapping[ResourceKind, frozenset[str]]] = {"script": _SCRIPT_TYPES, "style": frozenset({"text/css"})}
USUAL: Final[Mapping[ResourceKind, str]] = {"script": "text/javascript", "style": "text/css"}


def is_refused(kind: ResourceKind, content_type: str | None, *, nosniff: bool) -> bool:
    """Whether browsers refuse to use a file as this kind of resource.

    ``content_type``: the file's media type; None if it has none.
    """
    return nosniff and content_type not in ACCEPTED[kind]
