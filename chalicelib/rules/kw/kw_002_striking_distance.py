"""KW-002: a page ranks a few positions below the search results that get the most clicks."""

import heapq
from typing import Final

from chalicelib.rules.kw.model import QueryPage, SearchData, Verdicts
from chalicelib.rules.kw.pages import Found, and_more, by_page
from chalicelib.rules.wording import quoted

BEST: Final = 4.5
WORST: Final = 15.4
LEAST_IMPRESSIONS: Final = 100
TARGET: Final = 3  # the position that such a page can reach
MOST_PAIRS: Final = 1_000


def check(data: SearchData) -> Verdicts:
    judged = [(pair, _found(pair, data)) for pair in data.pairs if pair.page in data.known and _applies(pair)]
    best = heapq.nsmallest(
        MOST_PAIRS, (found for _, found in judged if found is not None), key=lambda one: (-one.gain, one.pair)
    )
    listed = {(found.pair.query, found.pair.page) for found in best}
    return by_page(((pair, found if (pair.query, pair.page) in listed else None) for pair, found in judged), _message)


def _applies(pair: QueryPage) -> bool:
    return pair.figures.impressions >= LEAST_IMPRESSIONS


def _found(pair: QueryPage, data: SearchData) -> Found | None:
    figures = pair.figures
    assert figures.position is not None and figures.ctr is not None
    if not BEST <= figures.position <= WORST:
        return None
    gain = figures.impressions * (data.curve.share(TARGET) - figures.ctr)
    return Found(pair, gain, {"targetPosition": TARGET}) if gain > 0 else None


def _message(found: Found, count: int) -> str:
    figures = found.pair.figures
    return (
        f"For {quoted(found.pair.query)} the page ranks at position {figures.position:.1f}, shown "
        f"{figures.impressions:,} times; at position {TARGET} about {found.gain:,.0f} more clicks are usual."
        f"{and_more(count)}"
    )
