"""The ending that a website's titles share, such as " | Example Shop"."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.rules.context import Address, Site

LEAST_TITLES: Final = 5  # distinct titles, without the home page's
LEAST_SHARE: Final = 0.5
_LEAST_ELSEWHERE: Final = 0.2
_NEARLY_ALL: Final = 0.9
LONGEST_RUN: Final = 3  # parts that an ending may have

MARKS: Final = " |:»•·-–—"  # what may be around a name in a title
_COLON: Final = re.compile(r":\s")
# Marks that join the parts of a title; a plain hyphen or dash only with spaces around it.
_SEPARATOR: Final = re.compile(r"\s*(?:\||::|»|•|·)\s*|\s+[-–—]\s+")


def endings_of(title: str) -> list[str]:
    """Return the possible endings of a title, shortest first.

    For "Red - Tents | Acme", they are " | Acme" and " - Tents | Acme". An ending has at most three parts. A colon
    begins one only if another mark follows: "Red: Acme - Tents and boots".
    """
    marks = [match.start() for match in _SEPARATOR.finditer(title) if match.start() > 0]
    starts = marks[-LONGEST_RUN:]
    if marks and ": " in title:
        starts += [match.start() for match in _COLON.finditer(title, 1, marks[-1])][-LONGEST_RUN:]
    return [title[start:] for start in sorted(starts, reverse=True)]


def shared_ending(site: Site) -> str | None:
    """Return the longest ending that at least half of the titles share, in its most frequent spelling.

    An ending that names a section of the website does not count. Returns None if the titles share no ending, or if the
    website has fewer than five distinct titles.
    """
    titled = [
        address
        for address in sorted(site.indexable(), key=lambda address: address.url)
        if address.title and address.url != site.home_url
    ]
    titles = {fold(address.title): address.title for address in titled}
    if len(titles) < LEAST_TITLES:
        return None
    folded: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    for title in titles.values():
        for ending in endings_of(title):
            key = fold(ending)
            folded[key] += 1
            written.setdefault(key, Counter())[ending] += 1
    shared = [key for key, count in folded.items() if count >= LEAST_SHARE * len(titles)]
    shared.sort(key=lambda key: (len(key), key), reverse=True)
    longest = next(
        (key for key in shared if _is_whole(key, folded) and not _names_section(key, titled, site)),
        None,
    )
    return None if longest is None else min(written[longest].items(), key=lambda item: (-item[1], item[0]))[0]


def _is_whole(ending: str, counts: Counter[str]) -> bool:
    """Whether an ending that begins with a colon is part of the name: hardly any title has only what follows the colon.
    In "Red tent: Review - Acme", the review is a kind of page."""
    if not ending.startswith(": "):
        return True
    shorter = endings_of(ending)
    return bool(shorter) and counts[ending] >= _NEARLY_ALL * counts[fold(shorter[0])]


def _names_section(ending: str, titled: Sequence[Address], site: Site) -> bool:
    """Whether all pages with the ending are in one folder, and many pages are elsewhere, with or without a title: at
    least five, and a fifth of the number of those with the ending.

    The name of the website does not name a section: the home page's title contains it, or the home page states it in
    its data.

    ``ending``: normalized by ``fold``.
    """
    having = {address.url for address in titled if fold(address.title).endswith(ending)}
    sections = {_section_of(url, site.home_url) for url in having}
    if len(sections) != 1 or None in sections:
        return False
    others = (address.url for address in site.indexable() if address.url not in having and address.url != site.home_url)
    if sum(_section_of(url, site.home_url) not in sections for url in others) < max(
        LEAST_TITLES, _LEAST_ELSEWHERE * len(having)
    ):
        return False
    home = site.addresses.get(site.home_url)
    name = ending.strip(MARKS)
    if home is not None and name in fold(home.title):
        return False
    stated = "" if home is None else home.identity.name or ""
    written = "" if site.home is None else site.home.site_name or ""
    return name not in (fold(stated), fold(written))


def _section_of(url: str, home_url: str) -> str | None:
    """Return the name of the folder in which a page is: of the folders in the home page's folder, or else of the
    website's. Returns None for a page that is in none of them."""
    path = url.partition("?")[0]
    around = home_url.partition("?")[0].rpartition("/")[0] + "/"
    below = path[len(around) :] if path.startswith(around) else path.partition("://")[2].partition("/")[2]
    folder, slash, _ = below.partition("/")
    return folder if slash else None


def without_ending(title: str, ending: str) -> str | None:
    """Return the title without the ending. Returns None if the title does not have that ending, in any letter case."""
    if len(title) > len(ending) and fold(title[-len(ending) :]) == fold(ending):
        return title[: -len(ending)].rstrip()
    return None
