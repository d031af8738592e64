"""The worker of the queues ``writes`` and ``writes-slow``: writes the approved changes of one batch through the
website's CMS or shop, and checks for each change whether the live page shows it.

Trigger: a message {siteId, jobId}, sent when a batch was approved, when the batch before it is done, and by the
sweeper. A website's batches are written one by one, in the order of approval. A waiting batch is not in the index of
jobs; the transaction that ends one batch adds the next one to the index.

The changes of a batch are stored, sent and committed in blocks of 25. Each change has a permanent id (batch and
number). If the CMS already knows the id, it repeats its first answer. So a request may be repeated until its answer is
committed.

Failure policy
- Killed before a block was claimed: its changes are still approved. When the lease is over, the next worker claims the
  block.
- Killed after changes were sent and before their block was committed: the block says ``applying``, and the CMS may have
  written them. They are sent again with the same ids, the CMS repeats its answers, and the pages are read again.
- Killed after a block was committed: the next worker continues with the following block.
- Killed before the last transaction: all blocks are final, and the next worker ends the batch.
- The last transaction (``writing.ending``) writes the batch, the issue, its recheck, the submission to search engines
  (``workers.index_now``), the events, the website's queue and the next batch's job. So all of these are done together,
  and only once. If the worker is killed after it, the sweeper finds the recheck and the jobs.
- A change without an answer is tried five times in thirty minutes, and then fails. When a whole block gets no answer,
  the CMS is assumed to be down: the rest of the batch waits for the next try, and this try is one of the five tries of
  all changes in the batch.
- A CMS that asks the service to wait gets no request until the time that it names, within these thirty minutes. If the
  CMS accepted some changes before, it is only slow. Then these waits do not count as tries, up to two hours in all.
- Three workers in a row finish no block, for any reason (a block that is only claimed is not finished): the next worker
  fails all unwritten changes and ends the batch. If ending the batch fails too, the seventh worker removes the batch
  from the website's queue (``writing.stalled``).
- An undo marks the changes that it undoes as reverted, in the transaction of its own block. If these changes do not fit
  into one transaction, several transactions mark them. If the worker is killed between two of these, the CMS repeats
  its answers.
- A change of a file is the only change of its batch. If robots.txt cannot be read, this counts as no answer. The last
  transaction updates the record of the file's last approved content. Until then, this record has the state
  ``applying``, which is only displayed.
- If the function ``reader`` is configured, it reads the pages. If the function cannot be called, or fails at a page,
  the change records that its page was not read. This causes no further request to the CMS. If robots.txt cannot be
  read, see above.
- A change that certainly did not reach the CMS becomes ``approved`` again until the next try.
- A batch is cancelled: its unfinished changes fail and are not sent again. The reason says whether they may have been
  written. A batch that waited for others ends without waiting. The block in progress is finished. The website's queue
  lists the batch as cancelled until the last transaction, so that the next worker completes a killed worker's work.
- The CMS's answers show that access was lost or restored: the connection is checked after this round of requests. If
  the worker is killed before the check, the answers of the next round show this again.
- If the website was removed, it has no batches any more, and nothing is left to do.
- The CMS does not answer in time: the batch moves to the slow queue. There the block in progress is sent again with the
  same ids. This does not count as a try (see ``jobs``).
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import msgspec

from chalicelib import clock
from chalicelib.connectors.cms import Cms
from chalicelib.connectors.live_reader import AT_ONCE, LONGEST_READING
from chalicelib.connectors.target import Target
from chalicelib.domain.changes.batch import BLOCK, WAITING, WRITTEN, Change, batch_of, in_blocks, replaced
from chalicelib.domain.jobs import STALLED_TAKEOVERS
from chalicelib.domain.readiness.written import held_text
from chalicelib.operations import cancelling, connections
from chalicelib.operations.access import Watched
from chalicelib.operations.readiness import home_of
from chalicelib.store import changes, readiness, websites
from chalicelib.store import connections as credentials
from chalicelib.store.changes import Loaded
from chalicelib.store.errors import Conflict, FenceLost
from chalicelib.store.lanes import LANES, Lane
from chalicelib.store.transactions import Put, Write, commit
from chalicelib.store.websites import Website
from chalicelib.workers.audit.crawl import Context
from chalicelib.workers.audit.lease import during
from chalicelib.workers.jobs import JobLease, at_work, take
from chalicelib.workers.writing.ending import end
from chalicelib.workers.writing.files import FileSender
from chalicelib.workers.writing.live import LivePages
from chalicelib.workers.writing.reading import reader_of
from chalicelib.workers.writing.sending import FieldSender, Sender, Sent
from chalicelib.workers.writing.stalled import MOST_TAKEOVERS, release

TRY_AGAIN_AFTER: Final = (120.0, 300.0, 480.0, 900.0)  # seconds between the five tries: thirty minutes in all
MOST_SLOWED: Final = 7_200.0  # seconds that a batch waits for a CMS that accepts only some changes at a time
LEAST_WAIT: Final = 10.0  # seconds, even if the CMS asks for a shorter wait
BLOCK_SECONDS: Final = 150.0  # time for a block: four requests of thirty seconds in a row, and the reading of its pages
MARGIN_SECONDS: Final = LONGEST_READING + 10.0  # time for a reading in progress, and for the block's commit
TRIES: Final = 5  # tries of a transaction after conflicts

GONE: Final = "The website is no longer connected to its CMS."
STALLED: Final = "The service was interrupted several times. It is not known whether the CMS has written the value."


def handle(message: Mapping[str, Any], context: Context) -> None:
    """Continue the batch whose job the message names. Does nothing if the batch needs no work now."""
    _handle(message, context, LANES["writes"])


def handle_slow(message: Mapping[str, Any], context: Context) -> None:
    """Continue the batch whose job the message names. Used for the slow queue, which has the work of websites that do
    not answer in time."""
    _handle(message, context, LANES["writes-slow"])


def _handle(message: Mapping[str, Any], context: Context, lane: Lane) -> None:
    place, batch_id = changes.place(message["siteId"]), batch_of(message["jobId"])
    if batch_id in place.waiting:
        return  # it waits for an earlier batch
    lease = take(message, lane)  # None if it is done
    if lease is None:
        return
    cancelled = place.cancelled.get(batch_id)
    if not place.may_go_on(batch_id):
        # An earlier release, which does not know cancelled batches, has stored the queue without this batch.
        cancelled = cancelling.DROPPED
    with at_work(lease):
        _go_on(lease, batch_id, cancelled, context.get_remaining_time_in_millis() / 1000)


def _go_on(lease: JobLease, batch_id: str, cancelled: str | None, seconds: float) -> None:
    job = lease.job
    if job.stalled > MOST_TAKEOVERS:
        release(lease, job.site_id, batch_id)
        return
    website, loaded = websites.get(job.workspace_id, job.site_id), changes.load(job.site_id, batch_id)
    if website is None or loaded is None:
        lease.commit(job.done(clock.now(), "The website or the batch no longer exists."), [])
        return
    writing = Writing(lease, website, loaded)
    writing.stop(cancelled)
    if job.stalled > STALLED_TAKEOVERS:
        writing.fail(STALLED)
    connected = credentials.get(website.id, loaded.batch.source)
    if connected is None:
        writing.fail(GONE)
    if connected is not None and writing.waits:
        target = Watched(connections.target(connected))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            sender = writing.sender(target, pool)
            ended = asyncio.run(during(writing.round(sender, clock.monotonic() + seconds), lease.wait))
        connections.learn(website, loaded.batch.source, target)
        if not ended:  # the worker's time is over; the next worker continues
            lease.hand_over()
            return
        if writing.waits:
            writing.stop(writing.cancelled())
    if writing.waits and not writing.tries_again():
        writing.fail(None)
    if not writing.waits:
        end(lease, website, writing.batch, writing.changes)


class Writing:
    """A batch that a worker has claimed, as it is stored."""

    def __init__(self, lease: JobLease, website: Website, loaded: Loaded) -> None:
        self.lease = lease
        self.website = website
        self.batch, self.changes = loaded.batch, list(loaded.changes)
        self._revisions = list(loaded.revisions)
        self._progressed = False  # whether the CMS has answered at all in this round
        self._wait: float | None = None  # seconds that the CMS asked to wait
        self._first: frozenset[int] = frozenset()  # numbers of the taken block's changes that were never sent before
        self._originals = self._load_originals()

    @property
    def waits(self) -> bool:
        """Whether the result of at least one change is still unknown."""
        return any(change.status in WAITING for change in self.changes)

    def sender(self, target: Target, pool: ThreadPoolExecutor) -> Sender:
        """Make the sender for the batch's changes."""
        # The undo token of each change of an earlier batch; empty if this is not an undo.
        undoes = self.batch.undoes
        tokens = {} if undoes is None else changes.tokens_of(self.website.id, undoes, self.changes)
        if not self.batch.is_file:
            return FieldSender(target, pool, self.batch, tokens, lambda change: change.number in self._first)
        last = readiness.load_last(self.website.id, self.batch.field)  # type: ignore[arg-type]  # of a file
        if last is not None and last.batch_id == self.batch.id:
            # Only for display. A conflict means that other content was approved since.
            with contextlib.suppress(Conflict):
                applying = msgspec.structs.replace(last, status="applying")
                commit([readiness.put_last(self.website.id, applying, replaces=self.batch.id)])
        cms: Cms = target  # type: ignore[assignment]  # only a CMS writes files
        return FileSender(cms, pool, self.batch, tokens, home_of(self.website), held_text(last))

    async def round(self, sender: Sender, until: float) -> bool:
        """Send all unfinished changes, block by block. Each block is committed separately. Raises ``FenceLost``.

        Returns False if the time ``until`` (monotonic seconds) was reached before all blocks were sent.
        """
        first = self.lease.job.payload.get("block", 0)
        numbers = [number for number in range(first, self.batch.blocks) if self._waiting(number)]
        if not numbers:
            return True
        self.lease.begin(self._take(numbers[0]), block=numbers[0])
        async with reader_of(self.website.host) as reader:
            for number, following in zip(numbers, [*numbers[1:], None], strict=True):
                pages = LivePages(
                    reader,
                    seed=f"{self.batch.id} {self.lease.job.fence}",
                    stop_at=clock.monotonic() + BLOCK_SECONDS,
                    watch=self.lease.watch,
                )
                sent = await sender.send(self._block(number), pages)
                in_time = clock.monotonic() + BLOCK_SECONDS + MARGIN_SECONDS < until
                is_over = not sent.answered or sent.wait is not None
                goes_on = in_time and not is_over and (following is None or self.cancelled() is None)
                self._sent(number, sent, following if goes_on else None)
                self._progressed, self._wait = self._progressed or sent.answered > 0, sent.wait
                if is_over or (in_time and not goes_on):
                    return True
                if not in_time and following is not None:
                    return False
        return True

    def tries_again(self) -> bool:
        """Postpone unanswered changes until the next try. Returns False if no try is left. Raises ``FenceLost``."""
        payload = self.lease.job.payload
        tried, waited, slowed = payload.get("tries", 0), payload.get("waited", 0.0), payload.get("slowed", 0.0)
        if self._wait is not None and self._progressed and slowed < MOST_SLOWED:
            wait = min(max(self._wait, LEAST_WAIT), MOST_SLOWED - slowed)
            self.lease.hand_over(wait, block=0, tries=0, waited=0.0, slowed=slowed + wait)
            return True
        left = sum(TRY_AGAIN_AFTER) - waited
        if tried >= len(TRY_AGAIN_AFTER) or left <= 0:
            return False
        wait = min(max(TRY_AGAIN_AFTER[tried], self._wait or 0.0), left)
        self.lease.hand_over(wait, block=0, tries=tried + 1, waited=waited + wait)
        return True

    def fail(self, error: str | None) -> None:
        """Fail all unfinished changes with this error. Raises ``FenceLost``.

        ``error``: None to use the last error of each change.
        """
        self._fail(lambda change: error or change.error or "The CMS did not answer.")

    def cancelled(self) -> str | None:
        """Return why the batch was cancelled; None if it is not cancelled. This takes one round trip to the store."""
        return changes.place(self.website.id).cancelled.get(self.batch.id)

    def stop(self, reason: str | None) -> None:
        """Fail the unfinished changes of a cancelled batch. Raises ``FenceLost``.

        ``reason``: why it was cancelled. None means that the batch is not cancelled; then nothing happens.

        If a change was sent and no answer came, the change is not sent again to find out the result, because the CMS
        could write it then.
        """
        if reason is not None:
            self._fail(lambda change: cancelling.words(reason, was_sent=change.status == "applying"))

    def _fail(self, why: Callable[[Change], str]) -> None:
        for number in range(self.batch.blocks):
            block = [
                change.ended("failed", why(change)) if change.status in WAITING else change
                for change in self._block(number)
            ]
            if block != self._block(number):
                self._commit(self._put(number, block))

    # -- blocks ----------------------------------------------------------------------------------------------

    def _block(self, number: int) -> list[Change]:
        return self.changes[number * BLOCK : (number + 1) * BLOCK]

    def _waiting(self, number: int) -> bool:
        return any(change.status in WAITING for change in self._block(number))

    def _take(self, number: int) -> list[Write]:
        """Return the writes that claim a block. They are committed before any change of the block is sent."""
        block = self._block(number)
        self._first = frozenset(change.number for change in block if change.status == "approved")
        taken = [change.taken() if change.status in WAITING else change for change in block]
        writes: list[Write] = [] if taken == block else self._put(number, taken)
        if self.batch.status == "approved":
            self.batch = msgspec.structs.replace(self.batch, status="applying")
            writes.append(changes.put_batch(self.batch))
        return writes

    def _put(self, number: int, block: Sequence[Change]) -> list[Write]:
        seen = self._revisions[number]
        self._revisions[number] = seen + 1
        self.changes = replaced(self.changes, block)
        return [changes.put_block(self.batch, number, block, seen)]

    def _sent(self, number: int, sent: Sent, following: int | None) -> None:
        """Commit a block after sending, its undo tokens, and the claim of the following block."""
        known = [self._as_known(change) for change in sent.changes]
        writes = [*self._put(number, known), *changes.put_tokens(self.batch, sent.tokens)]
        if following is not None:
            writes += self._take(following)
        for _ in range(TRIES):
            try:
                *before, last = changes.in_portions(self._reverted(sent.changes))
                for portion in before:
                    self.lease.begin(portion)
                self._commit([*writes, *last], block=number + 1)
            except Conflict:
                if self.batch.undoes is None:
                    break
                # A recheck has changed the batch that this undo reverts.
                self._originals = self._load_originals()
                continue
            return
        raise FenceLost(self.batch.id)

    def _as_known(self, change: Change) -> Change:
        """Return the change after this try. If the CMS did not get the change this time, but may have it from an
        earlier try, the change stays ``applying``."""
        return change.taken() if change.status == "approved" and change.number not in self._first else change

    def _load_originals(self) -> list[Loaded]:
        """Load the batches whose changes an undo takes back. Empty if the batch is no undo."""
        undoes = self.batch.undoes
        if undoes is None:
            return []
        wanted = dict.fromkeys([undoes, *(batch_id for change in self.changes for batch_id, _ in change.through)])
        return changes.load_all(self.website.id, changes.get_many(self.website.id, list(wanted)))

    def _reverted(self, sent: Sequence[Change]) -> list[Put]:
        """Return the writes that mark the changes taken back by an undo as reverted."""
        undoes = self.batch.undoes
        by = {
            key: change
            for change in sent
            if undoes is not None and change.status in WRITTEN
            for key in ((undoes, change.of), *change.through)
        }
        writes: list[Put] = []
        for original in self._originals:
            batch = original.batch
            for number, block in enumerate(in_blocks(original.changes)):
                after = [
                    change.reverted(by[batch.id, change.number].look)
                    if (batch.id, change.number) in by and change.status in WRITTEN
                    else change
                    for change in block
                ]
                if after != block:
                    writes.append(changes.put_block(batch, number, after, original.revisions[number]))
        return writes

    def _commit(self, writes: Sequence[Write], **payload: Any) -> None:
        self.lease.checkpoint(writes, **payload)
