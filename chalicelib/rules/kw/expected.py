"""The expected share of clicks on a search result at each position. It is computed from the website's own figures and
from typical rates. The more figures the website has, the less the typical rates count."""

from collections.abc import Iterable, Mapping
from typing import Final

from chalicelib.domain.search.figures import Figures

USUAL: Final[Mapping[int, float]] = {
    1: 0.28, 2: 0.15, 3: 0.10, 4: 0.07, 5: 0.05, 6: 0.04, 7: 0.03, 8: 0.025, 9: 0.02, 10: 0.018,
}  # fmt: skip
LAST: Final = 10  # beyond the first page of results, clicks fall with the position
PRIOR: Final = 500  # impressions; the weight of the typical share


class Curve:
    """The share of impressions that become clicks, by position. ``figures``: the search figures of pairs of a query and
    a page."""

    def __init__(self, figures: Iterable[Figures]) -> None:
        clicks: dict[int, int] = {}
        impressions: dict[int, int] = {}
        for one in figures:
            if one.position is None or one.position > LAST + 0.5:
                continue
            place = _place(one.position)
            clicks[place] = clicks.get(place, 0) + one.clicks
            impressions[place] = impressions.get(place, 0) + one.impressions
        self._shares = {
            place: (clicks.get(place, 0) + PRIOR * usual) / (impressions.get(place, 0) + PRIOR)
            for place, usual in USUAL.items()
        }

    def share(self, position: float) -> float:
        """Return the expected share of clicks at an average position."""
        if position > LAST:
            return self._shares[LAST] * LAST / position
        return self._shares[_place(position)]


def _place(position: float) -> int:
    return min(LAST, max(1, int(position + 0.5)))
