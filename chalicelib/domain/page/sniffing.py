"""Detects the type of an answer whose header does not give it. Implements the WHATWG rules for identifying an unknown
MIME type (https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type), as far as web pages
need them."""

import re
from typing import Final

# Header values that carry no information.
UNKNOWN: Final = frozenset({"unknown/unknown", "application/unknown", "*/*"})
_READ: Final = 1445  # bytes of the resource header

_WHITE_SPACE: Final = rb"[\t\n\x0c\r ]*"
_TAGS: Final = (
    rb"!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P"  # each ends with its name
)
_HTML: Final = re.compile(_WHITE_SPACE + rb"<(?:(?:" + _TAGS + rb")[\x20\x3e]|!--)", re.IGNORECASE)


def is_unknown(content_type: str | None) -> bool:
    """Whether a media type gives no information, so that the bytes decide the type."""
    return content_type is None or content_type in UNKNOWN


def is_page(body: bytes, *, no_sniff: bool = False) -> bool:
    """Whether browsers show an answer of an unknown type as a web page. ``no_sniff``: whether a header forbids browsers
    to guess."""
    return not no_sniff and _HTML.match(body[:_READ]) is not None
