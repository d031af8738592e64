"""Which candidate each page gets, so that no two pages of the website say the same."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from chalicelib.domain.page.text import fold


def choose(wanted: Mapping[str, Sequence[str]], taken: Callable[[str], bool]) -> dict[str, str]:
    """The suggestion of each page (by address) that gets one, out of its candidates, best first.

    ``taken(folded text)`` says whether a page of the website carries that text already. A candidate that several
    pages would get tells none of them apart, so none gets it, and each goes on to its next. The order of ``wanted``
    makes no difference.
    """
    waiting = {
        url: [candidate for candidate in candidates if not taken(fold(candidate))] for url, candidates in wanted.items()
    }
    struck: set[str] = set()
    while True:
        held: dict[str, str] = {}
        for url, candidates in waiting.items():
            while candidates and fold(candidates[0]) in struck:
                candidates.pop(0)
            if candidates:
                held[url] = candidates[0]
        counts = Counter(map(fold, held.values()))
        contested = {text for text, count in counts.items() if count > 1}
        if not contested:
            return held
        struck |= contested
