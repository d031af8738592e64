"""Schedules fire at the times of their expressions."""

import math
import time
from collections.abc import Iterator
from datetime import datetime

import pytest
from chalice.app import Rate

from chalicelib import clock
from host.jobs import Jobs
from host.schedules import Schedules, next_after
from tests.host.small import START, SmallApp, until


@pytest.fixture
def small() -> Iterator[SmallApp]:
    clock.set_offset(START - time.time())
    yield SmallApp()
    clock.set_offset(0.0)


@pytest.mark.parametrize(
    ("expression", "now", "expected"),
    [
        ("rate(1 minute)", "2026-11-21T10:00:30Z", "2026-11-21T10:01:00Z"),
        ("rate(5 minutes)", "2026-11-21T10:00:00Z", "2026-11-21T10:05:00Z"),
        ("rate(1 day)", "2026-11-21T10:00:30Z", "2026-11-22T00:00:00Z"),
        ("cron(0 2 ? * SUN *)", "2026-11-21T10:00:00Z", "2026-11-22T02:00:00Z"),
        ("cron(0 2 ? * SUN *)", "2026-11-22T02:00:00Z", "2026-11-29T02:00:00Z"),
        ("cron(0 2 ? * 1 *)", "2026-11-22T01:59:59Z", "2026-11-22T02:00:00Z"),
        ("cron(0/15 8-9 * * ? *)", "2026-11-21T08:50:00Z", "2026-11-21T09:00:00Z"),
        ("cron(30 6 1 JAN,JUL ? *)", "2026-02-01T00:00:00Z", "2026-07-01T06:30:00Z"),
        ("cron(0 0 29 2 ? *)", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z"),
        ("cron(0 6 ? * 2-6/2 *)", "2026-11-21T00:00:00Z", "2026-11-23T06:00:00Z"),
        ("cron(0 0 L * ? *)", "2026-11-21T00:00:00Z", "2026-11-30T00:00:00Z"),
        ("cron(0 9 ? * 2#1 *)", "2026-11-21T00:00:00Z", "2026-12-07T09:00:00Z"),
    ],
)
def test_a_schedule_fires_at_the_time_of_its_expression(expression: str, now: str, expected: str) -> None:
    at = next_after(expression, datetime.fromisoformat(now).timestamp())
    assert at == datetime.fromisoformat(expected).timestamp()
    assert next_after(expression, math.nextafter(at, 0)) == at


@pytest.mark.parametrize(
    "expression",
    [
        *("rate(1 week)", "cron(0 2 * *)", "cron(0 25 ? * * *)", "cron(0 0 3W * ? *)", "cron(0 0 1 * ? 2027)", ""),
        *("cron(0 0 1 * SUN *)", "cron(0 0 31 2 ? *)", "cron(0 0 ? * 8 *)", "cron(0 0 ? * 0 *)", "cron(0 0 ? * 10 *)"),
    ],
)
def test_an_invalid_schedule_expression_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match=r"not a schedule|never fires"):
        next_after(expression, 0)


def test_schedules_fire_when_their_time_comes(small: SmallApp) -> None:
    schedules = Schedules(small.app, Jobs())
    schedules.start()
    try:
        assert small.seen == []
        clock.set_offset(clock.offset() + 3601)
        schedules.wake()
        until(lambda: bool(small.seen))
    finally:
        schedules.stop()
    assert small.names() == ["hourly"]


def test_a_running_schedule_is_listed_as_a_job(small: SmallApp) -> None:
    jobs = Jobs()
    running: list[list[str]] = []

    @small.app.schedule(Rate(30, unit=Rate.MINUTES), name="half_hourly")
    def half_hourly(event: object) -> None:
        running.append(jobs.running())

    schedules = Schedules(small.app, jobs)
    clock.set_offset(clock.offset() + 1201)
    assert schedules.fire_due() == 1
    assert running == [["half_hourly"]]
    assert jobs.running() == []


def test_missed_schedules_are_skipped_and_later_ones_fire(small: SmallApp) -> None:
    schedules = Schedules(small.app, Jobs())
    full_hour = START - START % 3600
    assert schedules.due()["hourly"] == full_hour + 3600
    schedules.leave_out("hourly", full_hour + 3 * 3600)
    assert schedules.due()["hourly"] == schedules.next_due() == full_hour + 3 * 3600
    schedules.leave_out("hourly", full_hour)  # nothing comes again
    assert schedules.due()["hourly"] == full_hour + 3 * 3600
    clock.set_offset(clock.offset() + 5 * 3600)
    assert schedules.fire_due() == 1 and small.names() == ["hourly"]


def test_a_schedule_is_skipped_if_another_process_claimed_it_or_the_claim_failed(small: SmallApp) -> None:
    asked: list[tuple[str, float]] = []

    def claim(name: str, at: float) -> bool:
        asked.append((name, at))
        if len(asked) == 2:
            raise OSError("the tables do not answer")
        return len(asked) > 2

    schedules = Schedules(small.app, Jobs(), claim)
    for _ in range(3):
        clock.set_offset(clock.offset() + 3600)
        schedules.fire_due()
    assert small.names() == ["hourly"]
    assert [at - asked[0][1] for _, at in asked] == [0, 3600, 7200]
