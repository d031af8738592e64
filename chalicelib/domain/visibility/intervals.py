"""The uncertainty of a rate from few answers: the Wilson score interval."""

import math
from typing import Final, NamedTuple

Z: Final = 1.959963984540054  # of 95 percent


class Interval(NamedTuple):
    """The confidence interval of a rate: in 95 of 100 samples, the interval contains the true rate. Both ends are from
    0 to 1."""

    low: float
    high: float


def wilson(found: int, of: int) -> Interval | None:
    """Return the interval of the rate ``found / of``; None if ``of`` is 0."""
    if of == 0:
        return None
    rate, spread = found / of, Z * Z / of
    middle = (rate + spread / 2) / (1 + spread)
    half = Z / (1 + spread) * math.sqrt(rate * (1 - rate) / of + spread / (4 * of))
    # At 0 and 1 a bound equals the rate itself; rounding must not move it beyond.
    return Interval(min(rate, max(0.0, middle - half)), max(rate, min(1.0, middle + half)))
