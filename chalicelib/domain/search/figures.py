"""Clicks, impressions and positions, and the figures derived from their sums."""

from typing import Self

import msgspec


class Figures(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Search figures. ``positions``: the sum of the positions of all impressions."""

    clicks: int = 0
    impressions: int = 0
    positions: int = 0

    @classmethod
    def told(cls, clicks: float, impressions: float, position: float) -> Self:
        """Make figures from a row that the search service reported with its average position."""
        return cls(round(clicks), round(impressions), round(position * impressions))

    def __add__(self, other: "Figures") -> "Figures":
        return Figures(
            self.clicks + other.clicks, self.impressions + other.impressions, self.positions + other.positions
        )

    @property
    def ctr(self) -> float | None:
        """The click-through rate: clicks per impression, 0 to 1; None without impressions."""
        return self.clicks / self.impressions if self.impressions else None

    @property
    def position(self) -> float | None:
        """The average position over all impressions; None without impressions."""
        return self.positions / self.impressions if self.impressions else None
