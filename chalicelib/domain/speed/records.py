"""Results of speed tests as they are stored: of each address and device the latest, with the lab's last runs."""

from typing import Final

import msgspec

from chalicelib.domain.agentic import AgenticResult, Strategy
from chalicelib.domain.speed.field import FieldRecord
from chalicelib.domain.speed.report import SpeedReport
from chalicelib.domain.speed.window import MeasuredDays

MOST_RUNS: Final = 5
KEPT_SECONDS: Final = 13 * 7 * 86_400.0  # what is known of an address that left the website stays so long

ResultKey = tuple[str, Strategy]


class Run(msgspec.Struct, array_like=True, frozen=True):
    """One run in the lab, at a time (epoch seconds). None: not measured."""

    at: float
    lcp_ms: float | None = None
    cls: float | None = None
    blocking_ms: float | None = None


class SpeedResult(msgspec.Struct, array_like=True, frozen=True):
    """What is known of an address on a device. ``tested_at``: epoch seconds of the last test; ``template``: of its page
    by then, None where it was not published; ``agentic``: what the last test checked, without checks where it made
    none; ``runs``: the last of the lab, oldest first, 5 at most."""

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
    """Field data as it was fetched at a time (epoch seconds)."""

    record: FieldRecord
    collected_at: float


class FieldBook(msgspec.Struct, frozen=True):
    """Field data of a website: of its origin on phones and desktops, and of its tested pages on phones, by address.
    None, and a page that is missing: never asked."""

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
    """What is known of the address after a test more, that ended ``now``. ``measured``: days of earlier measurements.

    Earlier runs stay as long as the address counted by them.
    """
    lab = report.lab
    kept = before.runs if before is not None and measured.holds(before.tested_at) else ()
    runs = sorted([*kept, Run(now, lab.lcp_ms, lab.cls, lab.blocking_ms)], key=lambda run: run.at)
    return SpeedResult(url, strategy, now, template, report.agentic, tuple(runs[-MOST_RUNS:]))
