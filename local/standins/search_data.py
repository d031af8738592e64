"""The data of the stand-in of Search Console: rows by query, page and day, and figures computed from these rows.

``DemoSearch`` makes up sixteen months of figures for the demo website's pages, and for queries made from their
addresses. The same day always has the same figures. ``ListSearch`` has the rows that a test gives it.
"""

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from local.demo.model import BRAND
from local.demo.serve import Server

FINAL_AFTER_DAYS: Final = 3
KEPT_DAYS: Final = 490  # a little over sixteen months
RARE_SHARE: Final = 1.18  # totals relative to the rows' sums: only totals include hidden queries
IMAGE_SHARE: Final = 0.06
COUNTRIES: Final = (("gbr", 0.61), ("deu", 0.22), ("usa", 0.09), ("aut", 0.05), ("irl", 0.03))
DEVICES: Final = (("MOBILE", 0.63), ("DESKTOP", 0.33), ("TABLET", 0.04))
_NOT_SEARCHED: Final = ("/account/", "/imprint/", "/privacy/", "/de/impressum/", "/de/datenschutz/", "/search/")
_SUFFIXES: Final = {"en": ("", " review", " guide", " uk"), "de": ("", " test", " kaufen", " tipps")}


class PairRow(NamedTuple):
    """The figures of one query and one of its pages on one day."""

    query: str
    page: str
    clicks: int
    impressions: int
    position: float


class Row(NamedTuple):
    """A row, as the API returns it."""

    keys: tuple[str, ...]
    clicks: int
    impressions: int
    position: float


class SearchData(Protocol):
    """The search data of a property."""

    def final_day(self, today: date) -> date:
        """Return the last day whose figures are final (no longer change). ``today``: the current day."""

    def pairs(self, day: date) -> Sequence[PairRow]:
        """Return the rows of a day. The result is empty if there were no impressions."""

    def totals(self, day: date, search_type: str) -> tuple[int, int, float] | None:
        """Return clicks, impressions and average position of a day; None if there were no impressions."""


class ListSearch:
    """Search data that consists of given rows, by day. Totals are computed from the rows, unless totals are given as
    well."""

    def __init__(self, days: Mapping[date, Sequence[PairRow]], final: date) -> None:
        self.days = dict(days)
        self.final = final

    def final_day(self, today: date) -> date:
        return self.final

    def pairs(self, day: date) -> Sequence[PairRow]:
        return self.days.get(day, ())

    def totals(self, day: date, search_type: str) -> tuple[int, int, float] | None:
        return totals_of(self.pairs(day)) if search_type == "web" else None


class DemoSearch:
    """Made-up search data of the demo website."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._rows = lru_cache(maxsize=16)(self._made)

    def final_day(self, today: date) -> date:
        return today - timedelta(FINAL_AFTER_DAYS)

    def pairs(self, day: date) -> Sequence[PairRow]:
        return self._rows(day)

    def totals(self, day: date, search_type: str) -> tuple[int, int, float] | None:
        clicks, impressions, position = self._sums(day)
        share = RARE_SHARE if search_type == "web" else IMAGE_SHARE
        return round(clicks * share), round(impressions * share), position

    def _sums(self, day: date) -> tuple[float, float, float]:
        """Return a day's clicks, impressions and average position before rounding, computed without making the rows."""
        shown = self._impressions(day)
        return (
            float((shown * self._ctr).sum()),
            float(shown.sum()),
            round(float((shown * self._positions).sum() / shown.sum()), 2),
        )

    def _made(self, day: date) -> list[PairRow]:
        shown = self._impressions(day)
        noise = np.random.default_rng(day.toordinal()).random(len(shown))
        impressions = np.floor(shown + noise).astype(int)
        clicks = np.minimum(np.floor(impressions * self._ctr + noise[::-1]).astype(int), impressions)
        positions = np.round(self._positions * (0.9 + 0.2 * noise), 1)
        figures = zip(self._pairs, clicks.tolist(), impressions.tolist(), positions.tolist(), strict=True)
        return [PairRow(*pair, *rest) for pair, *rest in figures if rest[1]]

    def _impressions(self, day: date) -> npt.NDArray[np.float64]:
        """Return a day's impressions of each pair of query and page: more in summer and at weekends, and growing every
        month."""
        season = 1.0 + 0.35 * math.sin((day.timetuple().tm_yday - 80) / 365 * 2 * math.pi)
        week = 1.2 if day.weekday() >= 5 else 1.0
        growth = 1.0 + (day - date(2026, 1, 1)).days / 1_500
        return self._base * (season * week * max(0.2, growth))

    @cached_property
    def _pairs(self) -> list[tuple[str, str]]:
        base = self._server.url.rstrip("/")
        found = [
            (BRAND.lower(), f"{base}/"),
            (f"{BRAND.lower()} outdoor", f"{base}/"),
            (BRAND.lower(), f"{base}/about/"),
        ]
        for path in self._server.pages:
            if "?" in path or path.startswith(_NOT_SEARCHED):
                continue
            words = " ".join(part for part in re.split("[^a-z]+", path.strip("/").rpartition("/")[2].lower()) if part)
            suffixes = _SUFFIXES["de" if path.startswith("/de/") else "en"]
            found += [(words + suffix, base + path) for suffix in suffixes if words]
        return sorted(set(found))

    @cached_property
    def _base(self) -> npt.NDArray[np.float64]:
        """The mean impressions of each pair on a day: a few pairs have many, most have few."""
        return np.array([300.0 * _chance(f"shown {query} {page}") ** 5 + 0.3 for query, page in self._pairs])

    @cached_property
    def _positions(self) -> npt.NDArray[np.float64]:
        return np.array([1.2 + 24.0 * _chance(f"position {query} {page}") ** 1.5 for query, page in self._pairs])

    @cached_property
    def _ctr(self) -> npt.NDArray[np.float64]:
        ctr: npt.NDArray[np.float64] = 0.32 / self._positions**1.15
        return ctr


def by(rows: Iterable[PairRow], dimensions: Sequence[str]) -> list[Row]:
    """Group rows by query, by page or by both, most clicks first.

    If rows are grouped by query, an impression counts once, even if search showed several pages of the website for it.
    """
    if list(dimensions) == ["query", "page"]:
        told = [Row((row.query, row.page), *row[2:]) for row in rows]
    elif list(dimensions) == ["query"]:
        told = _by_query(rows)
    else:
        told = _by_page(rows)
    return sorted(told, key=lambda row: -row.clicks)


def totals_of(rows: Sequence[PairRow]) -> tuple[int, int, float] | None:
    """Return clicks, impressions and average position of these rows.

    An impression counts once, even if search showed several pages for it.
    """
    queries = by(rows, ["query"])
    impressions = sum(row.impressions for row in queries)
    if not impressions:
        return None
    positions = sum(row.position * row.impressions for row in queries)
    return sum(row.clicks for row in queries), impressions, positions / impressions


def shared_out(total: tuple[int, int, float], shares: Sequence[tuple[str, float]]) -> list[Row]:
    """Split a day's totals by country or by device. ``shares``: name -> its share of the total."""
    clicks, impressions, position = total
    parts = [Row((name,), int(clicks * share), int(impressions * share), position) for name, share in shares]
    first = parts[0]
    rest = clicks - sum(part.clicks for part in parts), impressions - sum(part.impressions for part in parts)
    parts[0] = first._replace(clicks=first.clicks + rest[0], impressions=first.impressions + rest[1])
    return [part for part in parts if part.impressions]


def _by_query(rows: Iterable[PairRow]) -> list[Row]:
    found: dict[str, tuple[int, int, float]] = {}
    for query, _, clicks, impressions, position in rows:
        sum_, most, best = found.get(query, (0, 0, position))
        found[query] = sum_ + clicks, max(most, impressions), min(best, position)
    return [Row((query,), clicks, max(most, clicks), best) for query, (clicks, most, best) in found.items()]


def _by_page(rows: Iterable[PairRow]) -> list[Row]:
    found: dict[str, tuple[int, int, float]] = {}
    for _, page, clicks, impressions, position in rows:
        sum_, shown, weighed = found.get(page, (0, 0, 0.0))
        found[page] = sum_ + clicks, shown + impressions, weighed + position * impressions
    return [Row((page,), clicks, shown, weighed / max(1, shown)) for page, (clicks, shown, weighed) in found.items()]


def _chance(text: str) -> float:
    """Return a number from 0 to 1, always the same for the same text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48
