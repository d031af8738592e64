"""The ending that a website's titles share, such as " | Example Shop"."""

import re
from collections import Counter
from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.rules.context import Site

LEAST_TITLES: Final = 5  # distinct titles, without the home page's
LEAST_SHARE: Final = 0.5
LONGEST_RUN: Final = 3  # parts that an ending may have

# Marks that join the parts of a title; a plain hyphen or dash only with spaces around it.
_SEPARATOR: Final = re.compile(r"\s*(?:\||::|»|•|·)\s*|\s+[-–—]\s+")


def endings_of(title: str) -> list[str]:
    """Return the possible endings of a title, shortest first.

    For "Red - Tents | Acme", they are " | Acme" and " - Tents | Acme". An ending has at most three parts.
    """
    starts = [match.start() for match in _SEPARATOR.finditer(title) if match.start() > 0]
    return [title[start:] for start in reversed(starts[-LONGEST_RUN:])]


def shared_ending(site: Site) -> str | None:
    """Return the longest ending that at least half of the titles share, in its most frequent spelling.

    Returns None if the titles share no ending, or if the website has fewer than five distinct titles.
    """
    titles = {
        fold(address.title): address.title
        for address in sorted(site.indexable(), key=lambda address: address.url)
        if address.title and address.url != site.home_url
    }
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
    if not shared:
        return None
    longest = max(shared, key=lambda key: (len(key), key))
    return min(written[longest].items(), key=lambda item: (-item[1], item[0]))[0]


def without_ending(title: str, ending: str) -> str | None:
    """Return the title without the ending. Returns None if the title does not have that ending, in any letter case."""
    if len(title) > len(ending) and fold(title[-len(ending) :]) == fold(ending):
        return title[: -len(ending)].rstrip()
    return None
