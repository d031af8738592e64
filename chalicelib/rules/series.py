"""Paginated series: lists that continue at further addresses (``?page=2``, ``/seite/2``, ``?start=20``).

For some addresses, such as ``/news/2``, it is unclear whether the number counts pages. Then the contents of the pages
decide: the later pages must have the heading or title of the first page, another text, and plausible page numbers.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from chalicelib.domain.crawl.address_names import Part, parts_of
from chalicelib.rules.context import Address, Site

_FEWEST_UNNAMED: Final = 2  # later pages that show that a number without a name counts pages
_DIGIT: Final = re.compile(r"\d")


class _Numbered(NamedTuple):
    """The website's addresses with a number that may count pages.

    ``named``: by address, the part with the number, if the part's name shows that it counts pages. ``unnamed``: other
    readable pages, by address without the number: what the number may count, and the page of each number.
    """

    named: Mapping[str, Part]
    unnamed: Mapping[str, tuple[str, Mapping[int, Address]]]


def is_later_page(url: str, site: Site) -> bool:
    """Whether the address belongs to a paginated series and is not its first page."""
    part = _by_name(url, site)
    return (part is not None and part.number > 0) or url in site.once(_by_behaviour)


def series_of(url: str, site: Site) -> str:
    """Return the address of the first page of a paginated series. Returns ``url`` for a page outside a series.

    It also returns ``url`` for a numbered copy of the first page (``?page=1``).
    """
    part = _by_name(url, site)
    if part is None:
        return site.once(_by_behaviour).get(url, url)
    first = first_page(part.rest, site)
    # Some systems count from 0: their page 1 is the second page.
    return url if part.number <= 1 and _say_the_same(url, first, site) else first


def _say_the_same(url: str, other: str, site: Site) -> bool:
    one, two = site.addresses.get(url), site.addresses.get(other)
    return one is not None and two is not None and bool(one.text_hash) and one.text_hash == two.text_hash


def first_page(url: str, site: Site) -> str:
    """Return the address of a first page with or without a slash at its end, as the website uses it.

    If ``url`` is a known address, the address at the end of its redirects is returned. Otherwise the slash at the end
    of ``url`` is removed, or one is added if there is none.
    """
    if url in site.addresses:
        return site.end_of(url)
    return url.rstrip("/") if url.endswith("/") else url + "/"


def _by_name(url: str, site: Site) -> Part | None:
    """Return the part of the address that names a page of a list. Returns None if no part clearly names a page."""
    if url in site.addresses:
        return site.once(_numbered).named.get(url)
    return _named(parts_of(url)) if _DIGIT.search(url) else None


def _named(parts: Iterable[Part]) -> Part | None:
    return next((part for part in parts if part.counts == "pages"), None)


def _numbered(site: Site) -> _Numbered:
    """Return the numbers in the website's addresses. All are read at once, because several rules need each of them."""
    named: dict[str, Part] = {}
    pages: dict[str, dict[int, Address]] = {}
    counts: dict[str, str] = {}
    for url, address in site.addresses.items():
        if _DIGIT.search(url) is None:
            continue
        parts = list(parts_of(url))
        if (part := _named(parts)) is not None:
            named[url] = part
        if not address.readable or address.same_as is not None:
            continue
        for part in parts:
            if part.counts != "pages":
                pages.setdefault(part.rest, {})[part.number] = address
                counts[part.rest] = part.counts
    return _Numbered(named, {rest: (counts[rest], found) for rest, found in pages.items()})


def _by_behaviour(site: Site) -> Mapping[str, str]:
    """Return the first page of each later page, for addresses with numbers that may or may not count pages."""
    found: dict[str, str] = {}
    for rest, (counts, pages) in site.once(_numbered).unnamed.items():
        first = site.addresses.get(first_page(rest, site))
        if first is None or not first.readable:
            continue
        later = {number: page for number, page in pages.items() if _continues(first, page)}
        if _is_counted(later, counts):
            found.update((page.url, first.url) for page in later.values())
    return found


def _continues(first: Address, page: Address) -> bool:
    """Whether a page has the heading or title of the first page, but another text."""
    called = (first.heading and first.heading == page.heading) or (first.title and first.title == page.title)
    return bool(called) and page.url != first.url and page.text_hash != first.text_hash


def _is_counted(numbers: Iterable[int], counts: str) -> bool:
    """Whether the numbers are those of later pages: 2, 3, 4, or 20, 40, 60.

    Some may be missing, because not all are read.
    """
    ordered = sorted(number for number in numbers if number > 0)
    if not ordered:
        return False
    step = ordered[0]
    if counts == "entries":
        return step > 1 and all(number % step == 0 for number in ordered)
    return step in (1, 2) and len(ordered) >= _FEWEST_UNNAMED
