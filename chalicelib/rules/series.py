"""Paginated series: lists that continue under further addresses (``?page=2``, ``/seite/2``, ``?start=20``).

Where the name in the address does not say that it counts pages, the pages say so: they are called like the first one,
say something else, and are numbered from it without a gap.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from chalicelib.domain.crawl.address_names import Part, parts_of
from chalicelib.rules.context import Address, Site

_FEWEST_UNNAMED: Final = 2  # later pages that make a series of a number without a name


def is_later_page(url: str, site: Site) -> bool:
    """Whether the address is one of a paginated series, behind its first page."""
    part = _by_name(url)
    return (part is not None and part.number > 0) or url in site.once(_by_behaviour)


def series_of(url: str, site: Site) -> str:
    """The address of the first page of a paginated series; itself for other pages, and for a first page under a number
    of its own (``?page=1``), which is a copy."""
    part = _by_name(url)
    if part is None:
        return site.once(_by_behaviour).get(url, url)
    first = first_page(part.rest, site)
    # Some systems count from 0: there 1 is the second page.
    return url if part.number <= 1 and _say_the_same(url, first, site) else first


def _say_the_same(url: str, other: str, site: Site) -> bool:
    one, two = site.addresses.get(url), site.addresses.get(other)
    return one is not None and two is not None and bool(one.text_hash) and one.text_hash == two.text_hash


def first_page(url: str, site: Site) -> str:
    """The known spelling of the first page's address: websites are not of one mind about the slash at its end."""
    if url in site.addresses:
        return site.end_of(url)
    return url.rstrip("/") if url.endswith("/") else url + "/"


def _by_name(url: str) -> Part | None:
    """The page of a list as which the address plainly names itself."""
    if not any(character.isdigit() for character in url):
        return None
    return next((part for part in parts_of(url) if part.counts == "pages"), None)


def _by_behaviour(site: Site) -> Mapping[str, str]:
    """The first page of each later page whose address may count pages or mean something else."""
    numbered: dict[str, dict[int, Address]] = {}
    counts: dict[str, str] = {}
    for address in site.readable():
        if not any(character.isdigit() for character in address.url):
            continue
        for part in parts_of(address.url):
            if part.counts != "pages":
                numbered.setdefault(part.rest, {})[part.number] = address
                counts[part.rest] = part.counts
    found: dict[str, str] = {}
    for rest, pages in numbered.items():
        first = site.addresses.get(first_page(rest, site))
        if first is None or not first.readable:
            continue
        later = {number: page for number, page in pages.items() if _continues(first, page)}
        if _is_counted(later, counts[rest]):
            found.update((page.url, first.url) for page in later.values())
    return found


def _continues(first: Address, page: Address) -> bool:
    """Whether a page is called like the first one, in its heading or its title, and says something else."""
    called = (first.heading and first.heading == page.heading) or (first.title and first.title == page.title)
    return bool(called) and page.url != first.url and page.text_hash != first.text_hash


def _is_counted(numbers: Iterable[int], counts: str) -> bool:
    """Whether the numbers are those of later pages: 2, 3, 4, or 20, 40, 60. Some may be missing: not all are read."""
    ordered = sorted(number for number in numbers if number > 0)
    if not ordered:
        return False
    step = ordered[0]
    if counts == "entries":
        return step > 1 and all(number % step == 0 for number in ordered)
    return step in (1, 2) and len(ordered) >= _FEWEST_UNNAMED
