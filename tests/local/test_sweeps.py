"""Stepping the clock leaves out the minutes in which the sweeper would find nothing, and nothing else."""

import string
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest

from app import app
from chalicelib import clock
from chalicelib.domain.ids import time_ordered
from chalicelib.domain.speed.times import next_collection
from chalicelib.operations import websites
from chalicelib.store import crawl_turns, crawls, items, keys, ownership, places
from chalicelib.store.lanes import LANES
from chalicelib.workers import sweeper
from host.schedules import Schedules
from local import embedded, moto_tables
from local.control import Clock
from local.pump import EmbeddedPump
from local.service import SWEEPS
from local.sweeps import GRACE_SECONDS, Work
from tests import aws, webhooks
from tests.servers.receiver import Receiver
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Site, html, new_website, start

pytestmark = pytest.mark.usefixtures("loopback_allowed", "own_week")

MINUTE, HOUR, DAY = 60, 3600, 86400
# A Sunday, 90 minutes before the weekly audits; not at a full minute, so that a moment's work ends in the same one.
START = datetime(2026, 11, 22, 0, 30, 20, tzinfo=UTC).timestamp()


class Noted:
    """app.py's functions; ``fired`` has the name and the minute of each schedule that fired."""

    def __init__(self) -> None:
        self.event_sources = app.event_sources
        self.fired: list[tuple[str, int]] = []
        self.handler_map = {name: self._noting(name, handler) for name, handler in app.handler_map.items()}

    def _noting(self, name: str, handler: Callable[..., Any]) -> Callable[..., Any]:
        def noted(event: Any, context: Any) -> Any:
            if event.get("source") == "aws.events":
                self.fired.append((name, minute()))
            return handler(event, context)

        return noted

    def minutes(self, name: str) -> list[int]:
        return [at for fired, at in self.fired if fired == name]


def minute() -> int:
    """Whole minutes since ``START``'s own."""
    return int(clock.now() // MINUTE - START // MINUTE)


@contextmanager
def service(noted: Noted, sweeps: tuple[str, ...]) -> Iterator[Clock]:
    """The service's queues and schedules; time passes only when the clock is stepped."""
    pump: Any = EmbeddedPump(noted)  # type: ignore[arg-type]
    schedules = Schedules(noted, pump.jobs)  # type: ignore[arg-type]
    pump.start()
    try:
        yield Clock(pump, schedules, sweeps)
    finally:
        pump.stop()


@pytest.fixture(autouse=True)
def at_start() -> Iterator[None]:
    with embedded.running():
        clock.set_offset(START - time.time())
        yield
    clock.set_offset(0.0)


def kind(key: moto_tables.Key) -> tuple[str, str, str]:
    """Table, and what sort of row: its keys without ids and times."""
    table, pk, sk = key
    return table, pk.partition("#")[0], (sk or "").partition("#")[0].strip(string.digits)


def site_id(daily_job_in: float) -> str:
    """An id of a website whose daily job falls due in the middle of a minute, so many seconds after ``START``."""
    found = (time_ordered("site", START, number.to_bytes(10)) for number in count())
    return next(one for one in found if abs(next_collection(one, START) - START - daily_job_in) < 15)


def night(sweeps: tuple[str, ...]) -> tuple[Counter[Any], list[int], Noted]:
    """Half past midnight to a quarter past two: webhooks that fail each time, of which one message to the outbox and
    one to the deliveries is lost; an audit whose worker died; the weekly audits. Gives how often rows of each kind
    changed in each minute, the minutes of the tries of the webhooks, and the schedules that fired."""
    embedded.clear()
    clock.set_offset(START - time.time())
    changes: Counter[Any] = Counter()
    tries: list[int] = []

    def refuse(_: object) -> int:
        tries.append(minute())
        return 500

    noted = Noted()
    site = Site({"/": html("The home page of a small website")})
    with Receiver(refuse) as receiver, WireServer(site) as server:
        webhooks.endpoint(receiver.url())
        webhooks.publish(webhooks.event())
        aws.purge("outbox")
        webhooks.publish(webhooks.event("issue.resolved"))
        website = new_website(server)
        header = start(website)
        aws.purge("crawl")
        place = places.start(header.workspace_id, header.site_id, header.id)
        crawl_turns.claim(header, now=clock.now(), lease_until=START + 40 * MINUTE, place=place, lane=LANES["crawl"])
        unlisten = moto_tables.listen(lambda key, item: changes.update([(minute(), *kind(key), item is None)]))
        try:
            with service(noted, sweeps) as service_clock:
                service_clock.advance(10 * MINUTE)
                aws.purge("deliveries")
                aws.purge("deliveries-failing")
                service_clock.advance(95 * MINUTE)
        finally:
            unlisten()
        audits = crawls.list_audits(website.id, 5)
    assert [(audit.status, audit.started_by) for audit in audits] == [("done", "schedule"), ("done", "person")]
    return changes, tries, noted


def test_a_simulated_night_has_the_same_results_if_idle_minutes_are_skipped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The id says when the website's daily job comes. It is the same in both nights, and the job comes in them.
    fixed = site_id(50 * MINUTE + 10)
    monkeypatch.setattr(websites, "time_ordered", lambda *_: fixed)
    changes, tries, noted = night(SWEEPS)
    all_changes, all_tries, all_noted = night(())
    assert tries == all_tries and len(tries) == 10
    assert changes == all_changes
    assert noted.minutes("weekly") == all_noted.minutes("weekly") == [90]
    assert all_noted.minutes("sweeper") == list(range(1, 106))
    assert set(noted.minutes("sweeper")) < set(all_noted.minutes("sweeper"))


def test_in_eight_idle_days_weekly_schedules_run_but_the_sweeper_runs_rarely() -> None:
    ownership.settle()  # or the first run writes a row
    noted = Noted()
    with service(noted, SWEEPS) as service_clock:
        service_clock.advance(8 * DAY)
    weekly = [90, 90 + 7 * 24 * 60]
    assert noted.minutes("weekly") == weekly
    # First for as long as something of before may be found, then beside another schedule.
    others = {at for fired, at in noted.fired if fired not in SWEEPS}
    for sweep in SWEEPS:
        assert noted.minutes(sweep) == [1, 2, 3, 4, 5, *sorted(others)]
    assert clock.now() == pytest.approx(START + 8 * DAY, abs=30)


def test_the_clock_skips_no_minute_soon_after_a_change_or_when_a_row_is_due() -> None:
    with Work() as work:
        clock.set_offset(clock.offset() + HOUR)
        now = clock.now()
        assert work.next(now) is None
        items.put("sites", {"pk": "A", "sk": "A", "dueShard": keys.due_shards()[0], "nextAuditAt": now + DAY})
        assert work.next(clock.now()) == pytest.approx(clock.now(), abs=30)
        later = now + 2 * GRACE_SECONDS
        assert work.next(later) == now + DAY
        assert work.next(now + DAY + MINUTE) == now + DAY + MINUTE
        assert work.next(now + DAY + 2 * GRACE_SECONDS) is None


def test_minutes_are_skipped_only_after_the_longest_delay_of_the_sweeper() -> None:
    waits = [value for name, value in vars(sweeper).items() if name.endswith("_SECONDS")]
    assert len(waits) >= 2
    assert max(waits) + MINUTE <= GRACE_SECONDS
