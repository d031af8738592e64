"""Results of speed tests as they are stored: of each address and device the latest, with the lab's last runs."""

from typing import Final

import msgspec

from chalicelib.domain.speed.agentic import AgenticResult, Strategy
from chalicelib.domain.speed.field import FieldRecord
from chalicelib.domain.speed.report import SpeedReport

MOST_RUNS: Final = 5
RUN_SECONDS: Final = 28 * 86_400.0  # a run counts so long
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
    before: SpeedResult | None, report: SpeedReport, *, strategy: Strategy, url: str, template: str | None, now: float
) -> SpeedResult:
    """What is known of the address after a test more, that ended ``now``."""
    lab = report.lab
    runs = [*(() if before is None else before.runs), Run(now, lab.lcp_ms, lab.cls, lab.blocking_ms)]
    return SpeedResult(url, strategy, now, template, report.agentic, tuple(lasting(runs, now)))


def lasting(runs: "list[Run] | tuple[Run, ...]", now: float) -> list[Run]:
    """The last 5 of the runs of the last 28 days, oldest first."""
    return sorted((run for run in runs if now - run.at < RUN_SECONDS), key=lambda run: run.at)[-MOST_RUNS:]
