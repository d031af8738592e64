"""An analytics property's report on landing pages."""

from typing import Final, Literal, NamedTuple

Channel = Literal["organic", "all"]

PURCHASES_METRIC: Final = "ecommercePurchases"
MOST_ROWS: Final = 25_000  # requested from the property


class Landing(NamedTuple):
    """One page as the property names it. ``converted``: sessions with a key event; money in the property's currency."""

    page: str
    sessions: int
    engaged_sessions: int
    key_events: float
    converted: float
    purchases: int
    purchase_revenue: float
    revenue: float


class Event(NamedTuple):
    """Key events of one name in the visits that began on a page."""

    page: str
    name: str
    times: float


class Report(NamedTuple):
    """A property's answer for some days. ``row_count``: how many pages it has; the answer holds those with most
    sessions. ``other``: small pages are rolled up in one row; ``thresholded``: rows of few visitors are withheld;
    ``sampled``: the share of events that it counted, None if it counted all; ``restricted``: revenue is hidden from the
    account."""

    landings: list[Landing]
    events: list[Event]
    row_count: int
    currency: str | None = None
    time_zone: str | None = None
    other: bool = False
    thresholded: bool = False
    sampled: float | None = None
    restricted: bool = False
