"""Results of speed tests as they are stored: the latest of each address and device, with the last lab runs."""

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
    """One run in the lab, at a time (epoch seconds). None: not measured."""

    at: float
    lcp_ms: float | None = None
    cls: float | None = None
    blocking_ms: float | None = None


class SpeedResult(msgspec.Struct, array_like=True, frozen=True):
    """The result of an address on a device. ``tested_at``: epoch seconds of the last test; ``template``: of its page
    then, None if it was not published; ``agentic``: the checks of the last test, empty if it made none; ``runs``: the
    last lab runs, oldest first, 5 at most."""

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
    """Field data fetched at a time (epoch seconds)."""

    record: FieldRecord
    collected_at: float


class FieldBook(msgspec.Struct, frozen=True):
    """Field data of a website: of its origin on phones and desktops, and of its tested pages on phones, by address.
    None, or a missing page: never fetched."""

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
    """The result of the address after one more test, which ended ``now``. ``measured``: days of earlier measurements.
    Earlier runs are kept as long as the address counts by them.
    """
    lab = report.lab
    kept = before.runs if before is not None and measured.holds(before.tested_at) else ()
    runs = sorted([*kept, Run(now, lab.lcp_ms, lab.cls, lab.blocking_ms)], key=lambda run: run.at)
    return SpeedResult(url, strategy, now, template, report.agentic, tuple(runs[-MOST_RUNS:]))
