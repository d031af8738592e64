"""KW-001: search shows a page, but people click it less often than is usual for its position."""

from typing import Final

from chalicelib.rules.kw.model import QueryPage, SearchData, Verdicts
from chalicelib.rules.kw.pages import Found, and_more, by_page
from chalicelib.rules.wording import quoted

LEAST_IMPRESSIONS: Final = 200
LOWEST_POSITION: Final = 10.0
SHARE: Final = 0.5  # of the expected share of clicks


def check(data: SearchData) -> Verdicts:
    return by_page(((pair, _found(pair, data)) for pair in data.unnamed if _applies(pair)), _message)


def _applies(pair: QueryPage) -> bool:
    position = pair.figures.position
    return pair.figures.impressions >= LEAST_IMPRESSIONS and position is not None and position <= LOWEST_POSITION


def _found(pair: QueryPage, data: SearchData) -> Found | None:
    figures = pair.figures
    assert figures.position is not None and figures.ctr is not None
    expected = data.curve.share(figures.position)
    if figures.ctr >= SHARE * expected:
        return None
    missed = (expected - figures.ctr) * figures.impressions
    return Found(pair, missed, {"ctr": round(figures.ctr, 4), "expectedCtr": round(expected, 4)})


def _message(found: Found, count: int) -> str:
    figures = found.pair.figures
    return (
        f"For {quoted(found.pair.query)} the page was shown {figures.impressions:,} times at position "
        f"{figures.position:.1f} and clicked {figures.clicks:,} times; about {found.gain + figures.clicks:,.0f} clicks "
        f"are usual at this position.{and_more(count)}"
    )
