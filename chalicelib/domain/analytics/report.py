"""An analytics property's report on landing pages."""

from typing import Final, Literal, NamedTuple

Channel = Literal["organic", "all"]

PURCHASES_METRIC: Final = "ecommercePurchases"
MOST_ROWS: Final = 25_000  # requested from the property


class Landing(NamedTuple):
    """The figures of one landing page. ``page``: its path, as the property spells it. ``converted``: sessions with a
    key event. Money is in the property's currency."""

    page: str
    sessions: int
    engaged_sessions: int
    key_events: float
    converted: float
    purchases: int
    purchase_revenue: float
    revenue: float


class Event(NamedTuple):
    """How often one key event occurred in the sessions that began on a page."""

    page: str
    name: str
    times: float


class Report(NamedTuple):
    """A property's report for a range of days.

    - ``row_count``: how many pages the property has. The report lists only the pages with the most sessions.
    - ``other``: whether the pages with few sessions are summed up in one row.
    - ``thresholded``: whether the provider withholds rows with few visitors.
    - ``sampled``: the share of events that was counted; None if all were counted.
    - ``restricted``: whether revenue is hidden from the account.
    """

    landings: list[Landing]
    events: list[Event]
    row_count: int
    currency: str | None = None
    time_zone: str | None = None
    other: bool = False
    thresholded: bool = False
    sampled: float | None = None
    restricted: bool = False
