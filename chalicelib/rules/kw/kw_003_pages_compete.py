"""KW-003: search shows several pages of the website for one query, and none of them gets clearly the most clicks."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from chalicelib.domain.search.figures import Figures
from chalicelib.rules.kw.model import QueryPage, SearchData, Verdicts
from chalicelib.rules.kw.pages import Found, and_more, by_page
from chalicelib.rules.wording import quoted

LEAST_SHARE: Final = 0.1  # share of the query's impressions that a competing page has at least
LEAST_IMPRESSIONS: Final = 50
LOWEST_POSITION: Final = 20.0
CHANGES: Final = 3  # changes of the leading page in 28 days
CLEAR_SHARE: Final = 0.7  # share of the clicks with which the leading page clearly wins
# Results that are shown together, one below the other: about equally often, and at nearly the same position.
TOGETHER_SHARE: Final = 0.9
TOGETHER_PLACES: Final = 1.0


def check(data: SearchData) -> Verdicts:
    queries: dict[str, list[QueryPage]] = {}
    for pair in data.unnamed:
        queries.setdefault(pair.query, []).append(pair)
    return by_page((judged for query in sorted(queries) for judged in _judged(queries[query], data)), _message)


def _judged(pairs: list[QueryPage], data: SearchData) -> list[tuple[QueryPage, Found | None]]:
    """Return a verdict for each page that competes with the strongest page for one query."""
    whole = sum(pair.figures.impressions for pair in pairs)
    strongest, *others = sorted(pairs, key=lambda one: (-one.figures.clicks, -one.figures.impressions, one.page))
    if not _contends(strongest.figures, whole):
        return []
    rivals = [
        pair for pair in others if _contends(pair.figures, whole) and not _together(strongest.figures, pair.figures)
    ]
    if not rivals:
        return []
    contenders = {strongest.page, *(pair.page for pair in rivals)}
    clicks = sum(pair.figures.clicks for pair in (strongest, *rivals))
    changes = _changes(data.days.get(strongest.query, ()), contenders)
    settled = clicks > 0 and strongest.figures.clicks >= CLEAR_SHARE * clicks
    if settled and changes < CHANGES:
        return [(pair, None) for pair in rivals]
    details = {"strongest": data.known[strongest.page].url, "leaderChanges": changes}
    return [(pair, Found(pair, float(pair.figures.clicks), details)) for pair in rivals]


def _contends(figures: Figures, whole: int) -> bool:
    position = figures.position
    return (
        figures.impressions >= max(LEAST_IMPRESSIONS, LEAST_SHARE * whole)
        and position is not None
        and position <= LOWEST_POSITION
    )


def _together(one: Figures, other: Figures) -> bool:
    assert one.position is not None and other.position is not None
    less, more = sorted((one.impressions, other.impressions))
    return less >= TOGETHER_SHARE * more and abs(one.position - other.position) <= TOGETHER_PLACES


def _changes(days: Sequence[Mapping[str, Figures]], contenders: set[str]) -> int:
    """Count how often the leading page, by impressions, differs from that of the day before."""
    leaders = [
        min(shown, key=lambda page: (-day[page].impressions, page))
        for day in days
        if (shown := [page for page in day if page in contenders and day[page].impressions])
    ]
    return sum(one != other for one, other in pairwise(leaders))


def _message(found: Found, count: int) -> str:
    figures = found.pair.figures
    return (
        f"For {quoted(found.pair.query)} this page (position {figures.position:.1f}, {figures.clicks:,} clicks) "
        f"competes with {found.details['strongest']}.{and_more(count)}"
    )
