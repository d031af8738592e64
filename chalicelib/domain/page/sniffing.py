"""Detects what an answer is from its bytes: whether it is blank, and its type if its header does not give it.

The type follows the WHATWG rules for identifying an unknown MIME type
(https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type), as far as web pages need them.
"""

import codecs
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
_NOT_BLANK: Final = re.compile(rb"[^\t\n\x0c\r ]")
_NOT_BLANK_UTF_16: Final = re.compile(rb"[^\x00\t\n\x0c\r ]")  # each character has two bytes


def is_blank(body: bytes) -> bool:
    """Whether a body has nothing but HTML white space, with or without a byte order mark. Comments are not white
    space."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _NOT_BLANK_UTF_16.search(body, 2) is None
    start = len(codecs.BOM_UTF8) if body.startswith(codecs.BOM_UTF8) else 0
    return _NOT_BLANK.search(body, start) is None


def is_unknown(content_type: str | None) -> bool:
    """Whether a media type gives no information, so that the bytes decide the type."""
    return content_type is None or content_type in UNKNOWN


def is_page(body: bytes, *, no_sniff: bool = False) -> bool:
    """Whether browsers show an answer of an unknown type as a web page. ``no_sniff``: whether a header forbids browsers
    to guess."""
    return not no_sniff and _HTML.match(body[:_READ]) is not None
