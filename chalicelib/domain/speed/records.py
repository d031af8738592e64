"""Stored results of speed tests: the latest result of each address and device, with its last lab runs."""

from typing import Final

import msgspec

from chalicelib.domain.agentic import AgenticResult, Strategy
from chalicelib.domain.speed.field import FieldRecord
from chalicelib.domain.speed.report import SpeedReport
from chalicelib.domain.speed.window import MeasuredDays

MOST_RUNS: Final = 5
KEPT_SECONDS: Final = 13 * 7 * 86_400.0  # how long data of an address that left the website is kept

ResultKey = tuple[str, Strategy]


class Run(msgspec.Struct, array_like=True, frozen=True):
    """One run in the lab. ``at``: epoch seconds. A value is None if it was not measured."""

    at: float
    lcp_ms: float | None = None
    cls: float | None = None
    blocking_ms: float | None = None


class SpeedResult(msgspec.Struct, array_like=True, frozen=True):
    """The results of an address on one kind of device.

    - ``tested_at``: the time of the last test (epoch seconds).
    - ``template``: the page's template when it was tested; None if the page was not published.
    - ``agentic``: the Agentic Browsing checks of the last test; empty if it made none.
    - ``runs``: the last lab runs, at most 5, oldest first.
    """

    url: str
    strategy: Strategy
    tested_at: float
    template: str | None
    agentic: AgenticResult
    runs: tuple[Run, ...] = ()

    @property
    def key(self) -> ResultKey:
        return self.url, self.strategy


class Collected(msgspec.Struct, array_like=True, frozen=True):
    """Field data, and when it was fetched (epoch seconds)."""

    record: FieldRecord
    collected_at: float


class FieldBook(msgspec.Struct, frozen=True):
    """Field data of a website. An entry that is None or missing was never fetched.

    It has data of the website's origin on phones and on desktops, and data of its tested pages on phones, by address.
    """

    phone: Collected | None = None
    desktop: Collected | None = None
    pages: dict[str, Collected] = {}


def result_after(
    before: SpeedResult | None,
    report: SpeedReport,
    *,
    strategy: Strategy,
    url: str,
    template: str | None,
    now: float,
    measured: MeasuredDays,
) -> SpeedResult:
    """Return the result of an address after one more test, which ended at ``now``.

    ``measured``: the days on which pages of the website were measured before. The earlier runs of the address are kept
    if its earlier result is not too old to count.
    """
    lab = report.lab
    kept = before.runs if before is not None and measured.holds(before.tested_at) else ()
    runs = sorted([*kept, Run(now, lab.lcp_ms, lab.cls, lab.blocking_ms)], key=lambda run: run.at)
    return SpeedResult(url, strategy, now, template, report.agentic, tuple(runs[-MOST_RUNS:]))
