"""The meaning of names in addresses. Some names number the pages of a list, some identify a visitor's session, and some
belong to technical addresses.

The names are data, not code, because every system has its own. ``data/address-names.json`` lists their sources.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from chalicelib import typed
from chalicelib.domain.crawl.urls import path_and_query

_LONGEST_NUMBER: Final = 6  # digits
_FILE: Final = Path(__file__).resolve().parents[2] / "data" / "address-names.json"


class _Names(msgspec.Struct, frozen=True, rename="camel"):
    """The content of the file. ``page_names_by_behaviour``: parameters that may count pages or mean something else."""

    version: str
    sources: tuple[str, ...]
    page_names: tuple[str, ...]
    page_names_by_behaviour: tuple[str, ...]
    offset_names: tuple[str, ...]
    page_segments: tuple[str, ...]
    session_names: tuple[str, ...]
    infrastructure: tuple[str, ...]


@lru_cache(maxsize=1)
def address_names() -> _Names:
    """Load the names from the service's data file. The file is read once."""
    return typed.from_json(_FILE.read_bytes(), _Names)


def _any_of(names: tuple[str, ...]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


_INFRASTRUCTURE: Final = re.compile(_any_of(address_names().infrastructure), re.IGNORECASE)
_MAY_BE_INFRASTRUCTURE: Final = frozenset(path[1:2].lower() for path in address_names().infrastructure)
_SESSION: Final = re.compile(
    rf"(?:^|[?&;/])(?:(?:{_any_of(address_names().session_names)}|aspsessionid\w*)=|\(S\([a-z0-9]{{20,30}}\)\)/)",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)  # most links of a website are on many of its pages
def is_infrastructure(url: str) -> bool:
    """Whether a normalised address is technical. Technical addresses do not count as pages, and links to them do not
    count as links."""
    path = path_and_query(url)
    return path[1:2].lower() in _MAY_BE_INFRASTRUCTURE and _INFRASTRUCTURE.match(path) is not None


_PAGES: Final = _any_of(address_names().page_names)
# page, paged, product-page, tx_news[currentPage], PAGEN_1
_PAGE_NAME: Final = re.compile(rf"(?:[\w.%@-]*(?:[-_.]|\[|%5B))?(?:{_PAGES})(?:_?\d{{1,3}})?(?:\]|%5D)?", re.IGNORECASE)
_MAYBE_PAGE_NAME: Final = re.compile(_any_of(address_names().page_names_by_behaviour), re.IGNORECASE)
_OFFSET_NAME: Final = re.compile(rf"(?:{_any_of(address_names().offset_names)})(?:(?::|%3A)int)?", re.IGNORECASE)
_PAGE_SEGMENT: Final = re.compile(
    rf"/(?:{_any_of(address_names().page_segments)})(?:/|-|_)?(\d{{1,5}})(?=/?(?:\.html?)?(?:$|\?))", re.IGNORECASE
)
_LAST_NUMBER: Final = re.compile(r"(?<=/)p?(\d{1,4})/?(?=$|\?)|[-_](\d{1,4})(?=/?(?:\.html?)?(?:$|\?))")
_MOST_PARAMETERS: Final = 8


class Part(NamedTuple):
    """One page of a list, as its address names it.

    - ``rest``: the address without the number.
    - ``number``: the page's number, as written.
    - ``counts``: what the number counts: ``pages`` (as in ``/page/2``), ``entries`` before the page (as in
      ``?start=20``), or ``unknown`` if it may be either.
    """

    rest: str
    number: int
    counts: Literal["pages", "entries", "unknown"]


def parts_of(url: str) -> Iterator[Part]:
    """Yield the ways in which a normalised address can be understood as a page of a list, the clearest first."""
    start = url.find("/", 8)
    path, mark, query = url[start:].partition("?")
    found: list[Part] = []
    segment = _PAGE_SEGMENT.search(path)
    if segment is not None:
        rest = path[: segment.start()] + path[segment.end(1) :]
        found.append(Part(url[:start] + (rest or "/") + mark + query, int(segment[1]), "pages"))
    elif (number := _LAST_NUMBER.search(path)) is not None:
        rest = path[: number.start()] + path[number.end(number.lastindex or 0) :]
        found.append(Part(url[:start] + (rest or "/") + mark + query, int(number[1] or number[2]), "unknown"))
    pairs = query.split("&") if query else []
    for place, pair in enumerate(pairs[:_MOST_PARAMETERS]):
        name, _, value = pair.partition("=")
        if not (value.isascii() and value.isdigit() and len(value) <= _LONGEST_NUMBER):
            continue
        rest = "&".join(pairs[:place] + pairs[place + 1 :])
        rest = url[:start] + path + (f"?{rest}" if rest else "")
        if _PAGE_NAME.fullmatch(name):
            found.append(Part(rest, int(value), "pages"))
        elif _OFFSET_NAME.fullmatch(name):
            found.append(Part(rest, int(value), "entries"))
        elif _MAYBE_PAGE_NAME.fullmatch(name):
            found.append(Part(rest, int(value), "unknown"))
    yield from sorted(found, key=_plainness)


def _plainness(part: Part) -> int:
    return ("pages", "entries", "unknown").index(part.counts)


def has_session(url: str) -> bool:
    """Whether an address contains one visitor's session, in its query or its path."""
    return ("=" in url or "(" in url or "%28" in url) and _SESSION.search(url) is not None
