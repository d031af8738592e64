"""Chooses a candidate for each page, so that no two pages of the website get the same text."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestion import Candidate


def choose(wanted: Mapping[str, Sequence[Candidate]], taken: Callable[[str], bool]) -> dict[str, Candidate]:
    """Return the suggestion of each page that gets one, by address.

    - ``wanted``: candidates of each page, best first. The order of the pages does not matter.
    - ``taken(text)``: whether a page of the website already has this text, which is normalized by ``fold``.

    If several pages would get the same candidate, the candidate does not distinguish these pages. So none of them gets
    it, and the next candidate of each page is tried.
    """
    waiting = {
        url: [(key, candidate) for candidate in candidates if not taken(key := fold(candidate.text))]
        for url, candidates in wanted.items()
    }
    struck: set[str] = set()
    while True:
        held: dict[str, tuple[str, Candidate]] = {}
        for url, candidates in waiting.items():
            first = next((one for one in candidates if one[0] not in struck), None)
            if first is not None:
                held[url] = first
        counts = Counter(key for key, _ in held.values())
        contested = {key for key, count in counts.items() if count > 1}
        if not contested:
            return {url: candidate for url, (_, candidate) in held.items()}
        struck |= contested
