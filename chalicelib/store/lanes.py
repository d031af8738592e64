"""The two queues (lanes) of each kind of work: a fast one, where all work starts, and a slow one for websites that do
not answer in time.

A website becomes slow for a kind of work when a worker of the fast queue gets no answer from it within a time limit
(the queue's patience). A row of the website records for which kinds of work it is slow. The row is in the table of the
queue's jobs or crawls. Later work of such a kind goes to the slow queue, until the website answers there in time. Each
of the two queues has its own workers, so slow websites delay only each other.

In each queue a workspace has a limited number of concurrency slots (``slots``), fewer than the queue has workers.

Access patterns
- for which kinds of work a website is slow in a queue: Get SITE#s, SLOW#queue, in the same BatchGet as the job or the
  crawl. The row has one attribute for each kind
- the slots of a workspace in a queue: Get WS#w, SLOTS#lane
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.settings.core import core_settings
from chalicelib.store import keys, slots
from chalicelib.store.queues import Queue
from chalicelib.store.slots import Slots
from chalicelib.store.transactions import Update

REMEMBERED_SECONDS: Final = 7 * 86_400.0  # how long a website without work in the queue stays marked as slow
LONGEST_LEASE: Final = 600.0  # longest lease of a job or a crawl
FORWARDED_SECONDS: Final = 600.0  # how long work may wait in the slow queue before its message is sent again


@dataclass(frozen=True, slots=True)
class Lane:
    """One of the two queues for a kind of work.

    - ``queue``: the name of the fast queue, which also names the kind of work.
    - ``name``: the name of this queue.
    - ``table``: where the queue's jobs or crawls are stored.

    In the fast queue, work counts as slow if the website gives fewer than ``answers`` answers in ``patience`` seconds.
    """

    queue: Queue
    name: Queue
    table: str
    patience: float
    answers: int

    @property
    def is_slow(self) -> bool:
        return self.name != self.queue

    @property
    def slow_lane(self) -> Queue:
        """The name of the slow queue for the same kind of work."""
        return SLOW_LANES[self.queue]

    def too_slow(self, seconds: float, answers: int) -> bool:
        """Whether work counts as slow, given how many answers it got in how many seconds."""
        return seconds > self.patience and answers * self.patience < self.answers * seconds

    def slots_of(self, workspace_id: str) -> Slots:
        """Return the concurrency slots of a workspace in this queue."""
        return slots_of(self.table, workspace_id, self.name)

    def slow_key(self, site_id: str) -> tuple[str, str, str]:
        """Return table and key of the row that records for which kinds of this queue's work a website is slow."""
        return (self.table, *keys.slow_website(site_id, self.queue))

    def remember(self, site_id: str, work: str, now: float) -> Update:
        """Return the write that records that a website is slow for a kind of work."""
        return self._mark(site_id, work, "SET #work = :now, #ttl = :ttl", {":now": now}, now)

    def forget(self, site_id: str, work: str, now: float) -> Update:
        """Return the write that records that a website is no longer slow for a kind of work."""
        # The expiry time is written too, since this write creates an empty row if there is none.
        return self._mark(site_id, work, "SET #ttl = :ttl REMOVE #work", {}, now)

    def _mark(self, site_id: str, work: str, expression: str, values: Mapping[str, Any], now: float) -> Update:
        return Update(
            self.table,
            keys.slow_website(site_id, self.queue),
            expression,
            names={"#work": _attribute(work), "#ttl": "ttl"},
            values={**values, ":ttl": int(now + REMEMBERED_SECONDS)},
        )


def remembers(row: Mapping[str, Any] | None, work: str) -> bool:
    """Whether a website is slow for a kind of work. ``row``: the row of ``slow_key``; None if there is none."""
    return row is not None and _attribute(work) in row


def _attribute(work: str) -> str:
    return f"slow:{work}"


def slots_of(table: str, workspace_id: str, lane: str) -> Slots:
    """Return the concurrency slots of a workspace in a queue. ``table``: where the queue's jobs or crawls, and these
    slots, are stored."""
    count = int(core_settings().workspace_slots)
    return Slots(table, keys.workspace_slots(workspace_id, lane), count, LONGEST_LEASE)


SLOW_LANES: Final[dict[Queue, Queue]] = {
    "crawl": "crawl-slow",
    "recheck": "recheck-slow",
    "writes": "writes-slow",
    "imports": "imports-slow",
    "sampling": "sampling-slow",
    "agentic": "agentic-slow",
}


def _both(queue: Queue, table: str, patience: float, answers: int) -> dict[Queue, Lane]:
    return {name: Lane(queue, name, table, patience, answers) for name in (queue, SLOW_LANES[queue])}


# Patience is longer than a healthy step of the queue: a request to a CMS takes at most 30 seconds, a speed test and an
# assistant's answer a minute. A crawl that reads a page in three seconds is healthy. A recheck starts over in the slow
# queue, so a website with a crawl delay of ten seconds stays in the fast queue.
LANES: Final[dict[Queue, Lane]] = {
    **_both("crawl", "crawls", 30.0, 10),
    **_both("recheck", "crawls", 60.0, 5),
    **_both("writes", "jobs", 25.0, 10),
    **_both("imports", "jobs", 25.0, 2),
    **_both("sampling", "jobs", 90.0, 2),
    **_both("agentic", "jobs", 120.0, 2),
    # No slow queue: an export requests no website, and an unresponsive analytics property only once.
    "exports": Lane("exports", "exports", "jobs", float("inf"), 0),
}


def follow(table: str, workspace_id: str, lane: str | None, slot: int | None, until: float) -> tuple[Update, ...]:
    """Return the writes that make a concurrency slot end at the same time as the lease of its job or crawl. ``until``:
    the end of the lease; 0 frees the slot. No writes if the job or crawl holds no slot."""
    if slot is None or lane is None:
        return ()
    held = slots_of(table, workspace_id, lane)
    return (slots.extend(held, slot, until) if until else slots.free(held, slot),)
