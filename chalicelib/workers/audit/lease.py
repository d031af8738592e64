"""A worker's lease on its claimed crawl: claiming, renewing during long steps, and moving between the fast and the slow
queue.

Failure policy, for audits and rechecks
- A claim takes the crawl and one of its workspace's concurrency slots in the queue, in one transaction. The commit that
  ends the lease frees the slot. The slot of a killed worker becomes free when the worker's lease is over.
- A crawl that finds no slot is postponed for some seconds. That does not count as a failed attempt. Only the worker
  that postpones the crawl's row sends the next message.
- A crawl is worked on in parts (slices). After each slice, it waits longer than the postponed crawls of its workspace,
  so that the postponed crawls get the slot first. The row that counts the slots also records that crawls are postponed.
- If the website of a crawl in the fast queue is slow, the crawl is forwarded to the slow queue without a claim.
- A crawl that waits too long for answers in the fast queue releases its worker. Committed work stays, and the crawl
  continues in the slow queue. One transaction releases the crawl, frees its slot, and records that the website is slow.
  If the worker is killed after this transaction, the sweeper sends the message.
"""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from chalicelib import clock
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.operations.audits import send_slice
from chalicelib.store import crawl_turns, crawls, slots
from chalicelib.store.lanes import Lane
from chalicelib.store.queues import Queue
from chalicelib.store.slots import NoSlot
from chalicelib.store.transactions import Update, Write
from chalicelib.workers.audit.window import OrderedWindow
from chalicelib.workers.jobs import is_nearly_due, put_off_seconds
from chalicelib.workers.patience import Watch

LEASE_SECONDS = 240.0  # the fence, not the lease, is what keeps two workers apart
RENEW_SECONDS = 60.0  # how often the lease is renewed, and a request to cancel is noticed

T = TypeVar("T")


class Turn(NamedTuple):
    """A crawl that a worker of a queue has claimed.

    ``was_slow``: whether the crawl's website was slow before, at this kind of crawl.
    """

    header: CrawlHeader
    lane: Lane
    was_slow: bool
    watch: Watch

    def remembered(self) -> Sequence[Write]:
        """Return the write that marks the website as slow, or as no longer slow. The list is empty if the mark has not
        changed."""
        is_slow = self._is_slow()
        if is_slow == self.was_slow:
            return ()
        mark = self.lane.remember if is_slow else self.lane.forget
        return [mark(self.header.site_id, self.header.kind, clock.now())]

    @property
    def goes_on_in(self) -> Queue | None:
        """The queue of the crawl's next slice; None for the fast queue."""
        return self.lane.slow_lane if self._is_slow() else None

    def _is_slow(self) -> bool:
        return self.watch.counts_as_slow(self.was_slow)

    def give_back(self) -> None:
        """Release the claim. The crawl continues in the slow queue, from its last commit. Raises ``FenceLost``."""
        crawl_turns.give_back(self.header, clock.now(), self.remembered())
        send_slice(self.header, lane=self.lane.slow_lane)


def comes_early(header: CrawlHeader, lane: Lane) -> bool:
    """Whether a message came before the time at which the crawl is due. If the crawl is to be cancelled, its message is
    never early.

    If a message came only a moment early, because the clocks of two machines differ, it is sent again with the
    remaining delay.
    """
    now = clock.now()
    if header.due_at <= now or header.cancel_requested:
        return False
    if is_nearly_due(header.due_at, now):
        send_slice(header, delay_seconds=header.due_at - now, lane=lane.name)
    return True


def belongs_elsewhere(header: CrawlHeader, lane: Lane, *, slow: bool) -> bool:
    """Forward the crawl to the slow queue if its website is slow and this is the fast queue.

    Returns False if the crawl is already in the right queue.
    """
    if lane.is_slow or not slow:
        return False
    if crawl_turns.forward(header, clock.now()):
        send_slice(header, lane=lane.slow_lane)
    return True


def claim(header: CrawlHeader, lane: Lane, place: Update | None, *, slow: bool) -> Turn | None:
    """Claim the crawl for a worker of a queue. Returns None if another worker has the crawl, or if the crawl has
    changed since ``header`` was read.

    If the workspace has no free concurrency slot, this postpones the crawl and raises ``NoSlot``.

    ``place``: the write that takes the website's crawl lock. It is part of the transaction that claims the crawl. None
    if no lock is needed.
    """
    now = clock.now()
    try:
        claimed = crawl_turns.claim(header, now=now, lease_until=now + LEASE_SECONDS, place=place, lane=lane)
    except NoSlot as full:
        wait = put_off_seconds()
        if crawl_turns.postpone(header, now + wait, now):
            send_slice(header, delay_seconds=wait, lane=lane.name)
            slots.note_awaited(lane.slots_of(header.workspace_id), full, now + wait, now)
        raise
    return None if claimed is None else Turn(claimed, lane, slow, Watch(lane))


class Lease:
    """The lease on a claimed crawl.

    ``heeds_cancel``: whether a request to cancel raises ``CancelRequested``. It is False if the worker already knows of
    the request, or if the request must not interrupt the remaining work.
    """

    def __init__(self, header: CrawlHeader, watch: Watch) -> None:
        self._header = header
        self._watch = watch
        self._kept_at = clock.monotonic()
        self.heeds_cancel = not header.cancel_requested

    def due(self) -> bool:
        """Whether it is time to renew the lease."""
        return clock.monotonic() - self._kept_at >= RENEW_SECONDS

    def keep(self) -> None:
        """Renew the lease if it is due. Raises ``FenceLost`` and ``CancelRequested``."""
        if self.due():
            crawls.renew(self._header, clock.now() + LEASE_SECONDS, heed_cancel=self.heeds_cancel)
            self.kept()

    def wait(self) -> None:
        """Renew the lease if it is due, while waiting for the website.

        Raises the same errors as ``keep``. In the fast queue, it also raises ``OutOfPatience`` if too few answers came.
        """
        self._watch.check()
        self.keep()

    def answered(self) -> None:
        """Count an answer of the website."""
        self._watch.answered()

    def kept(self) -> None:
        """Record that the lease was just renewed, by ``keep`` or with a checkpoint."""
        self._kept_at = clock.monotonic()


async def during(step: Coroutine[Any, Any, T], keep: Callable[[], None]) -> T:
    """Run a long step, and call ``keep`` every few seconds to renew the lease. An error of ``keep`` ends the step."""

    def go_on() -> bool:
        keep()
        return True

    with OrderedWindow[T]() as window:
        window.ask(step)
        await window.arrives(go_on)
        return cast(T, window.take())
