"""How much a rate of few answers says: the interval of Wilson's score."""

import math
from typing import Final, NamedTuple

Z: Final = 1.959963984540054  # of 95 percent


class Interval(NamedTuple):
    """Where the true rate lies, in 95 of 100 such samples. Both 0 to 1."""

    low: float
    high: float


def wilson(found: int, of: int) -> Interval | None:
    """The interval of the rate ``found / of``; None of nothing, which says nothing."""
    if of == 0:
        return None
    rate, spread = found / of, Z * Z / of
    middle = (rate + spread / 2) / (1 + spread)
    half = Z / (1 + spread) * math.sqrt(rate * (1 - rate) / of + spread / (4 * of))
    # At the ends the formula meets the rate itself; rounding must not move it past that.
    return Interval(min(rate, max(0.0, middle - half)), max(rate, min(1.0, middle + half)))
