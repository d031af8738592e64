"""The strength of a topic: its clicks per page in 28 days."""

from typing import Final, Literal, NamedTuple

StrengthName = Literal["strong", "weak", "no_clicks"]

DAYS: Final = 28
STRONG_CLICKS: Final = 5  # per page


class Strength(NamedTuple):
    """The strength of a topic.

    - ``clicks_per_28_days``: the topic's clicks, scaled to 28 days.
    - ``clicks_short``: how many more clicks in 28 days would make it a strong topic.
    """

    name: StrengthName
    clicks_per_28_days: float
    clicks_short: float


def strength_of(pages: int, clicks: int, days: int) -> Strength:
    """Compute the strength of a topic from its pages and its clicks in a period. ``days``: the length of the period."""
    usual = clicks * DAYS / days
    short = max(0.0, STRONG_CLICKS * pages - usual)
    if not clicks:
        return Strength("no_clicks", usual, short)
    return Strength("weak" if short else "strong", usual, short)
