"""Which candidate each page gets, so that no two pages of the website say the same."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestion import Candidate


def choose(wanted: Mapping[str, Sequence[Candidate]], taken: Callable[[str], bool]) -> dict[str, Candidate]:
    """The suggestion of each page (by address) that gets one, out of its candidates, best first.

    ``taken(folded text)`` says whether a page of the website carries that text already. A candidate that several pages
    would get does not distinguish them, so none gets it, and each continues to its next. The order of ``wanted`` makes
    no difference.
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
