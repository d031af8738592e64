"""Simulates Sunday's wave of weekly audits: ``python -m bench.sunday [--write]`` prints a table by hour.

This is a discrete-event simulation without randomness. Its numbers have three sources:

- The service's code: how many audits start each minute (``workers.weekly``), when the sweeper (a schedule that finds
  overdue work) sends messages again, the shards, and the number of concurrent functions (``infra.functions``).
- ``docs/scale-units.json``: the write units of each start, audit, recheck, event and delivery.
- The assumptions in ``bench.load``: how long each function runs, and how often websites have rechecks and events.

Depending on its website, an audit takes between 0.5 and 1.5 times the mean duration. It spreads its writes evenly over
this time. At its end, one event is sent to one endpoint. A recheck waits while its website's audit is queued or runs.
Throttling is not simulated. Instead, the result says when a limit is exceeded, and ``waves`` also simulates a wave of
longer audits.

``--functions N`` and ``--seconds S`` simulate a wave with other values. ``--write`` stores the waves in
``docs/scale-sunday.json``, from which ``docs/scale.md`` is made. Without these options the run fails if the waves
differ from the stored ones.
"""

import argparse
import heapq
import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import msgspec

from bench import load, measure
from chalicelib.store import crawls, keys
from chalicelib.workers import sweeper, weekly
from infra.functions import FUNCTIONS

KEPT: Final = load.UNITS.with_name("scale-sunday.json")
MINUTE, HOUR, DAY = 60, 3_600, 86_400
BEGINS: Final = 2 * HOUR  # the time on Sunday, in seconds, at which all websites are due
LONGEST: Final = 7 * DAY  # after this time the next wave begins
KINDS: Final = ("weekly start", "audit", "recheck", "event", "delivery")
QUEUES: Final = ("crawl", "recheck", "outbox", "deliveries")
# A start is a transaction and a message: 480 starts take about 15 seconds. A message alone takes a third of that.
START_SECONDS, SEND_SECONDS = 0.03, 0.01
KNOWN_SECONDS: Final = 0.1  # duration of a function whose message names an audit that is already claimed
TOGETHER: Final = 10  # this many of these messages are simulated together


class Break(NamedTuple):
    """An exceeded limit: when it is first exceeded (seconds after 02:00), what is exceeded, and what to do."""

    at: float
    what: str
    remedy: str


class Hour(NamedTuple):
    """One hour of the wave.

    If a number changes within the hour, its highest value is given. For ``writes``, it is the value of the minute with
    the most writes.

    - ``due``: websites that still wait for their start at the end of the hour.
    - ``ended``: audits that ended in the hour.
    - ``waiting``: messages in the queue ``crawl``.
    - ``oldest``: the longest time, in seconds, that a message has waited.
    - ``functions``: concurrent functions of all four queues.
    - ``writes`` and ``crawls``: write units per second of all tables, and of the table ``crawls``.
    - ``hottest``: the partition key with the most writes, and its write units per second.
    """

    due: int
    ended: int
    waiting: int
    oldest: float
    functions: int
    writes: float
    crawls: float
    hottest: tuple[str, float]


@dataclass(frozen=True, slots=True)
class Wave:
    """A simulated wave of audits.

    - ``functions``: how many functions run audits at once.
    - ``seconds``: the mean duration of an audit.
    - ``waiting``: the maximum number of audits that wait for a function. Each minute, audits are started until this
      many wait.
    - ``lasts``: seconds from 02:00 until the last audit ends.
    - ``repeated``: how many messages the sweeper sent again, because their audits were still queued.
    - ``done``: how many operations of each kind (``KINDS``) took place.
    - ``breaks``: the exceeded limits, earliest first.
    """

    functions: int
    seconds: float
    waiting: int
    lasts: float
    repeated: int
    done: dict[str, int]
    hours: tuple[Hour, ...]
    breaks: tuple[Break, ...]


class _Queue:
    """A queue and its functions. Each function takes one message at a time, in the order of arrival."""

    def __init__(self, functions: int) -> None:
        self.functions = functions
        self.busy = 0
        self.messages: deque[tuple[float, int]] = deque()


@dataclass(slots=True)
class _Seen:
    """The highest numbers that were seen in an hour."""

    due: int = 0
    ended: int = 0
    waiting: int = 0
    oldest: float = 0.0
    functions: int = 0


@dataclass(slots=True)
class _Website:
    """A website.

    ``held``: its audit is queued or running, or its recheck is running. ``queued_at``: when its audit was queued; None
    if its audit is not queued.
    """

    shard: int
    seconds: float
    held: bool = False
    queued_at: float | None = None
    rechecks: int = 0  # rechecks that wait for the audit's end


def functions_of(queue: str) -> int:
    """Return how many function instances of a deployment process this queue at once."""
    return next(function.concurrency for function in FUNCTIONS if function.queue == queue)


def taken_in_time(functions: int, seconds: float) -> int:
    """Return how many audits these functions can start before the sweeper sends their messages again. The result is 10%
    lower, as a reserve."""
    return int(0.9 * functions * crawls.QUEUED_GRACE_SECONDS / seconds)


def simulate(
    counted: dict[str, Any],
    *,
    websites: int = load.WEBSITES,
    functions: int | None = None,
    seconds: float = load.MONTH["audit"].seconds,
    waiting: int = weekly.WAITING,
) -> Wave:
    """Simulate a wave until its last audit ends.

    - ``functions``: how many functions process the queue ``crawl`` at once; None means as many as deployed.
    - ``seconds``: the mean duration of an audit.
    - ``waiting``: the maximum number of audits that wait for a function.
    """
    return _Simulation(counted, websites, functions or functions_of("crawl"), seconds, waiting).run()


class _Simulation:
    def __init__(self, counted: dict[str, Any], websites: int, functions: int, seconds: float, waiting: int) -> None:
        self._counted, self._seconds, self._waiting = counted, seconds, waiting
        shards = [int(keys.shard(f"website-{number}")) for number in range(websites)]
        # Multiples of the golden ratio, modulo 1: evenly spread between 0.5 and 1.5, without a period.
        self._websites = [
            _Website(shard, seconds * (0.5 + number * 0.6180339887 % 1)) for number, shard in enumerate(shards)
        ]
        self._due: list[deque[int]] = [deque() for _ in keys.shards()]
        for number, shard in enumerate(shards):
            self._due[shard].append(number)
        self._queues = {name: _Queue(functions_of(name)) for name in QUEUES}
        self._queues["crawl"].functions = functions
        self._overdue: deque[int] = deque()  # audits in the order in which they were queued
        self._left, self._repeated, self._ended_at = websites, 0, 0.0
        self._busy = 0  # functions of all queues
        self._late_at: float | None = None  # when a message first waited too long
        self._hours: list[_Seen] = []
        self._work: dict[str, list[list[float]]] = {kind: [] for kind in KINDS}  # minute -> shard -> how many
        self._events: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._sequence = 0
        self._now = 0.0

    def run(self) -> Wave:
        self._at(0.0, self._minute)
        self._at(0.0, self._requested, "recheck", 0)
        self._at(0.0, self._requested, "event", 0)
        while self._left and self._now < LONGEST:
            self._now, _, happens, arguments = heapq.heappop(self._events)
            happens(*arguments)
        return Wave(
            functions=self._queues["crawl"].functions,
            seconds=self._seconds,
            waiting=self._waiting,
            lasts=self._ended_at,
            repeated=self._repeated,
            done={kind: round(sum(map(sum, minutes))) for kind, minutes in self._work.items()},
            hours=tuple(self._told()),
            breaks=tuple(sorted(self._breaks())),
        )

    def _at(self, at: float, happens: Callable[..., None], *arguments: Any) -> None:
        self._sequence += 1
        heapq.heappush(self._events, (at, self._sequence, happens, arguments))

    # -- events ------------------------------------------------------------------------------------------

    def _minute(self) -> None:
        """Simulate the sweeper's run: it sends queued audits again, then starts others."""
        self._at(self._now + MINUTE, self._minute)
        queued = [number for number in self._overdue if self._websites[number].queued_at is not None]
        self._overdue = deque(queued)
        late = self._now - crawls.QUEUED_GRACE_SECONDS
        overdue = [number for number in queued if (self._websites[number].queued_at or 0.0) <= late]
        again = overdue[: int(sweeper.PART_SECONDS / SEND_SECONDS)]
        at = self._now + len(again) * SEND_SECONDS
        self._repeated += len(again)
        self._at(at, self._sent, "crawl", *again)
        most = self._waiting - len(queued)
        first = int((BEGINS + self._now) // MINUTE) % len(self._due)
        until = at + weekly.SECONDS
        for shard in [*range(first, len(self._due)), *range(first)]:
            at, started = self._start(shard, at, until, most)
            most -= started
        self._seen().due = sum(map(len, self._due))

    def _start(self, shard: int, at: float, until: float, most: int) -> tuple[float, int]:
        """Start at most ``most`` audits of a shard from ``at`` on.

        Returns the time of the last start, and the number of started audits.
        """
        due, started = self._due[shard], 0
        passed: list[int] = []
        while due and started < most and len(passed) < weekly.EXAMINED_A_SHARD and at < until:
            number = due.popleft()
            website = self._websites[number]
            if website.held:
                passed.append(number)
                continue
            at += START_SECONDS
            started += 1
            website.held, website.queued_at = True, at
            self._overdue.append(number)
            self._spend("weekly start", number, at)
            self._at(at, self._sent, "crawl", number)
        due.extendleft(reversed(passed))
        return at, started

    def _requested(self, kind: str, turn: int) -> None:
        """Request a recheck or event of a website. The requests of all websites together come at equal intervals."""
        count = len(self._websites)
        number = turn * 61_803 % count
        self._at(self._now + load.DAYS * DAY / (load.MONTH[kind].often * count), self._requested, kind, turn + 1)
        if kind == "event":
            self._sent("outbox", number)
        elif self._websites[number].held:
            self._websites[number].rechecks += 1
        else:
            self._websites[number].held = True
            self._sent("recheck", number)

    def _sent(self, queue: str, *numbers: int) -> None:
        line = self._queues[queue]
        line.messages.extend((self._now, number) for number in numbers)
        self._take(queue, line)
        if queue == "crawl":
            seen = self._seen()
            seen.waiting = max(seen.waiting, len(line.messages))

    def _take(self, queue: str, line: _Queue) -> None:
        while line.messages and line.busy < line.functions:
            sent_at, number = line.messages.popleft()
            line.busy += 1
            self._busy += 1
            seen = self._seen()
            seen.functions = max(seen.functions, self._busy)
            website = self._websites[number]
            if queue == "crawl":
                seen.oldest = max(seen.oldest, self._now - sent_at)
                if self._late_at is None and self._now - sent_at > crawls.QUEUED_GRACE_SECONDS:
                    self._late_at = self._now
                if website.queued_at is None:
                    self._at(self._now + self._known(line) * KNOWN_SECONDS, self._freed, queue)
                    continue
                website.queued_at = None
                seconds, kind = website.seconds, "audit"
            else:
                kind = {"recheck": "recheck", "outbox": "event", "deliveries": "delivery"}[queue]
                seconds = load.MONTH[kind].seconds
            self._spend(kind, number, self._now, seconds)
            self._at(self._now + seconds, self._ended, queue, number)

    def _known(self, line: _Queue) -> int:
        """Take further messages of audits that were already claimed, up to ``TOGETHER`` in total, to the same function.

        Returns how many messages the function then has. Without this, the simulation would take twice the time.
        """
        count = 1
        while count < TOGETHER and line.messages and self._websites[line.messages[0][1]].queued_at is None:
            line.messages.popleft()
            count += 1
        return count

    def _freed(self, queue: str) -> None:
        line = self._queues[queue]
        line.busy -= 1
        self._busy -= 1
        self._take(queue, line)

    def _ended(self, queue: str, number: int) -> None:
        website = self._websites[number]
        if queue == "crawl":
            self._left -= 1
            self._ended_at = self._now
            self._seen().ended += 1
        if queue in ("crawl", "recheck"):
            website.held = website.rechecks > 0
            if website.held:
                website.rechecks -= 1
                self._sent("recheck", number)
            self._sent("outbox", number)
        elif queue == "outbox":
            self._sent("deliveries", number)
        self._freed(queue)

    # -- results -----------------------------------------------------------------------------------------

    def _seen(self) -> _Seen:
        hour = int(self._now // HOUR)
        while len(self._hours) <= hour:
            self._hours.append(_Seen())
        return self._hours[hour]

    def _spend(self, kind: str, number: int, begins: float, seconds: float = 0.0) -> None:
        """Spread one operation over the minutes that it takes, in proportion to its time in each."""
        minutes, shard = self._work[kind], self._websites[number].shard
        ends = begins + seconds
        last = int(ends // MINUTE)
        while len(minutes) <= last:
            minutes.append([0.0] * len(self._due))
        first = int(begins // MINUTE)
        if first == last:
            minutes[first][shard] += 1.0
            return
        for minute in range(first, last + 1):
            part = min(ends, (minute + 1) * MINUTE) - max(begins, minute * MINUTE)
            minutes[minute][shard] += part / seconds

    def _by_table(self, minute: int) -> dict[str, float]:
        """Return the write units per second of each table and index in a minute."""
        found: dict[str, float] = {}
        for kind, minutes in self._work.items():
            made = sum(minutes[minute]) if minute < len(minutes) else 0.0
            for table, units in self._counted["tables"][kind].items():
                found[table] = found.get(table, 0.0) + made * units / MINUTE
        return found

    def _hottest(self, minute: int) -> tuple[str, float]:
        """Return the partition that is written most in a minute: the rows of one audit, or a shard of an index."""
        own = self._counted["hottest"]["crawls"] / max(MINUTE, self._seconds / 2)
        found = [("one audit's rows in `crawls`", own if self._made("audit", minute) else 0.0)]
        for name in ("due", "running", "overdueJobs", "dueDeliveries"):
            shards = [0.0] * len(self._due)
            for kind, minutes in self._work.items():
                units = self._counted["tables"][kind].get(f"index {name}", 0.0)
                if units and minute < len(minutes):
                    shards = [sum_ + made * units for sum_, made in zip(shards, minutes[minute], strict=True)]
            found.append((f"a shard of the index `{name}`", max(shards) / MINUTE))
        name, units = max(found, key=lambda one: one[1])
        return name, round(units, 1)

    def _made(self, kind: str, minute: int) -> float:
        minutes = self._work[kind]
        return sum(minutes[minute]) if minute < len(minutes) else 0.0

    def _told(self) -> Iterator[Hour]:
        for hour, seen in enumerate(self._hours):
            minutes = range(hour * MINUTE, (hour + 1) * MINUTE)
            tables = [self._by_table(minute) for minute in minutes]
            yield Hour(
                due=seen.due,
                ended=seen.ended,
                waiting=seen.waiting,
                oldest=round(seen.oldest, 1),
                functions=seen.functions,
                writes=round(max(sum(one.values()) for one in tables), 1),
                crawls=round(max(one.get("crawls", 0.0) for one in tables), 1),
                hottest=max((self._hottest(minute) for minute in minutes), key=lambda one: one[1]),
            )

    def _breaks(self) -> Iterator[Break]:
        passed: dict[str, tuple[float, float]] = {}  # table, or partition -> when first, and the most
        for minute in range(max(map(len, self._work.values()))):
            found = {f"table `{table}`": units for table, units in self._by_table(minute).items() if " " not in table}
            found = {name: units for name, units in found.items() if units > load.FIRST_WRITES}
            key, units = self._hottest(minute)
            found |= {key: units} if units > load.PARTITION_WRITES else {}
            for name, units in found.items():
                first, most = passed.get(name, (minute * MINUTE, 0.0))
                passed[name] = (first, max(most, units))
        for name, (at, most) in passed.items():
            if name.startswith("table"):
                remedy = f"raise the table's warm throughput to {most:,.0f} write units"
                yield Break(at, f"{name} throttles at {load.FIRST_WRITES:,} write units a second", remedy)
            else:
                yield Break(
                    at,
                    f"{name} throttle at {load.PARTITION_WRITES:,} write units a second",
                    "raise the number of shards",
                )
        if self._late_at is not None:
            what = (
                f"audits wait more than {crawls.QUEUED_GRACE_SECONDS:.0f} seconds, so their messages are sent again "
                "each minute"
            )
            fewer = taken_in_time(self._queues["crawl"].functions, self._seconds)
            lower = f", or lower `WAITING` to {fewer}" if fewer < self._waiting else ""
            yield Break(self._late_at, what, f"raise `concurrency` of `crawl`{lower}")
        if self._ended_at > DAY - BEGINS:
            yield Break(DAY - BEGINS, "the wave outlasts Sunday", "raise `concurrency` of `crawl`")


def clock_of(seconds: float) -> str:
    """Format a time after 02:00 on Sunday, for example ``Sun 14:05``."""
    days, rest = divmod(int(BEGINS + seconds), DAY)
    return (
        f"{('Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun')[days]} {rest // HOUR:02}:{rest % HOUR // MINUTE:02}"
    )


def rows(wave: Wave) -> list[tuple[str, ...]]:
    """Return the rows of the table by hour, with the columns of ``HEAD``."""
    return [
        (
            clock_of(hour * HOUR),
            f"{one.due:,}",
            f"{one.ended:,}",
            f"{one.waiting:,}",
            f"{one.oldest:,.0f}",
            f"{one.functions:,}",
            f"{one.writes:,.0f}",
            f"{one.crawls:,.0f}",
            f"{one.hottest[1]:,.0f}: {one.hottest[0]}",
        )
        for hour, one in enumerate(wave.hours)
    ]


HEAD: Final = (
    *("from", "due at its end", "audits ended", "messages in `crawl`", "oldest, seconds", "functions at once"),
    *("write units a second", "of them table `crawls`", "hottest partition key"),
)


def waves(counted: dict[str, Any]) -> list[Wave]:
    """Simulate the waves of ``docs/scale.md``.

    - The wave with the numbers of the deployment.
    - A wave of longer audits. DynamoDB slows them down, because it accepts no more writes to the table ``crawls`` than
      to a new table.
    - A wave with twice as many functions.
    - Two waves with four times as many functions: one with the deployment's limit of waiting audits, and one with as
      many waiting audits as these functions can start in time.
    """
    deployed, seconds = functions_of("crawl"), load.MONTH["audit"].seconds
    throttled = deployed * counted["tables"]["audit"]["crawls"] / load.FIRST_WRITES
    most, many = weekly.WAITING, 4 * deployed
    asked = (
        (deployed, seconds, most),
        (deployed, max(seconds, throttled), most),
        (2 * deployed, seconds, most),
        (many, seconds, most),
        (many, seconds, taken_in_time(many, seconds)),
    )
    return [simulate(counted, functions=each, seconds=round(long, 1), waiting=up_to) for each, long, up_to in asked]


def kept() -> list[Wave]:
    """Read the stored waves."""
    return msgspec.json.decode(KEPT.read_bytes(), type=list[Wave])


def in_words(wave: Wave) -> str:
    """Describe a wave: a table by hour, and the exceeded limits."""
    what = f"{wave.functions} functions, {wave.seconds:g} seconds an audit, {wave.waiting} messages waiting"
    lines = [f"{what}: {wave.done}"]
    lines += [" | ".join(line) for line in (HEAD, *rows(wave))]
    lines += [f"the last audit ends {clock_of(wave.lasts)}; {wave.repeated:,} messages were sent again"]
    return "\n".join(lines + [f"{clock_of(one.at)}: {one.what}; {one.remedy}" for one in wave.breaks])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.sunday", description="Simulate Sunday's wave of audits.")
    parser.add_argument(
        "--functions", type=int, help="simulate one wave with this many functions for the queue `crawl`"
    )
    parser.add_argument(
        "--seconds", type=float, help="simulate one wave with audits that take this many seconds on average"
    )
    parser.add_argument("--write", action="store_true", help=f"keep the waves in docs/{KEPT.name}")
    given = parser.parse_args()
    counted = load.counts()
    if given.functions or given.seconds:
        print(
            in_words(simulate(counted, functions=given.functions, seconds=given.seconds or load.MONTH["audit"].seconds))
        )
        return 0
    found = waves(counted)
    print("\n\n".join(map(in_words, found)))
    if given.write:
        KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
        return 0
    return measure.ended(problems(found, kept()))


def problems(found: list[Wave], stored: list[Wave]) -> list[str]:
    """Describe the waves that differ from the stored waves."""
    if len(found) != len(stored):
        return [f"{len(found)} waves were simulated, but {len(stored)} are stored"]
    return [
        f"the results for {one.functions} functions differ from the stored ones: run this script with --write"
        for one, other in zip(found, stored, strict=True)
        if one != other
    ]


if __name__ == "__main__":
    sys.exit(main())
