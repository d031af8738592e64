"""Runs the schedules of app.py by the service's clock. Each due schedule runs once, and no two run at the same time.

If several processes use the same tables, only the process whose ``claim`` succeeds runs a schedule. If that process is
killed after the claim, the run is lost; the next run does the same work.
"""

import logging
import math
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from chalice.app import Chalice, ScheduledEventConfig, ScheduleExpression
from cronsim import CronSim, CronSimError

from chalicelib import clock
from host.ids import random_id
from host.jobs import Jobs

UNIT_SECONDS = {"minute": 60, "hour": 3600, "day": 86400}
LONGEST_WAIT_SECONDS = 3600.0

log = logging.getLogger(__name__)


def next_after(expression: str, now: float) -> float:
    """Return the first time after ``now`` at which a ``rate(…)`` or ``cron(…)`` expression of AWS is due, in UTC. Times
    are in seconds.

    Rates count from midnight UTC, so that they do not depend on when the service started. Raises ``ValueError`` for an
    expression that is never due or not supported, such as one with ``W`` or for certain years only.
    """
    rate = re.fullmatch(r"rate\((\d+) (minute|hour|day)s?\)", expression)
    if rate:
        interval = int(rate[1]) * UNIT_SECONDS[rate[2]]
        return (now // interval + 1) * interval
    cron = re.fullmatch(r"cron\((.+)\)", expression)
    fields = cron[1].upper().split() if cron else []
    if len(fields) != 6 or (fields[2] == "?") == (fields[4] == "?") or fields[5] != "*":
        raise ValueError(f"not a schedule, or a schedule for certain years only: {expression}")
    if "0" in fields[4]:
        raise ValueError(f"not a schedule: weekdays begin with 1: {expression}")
    minutes, hours, days, months, weekdays = (field.replace("?", "*") for field in fields[:5])
    weekdays = re.sub(
        r"(?<![/#\d])[1-7](?!\d)", lambda day: str(int(day[0]) - 1), weekdays
    )  # SUN is 1 in AWS, 0 in cron
    start = datetime.fromtimestamp(math.floor(now), UTC)
    try:
        found = next(CronSim(f"{minutes} {hours} {days} {months} {weekdays}", start), None)
    except CronSimError as error:
        raise ValueError(f"not a schedule: {expression}: {error}") from None
    if found is None:
        raise ValueError(f"never fires: {expression}")
    return found.timestamp()


@dataclass(slots=True)
class _Schedule:
    name: str
    handler: Any
    expression: str
    due: float


class Schedules:
    """The schedules that app.py registers, and when each is due next."""

    def __init__(self, app: Chalice, jobs: Jobs, claim: Callable[[str, float], bool] = lambda name, at: True) -> None:
        """``jobs`` counts running jobs.

        ``claim(name, at)`` returns whether this process may run that schedule at that time. Raises ``ValueError`` for
        an unsupported expression.
        """
        now = clock.now()
        self._jobs = jobs
        self._claim = claim
        self._firing = threading.RLock()
        self._changed = threading.Event()
        self._stopping = False
        self._schedules = []
        for source in app.event_sources:
            if isinstance(source, ScheduledEventConfig):
                given = source.schedule_expression
                expression = given.to_string() if isinstance(given, ScheduleExpression) else given
                due = next_after(expression, now)
                self._schedules.append(_Schedule(source.name, app.handler_map[source.name], expression, due))

    def start(self) -> None:
        """Begin to run due schedules."""
        threading.Thread(target=self._loop, name="schedules", daemon=True).start()

    def stop(self) -> None:
        """Run no more schedules."""
        self._stopping = True
        self._changed.set()

    def wake(self) -> None:
        """Check again for due schedules. Call this after the clock was moved."""
        self._changed.set()

    def due(self) -> dict[str, float]:
        """Return the time at which each schedule is due next (seconds by the service's clock)."""
        return {schedule.name: schedule.due for schedule in self._schedules}

    def next_due(self) -> float | None:
        """Return the earliest time at which a schedule is due. None if app.py has no schedules."""
        return min(self.due().values(), default=None)

    def leave_out(self, name: str, until: float) -> None:
        """Skip the runs of a schedule before ``until`` (seconds by the service's clock)."""
        with self._firing:
            for schedule in self._schedules:
                if schedule.name == name:
                    schedule.due = max(schedule.due, next_after(schedule.expression, math.nextafter(until, 0)))

    def fire_due(self) -> int:
        """Run each due schedule once, however late it is. Schedules run in the order of their times. Returns how many
        ran."""
        fired = 0
        with self._firing:
            now = clock.now()
            for schedule in sorted(self._schedules, key=lambda schedule: schedule.due):
                if schedule.due <= now and not self._stopping:
                    at, schedule.due = schedule.due, next_after(schedule.expression, now)
                    if self._is_ours(schedule, at):
                        self._fire(schedule, at)
                        fired += 1
        return fired

    def _is_ours(self, schedule: _Schedule, at: float) -> bool:
        try:
            return self._claim(schedule.name, at)
        except Exception:
            log.exception("schedule %s was left out", schedule.name)
            return False

    def _fire(self, schedule: _Schedule, at: float) -> None:
        event = {
            "version": "0",
            "id": random_id(),
            "detail-type": "Scheduled Event",
            "source": "aws.events",
            "account": "123456789012",
            "time": clock.utc(at).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "region": "us-east-1",
            "resources": [f"arn:aws:events:us-east-1:123456789012:rule/{schedule.name}"],
            "detail": {},
        }
        with self._jobs.job(schedule.name):
            try:
                schedule.handler(event, self._jobs.context(schedule.name))
            except Exception:
                log.exception("schedule %s failed", schedule.name)

    def _loop(self) -> None:
        while not self._stopping:
            self._changed.clear()
            self.fire_due()
            due = self.next_due()
            wait = LONGEST_WAIT_SECONDS if due is None else min(due - clock.now(), LONGEST_WAIT_SECONDS)
            self._changed.wait(max(wait, 0.0))
