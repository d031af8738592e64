"""Field data: measurements of real visitors' browsers for a page or a website."""

from typing import Literal, NamedTuple

FormFactor = Literal["phone", "desktop"]


class FieldRecord(NamedTuple):
    """75th percentiles of the 28 days that end with ``period_end`` (for example, 2026-11-20).

    A value is None if there were too few visits for it. ``available``: False if there is no record; ``reason`` then
    says why.
    """

    available: bool
    reason: str | None = None
    lcp_ms: float | None = None
    inp_ms: float | None = None
    cls: float | None = None
    period_end: str | None = None
