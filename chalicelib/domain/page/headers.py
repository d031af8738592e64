"""Headers of an answer. Each header may occur several times.

The headers of an answer are a mapping with lower-case names. The lines of a header that occurs several times are
separated by ``LINE_BREAK``, which no value contains. The meaning of several lines differs from header to header.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

LINE_BREAK: Final = "\n"

_WORD: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,127}"
_MEDIA_TYPE: Final = re.compile(rf"\s*({_WORD}/{_WORD})\s*(?:;(.*))?", re.DOTALL)
_CHARSET: Final = re.compile(r"""(?:^|;)\s*charset\s*=\s*["']?\s*([^\s"';]{1,100})""", re.IGNORECASE)
_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|,')
_MOST_CHARACTERS: Final = 4_000  # read of a Content-Type


def lines_of(headers: Mapping[str, str], name: str) -> list[str]:
    """Return every line of a header, in order."""
    value = headers.get(name)
    return [] if value is None else value.split(LINE_BREAK)


def joined(headers: Mapping[str, str], name: str) -> str:
    """Return all lines of a header as one text, for headers with a list as their value. Returns "" if the header is
    missing."""
    return headers.get(name, "").replace(LINE_BREAK, ", ")


def first_of(headers: Mapping[str, str], name: str) -> str:
    """Return the first line of a header, for headers of which only the first line counts. Returns "" if the header is
    missing."""
    return headers.get(name, "").partition(LINE_BREAK)[0]


def forbids_sniffing(headers: Mapping[str, str]) -> bool:
    """Whether X-Content-Type-Options says nosniff. By the Fetch standard, only the first value counts."""
    return joined(headers, "x-content-type-options").partition(",")[0].strip().lower() == "nosniff"


@lru_cache(maxsize=512)
def content_type_of(value: str) -> tuple[str | None, str | None]:
    """Return the media type and the charset from the lines of a Content-Type header. Returns (None, None) if no value
    is a media type.

    This follows the Fetch standard. Of several values, the last valid one counts. If that value names no charset, the
    charset of an earlier value with the same media type is used. The media type is in lower case, without parameters.
    """
    found: str | None = None
    charset: str | None = None
    for line in value[:_MOST_CHARACTERS].split(LINE_BREAK):
        for part in _values_of(line):
            match = _MEDIA_TYPE.fullmatch(part)
            if match is None or match[1] == "*/*":
                continue
            essence = match[1].lower()
            named = _CHARSET.search(match[2] or "")
            if named is not None:
                charset = named[1]
            elif essence != found:
                charset = None
            found = essence
    return found, charset


def _values_of(line: str) -> list[str]:
    """Split a line that may hold several values. A comma inside quotes does not separate them."""
    if "," not in line:
        return [line]
    values, start = [], 0
    for match in _QUOTED.finditer(line):
        if match[0] == ",":
            values.append(line[start : match.start()])
            start = match.end()
    values.append(line[start:])
    return values
