"""The pace at which all workers together ask an outside service."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib import clock
from chalicelib.store import rate_limits

STEP = 0.5
EXACT = pytest.mark.calm("a lost answer uses a step for nothing, and the steps are counted")


class Turns:
    """A stopped clock, and how long each caller had to wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 4e9  # later than the real clock, so that nothing counts as ended
        self.waits: list[float] = []
        self._lock = threading.Lock()
        self._own = threading.local()
        monkeypatch.setattr(clock, "now", lambda: self.now)
        monkeypatch.setattr(clock, "sleep", self._slept)

    def _slept(self, seconds: float) -> None:
        self._own.slept = seconds

    def take(self, name: str = "crux") -> float:
        self._own.slept = 0.0
        rate_limits.wait(name, STEP)
        with self._lock:
            self.waits.append(self._own.slept)
        return float(self._own.slept)


@pytest.fixture
def turns(store: None, monkeypatch: pytest.MonkeyPatch) -> Turns:
    return Turns(monkeypatch)


@EXACT
def test_simultaneous_callers_wait_one_interval_longer_each(turns: Turns) -> None:
    assert [turns.take() for _ in range(5)] == pytest.approx([0.0, 0.5, 1.0, 1.5, 2.0])
    assert turns.take("another service") == 0.0


@EXACT
def test_time_that_has_passed_shortens_the_wait_but_is_not_saved_up(turns: Turns) -> None:
    turns.take()
    turns.now += 0.2
    assert turns.take() == pytest.approx(0.3)
    turns.now += 100.0
    assert [turns.take() for _ in range(2)] == pytest.approx([0.0, 0.5]), "a pause is no right to ask faster"


@EXACT
def test_a_time_that_a_wrong_clock_stored_does_not_delay_callers(turns: Turns) -> None:
    turns.take()
    turns.now -= 1_000.0
    assert [turns.take() for _ in range(2)] == pytest.approx([0.0, 0.5])


@EXACT
def test_simultaneous_workers_never_get_the_same_time_slot(turns: Turns) -> None:
    with ThreadPoolExecutor(6) as workers:
        list(workers.map(lambda _: turns.take(), range(24)))
    assert sorted(turns.waits) == pytest.approx([number * STEP for number in range(24)])


def test_failing_calls_never_give_two_callers_the_same_time_slot(turns: Turns) -> None:
    with ThreadPoolExecutor(6) as workers:
        list(workers.map(lambda _: turns.take(), range(24)))
    steps = [round(wait / STEP) for wait in sorted(turns.waits)]
    assert len(set(steps)) == 24
