"""Selects and sorts the portfolio's websites, and finds the website with which a page begins."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import UNSET

from chalicelib.api.shapes.websites import Website
from chalicelib.domain.names import sort_key
from chalicelib.domain.page import search
from chalicelib.store.website_names import NameRow

NAME: Final = "name"
STATUSES: Final = ("active", "paused")
STATES: Final = (*STATUSES, "running", "unaudited")

Value = float | None
Place = tuple[bool, float, tuple[str, str], str]


def _clicks(shown: Website) -> Value:
    found = None if shown.search is UNSET else shown.search.clicks
    return None if found is UNSET else found


def _impressions(shown: Website) -> Value:
    found = None if shown.search is UNSET else shown.search.impressions
    return None if found is UNSET else found


def _change(shown: Website) -> Value:
    return None if shown.change.since_last_week is None else shown.change.since_last_week.site


VALUES: Final[Mapping[str, Callable[[Website], Value]]] = {
    "score": lambda shown: None if shown.score is None else shown.score.site,
    "change": _change,
    "open_issues": lambda shown: shown.issues.open,
    "critical_issues": lambda shown: shown.issues.critical,
    "waiting_actions": lambda shown: shown.actions.waiting,
    "clicks": _clicks,
    "impressions": _impressions,
    "pages": lambda shown: None if shown.last_audit is None else shown.last_audit.pages_crawled,
}
OF_SEARCH: Final = frozenset({"clicks", "impressions"})  # sorting by these needs the scope ``search:read``
SORTS: Final = tuple(name for sort in (NAME, *VALUES) for name in (sort, f"-{sort}"))


class Position(NamedTuple):
    """A website's place in the sorted portfolio. ``value``: its value in the column by which the portfolio is sorted;
    None if unknown, or if the portfolio is sorted by name."""

    value: Value
    name: str
    site_id: str


def named(rows: Sequence[NameRow], q: str | None, state: str | None) -> list[NameRow]:
    """Return the websites whose name or address contains the text ``q``. If ``state`` is a website status, only
    websites with this status are returned."""
    looked_for = search.wanted(q)
    return [
        row for row in rows if (state not in STATUSES or row.status == state) and looked_for.finds(row.url, row.name)
    ]


def in_state(shown: Sequence[Website], state: str | None) -> list[Website]:
    """Return only the websites in this ``state`` if it is ``running`` or ``unaudited``, otherwise all. ``named`` cannot
    do this, because these two states are only in the websites' records."""
    if state == "running":
        return [one for one in shown if one.running]
    if state == "unaudited":
        return [one for one in shown if one.last_audit is None]
    return list(shown)


def needs_records(sort: str, state: str | None) -> bool:
    """Whether this sort order or filter needs data from the websites' records. If not, the short rows with name,
    address and status are enough."""
    return sort.removeprefix("-") != NAME or state in set(STATES) - set(STATUSES)


def by_name(rows: list[NameRow], sort: str) -> list[NameRow]:
    """Return the rows, which must be sorted by name, in ascending or descending order."""
    return rows[::-1] if sort.startswith("-") else rows


def by_value(shown: list[Website], sort: str) -> list[Website]:
    """Sort websites by the requested value, unknown values last. ``shown`` must be sorted by name; websites with equal
    values stay in this order."""
    value = VALUES.get(sort.removeprefix("-"))
    if value is None:
        return shown[::-1] if sort.startswith("-") else shown
    sign = -1.0 if sort.startswith("-") else 1.0
    keyed = [(found is None, sign * (found or 0.0), place) for place, found in enumerate(map(value, shown))]
    return [shown[place] for _, _, place in sorted(keyed)]


def position(one: Website, sort: str) -> Position:
    """Return the position of a website in this sort order."""
    value = VALUES.get(sort.removeprefix("-"))
    return Position(None if value is None else value(one), one.name, one.id)


def after(positions: Sequence[Position], last: Position, sort: str) -> int:
    """Return the index of the first website of the next page. ``last``: the position of the last website that was
    shown."""
    sign = -1.0 if sort.startswith("-") else 1.0
    backwards = sort == f"-{NAME}"

    def place(one: Position) -> Place:
        return one.value is None, sign * (one.value or 0.0), sort_key(one.name), one.site_id

    limit = place(last)
    return sum(place(one) >= limit if backwards else place(one) <= limit for one in positions)
