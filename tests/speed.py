"""Speed tests in tests: results made by hand, and a tester that answers at once."""

from collections.abc import Callable, Iterable, Mapping

import pytest

from chalicelib import clock
from chalicelib.connectors import field_data, speed_tests
from chalicelib.connectors.errors import OutsideError
from chalicelib.domain.agentic import AgenticResult, Check, Item, Strategy
from chalicelib.domain.speed.choosing import Test
from chalicelib.domain.speed.field import FieldRecord, FormFactor
from chalicelib.domain.speed.records import Run, SpeedResult
from chalicelib.domain.speed.report import LabRun, SpeedReport
from chalicelib.store import speed
from chalicelib.store.transactions import commit
from tests import aws

VERSION = "13.5.0"
PASSING = Check("pass", 1.0, "0.02", title="Cumulative Layout Shift")
FAILING = Check(
    "fail",
    0.0,
    items=(Item("Buttons have no name", "main > button", "<button>"),),
    title="Accessibility tree is not well-formed",
    detail="Agents read it.",
)
BROKEN = Check("error", title="llms.txt", detail="It could not be fetched.")
LAB = LabRun(2_100.0, 0.02, 90.0)
CHECKS = {"agent-accessibility-tree": FAILING, "cumulative-layout-shift": PASSING, "llms-txt": BROKEN}


def agentic(checks: Mapping[str, Check] = CHECKS, strategy: Strategy = "mobile") -> AgenticResult:
    return AgenticResult(VERSION, strategy, dict(checks))


def report(
    url: str,
    strategy: Strategy = "mobile",
    *,
    lab: LabRun = LAB,
    checks: Mapping[str, Check] = CHECKS,
) -> SpeedReport:
    return SpeedReport(url, url, strategy, VERSION, lab, agentic(checks, strategy))


def result(
    url: str,
    strategy: Strategy = "mobile",
    *,
    at: float | None = None,
    runs: int = 1,
    lcp_ms: float | None = 2_100.0,
    cls: float | None = 0.02,
    blocking_ms: float | None = 90.0,
    checks: Mapping[str, Check] = CHECKS,
    template: str | None = "home",
) -> SpeedResult:
    """A result whose runs were a day apart, the last of them ``at``."""
    last = clock.now() if at is None else at
    times = [last - 86_400.0 * before for before in reversed(range(runs))]
    kept = tuple(Run(one, lcp_ms, cls, blocking_ms) for one in times)
    return SpeedResult(url, strategy, last, template, agentic(checks, strategy), kept)


def stored(site_id: str, results: Iterable[SpeedResult]) -> None:
    """Leave results as if tests had found them."""
    for one in results:
        block, state = speed.load_block(site_id, one.url), speed.load_state(site_id)
        writes = [
            speed.put_results(site_id, block, {**block.results, one.key: one}.values()),
            speed.put_state(site_id, state.tested(one.tested_at)),
        ]
        commit(writes)


class Engine:
    """Answers each test by ``reports``, or fails as ``failure`` says."""

    provider = "test"

    def __init__(self) -> None:
        self.made: list[Test] = []
        self.failure: Callable[[Test], OutsideError | None] = lambda test: None
        self.reports: Callable[[Test], SpeedReport] = lambda test: report(*test)
        self.meanwhile: Callable[[], None] = lambda: None

    def run(self, url: str, strategy: Strategy) -> SpeedReport:
        self.made.append((url, strategy))
        self.meanwhile()
        error = self.failure((url, strategy))
        if error is not None:
            raise error
        return self.reports((url, strategy))


def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    """The tester that workers are connected to from now on."""
    made = Engine()
    monkeypatch.setattr(speed_tests, "connected", lambda: made)
    return made


class Visitors:
    """Field data: of the website and of some pages; nothing is known of any other."""

    def __init__(self, pages: Mapping[str, FieldRecord] | None = None) -> None:
        self.pages = dict(pages or {})
        self.phone = FieldRecord(True, lcp_ms=2_300.0, inp_ms=150.0, cls=0.05, period_end="2026-11-19")
        self.asked: list[tuple[str, str]] = []
        self.failure: Callable[[str], OutsideError | None] = lambda url: None

    def site(self, url: str, form_factor: FormFactor) -> FieldRecord:
        self._asked(form_factor, url)
        return self.phone if form_factor == "phone" else FieldRecord(False, "Too few visits.")

    def page(self, url: str, form_factor: FormFactor) -> FieldRecord:
        self._asked("page", url)
        return self.pages.get(url, FieldRecord(False, "Too few visits."))

    def _asked(self, of: str, url: str) -> None:
        self.asked.append((of, url))
        error = self.failure(url)
        if error is not None:
            raise error


def visitors(monkeypatch: pytest.MonkeyPatch, pages: Mapping[str, FieldRecord] | None = None) -> Visitors:
    """The field data that workers are connected to from now on, without waits between requests."""
    made = Visitors(pages)
    monkeypatch.setattr(field_data, "connected", lambda: made)
    monkeypatch.setattr(clock, "sleep", lambda seconds: None)
    return made


def work(queue: str, handle: Callable[..., None]) -> int:
    """Hand the messages that wait in a queue to their worker, each once. Gives how many there were."""
    waiting = aws.messages(queue)
    aws.purge(queue)
    for message in waiting:
        handle(message, None)
    return len(waiting)
