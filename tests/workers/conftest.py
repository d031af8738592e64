import pytest

from chalicelib import clock


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of both clocks, which moves only when a test sets it."""
    time = [1_800_000_000.0]
    monkeypatch.setattr(clock, "now", lambda: time[0])
    monkeypatch.setattr(clock, "monotonic", lambda: time[0])
    return time
