"""Sends a block of values to the CMS or shop, eight at once, and checks each written page."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple, Protocol, TypeVar

import msgspec

from chalicelib import clock
from chalicelib.connectors.errors import Declined, OutsideError, Unavailable
from chalicelib.connectors.target import Target
from chalicelib.domain.changes.batch import WAITING, Batch, Change, ChangeOutcome, UndoToken
from chalicelib.domain.connector.messages import Change as Message
from chalicelib.domain.connector.messages import FileOutcome, Outcome
from chalicelib.workers.patience import Watch
from chalicelib.workers.writing.live import Against, LivePages

Wire = TypeVar("Wire", Outcome, FileOutcome)

SUPERSEDED: Final = "A later batch has written this field."
NO_REASON: Final = "The CMS refused the change and gave no reason."
NO_TOKEN: Final = "The data that the CMS needs to undo the change is no longer stored."  # noqa: S105 - a sentence

NOT_TAKEN_BACK: Final = "The CMS answered the undo, but still has the value that should be undone."


class Sent(NamedTuple):
    """The changes of a block after sending.

    - ``tokens``: the undo tokens of the written changes.
    - ``answered``: how many of the sent changes got an answer.
    - ``wait``: how many seconds the CMS asked the service to wait; None if it did not ask for this. If it did, the
      block's remaining changes were not sent.
    """

    changes: list[Change]
    tokens: list[UndoToken]
    answered: int
    wait: float | None = None


class _Gate:
    """Lets requests through until the CMS asks to wait. Thread-safe."""

    def __init__(self) -> None:
        self.closed: OutsideError | None = None

    def ask(self, target: Target, message: Message) -> Outcome:
        if self.closed is not None:
            raise Unavailable(self.closed.message, sent=False)
        try:
            return target.change(message)
        except OutsideError as error:
            if error.retry_after is not None:
                self.closed = error
            raise

    @property
    def wait(self) -> float | None:
        return None if self.closed is None else self.closed.retry_after


async def asked(change: Change, pool: ThreadPoolExecutor, ask: Callable[[], Wire], watch: Watch) -> Wire | Change:
    """Send a change to the CMS with the function ``ask``. Returns the CMS's outcome if the change was written.

    Otherwise returns the change with its new status, such as refused or failed.
    """
    try:
        with watch.asking():
            outcome = await asyncio.get_running_loop().run_in_executor(pool, ask)
    except Declined as error:
        watch.answered()
        return change.ended("failed", error.message)
    except OutsideError as error:
        return change.not_answered(error.message) if error.sent else change.not_taken(error.message)
    watch.answered()
    if outcome.state == "refused":
        return change.ended("refused", outcome.reason or NO_REASON)
    if outcome.state == "superseded":
        return change.ended("failed", SUPERSEDED)
    if change.of is not None and outcome.after is not None and outcome.after == outcome.before:
        return change.ended("failed", NOT_TAKEN_BACK)
    return outcome


class Sender(Protocol):
    """Sends the changes of one batch."""

    async def send(self, block: Sequence[Change], pages: LivePages) -> Sent:
        """Send the unfinished changes of a block. Returns the whole block after that."""


class FieldSender(NamedTuple):
    """Sends values of fields of pages.

    - ``tokens``: if the batch is an undo, the undo token of each change, by the change's number.
    - ``never_sent``: whether it is certain that no earlier try has written a change.
    """

    target: Target
    pool: ThreadPoolExecutor
    batch: Batch
    tokens: Mapping[int, UndoToken]
    never_sent: Callable[[Change], bool]

    async def send(self, block: Sequence[Change], pages: LivePages) -> Sent:
        """Send the unfinished changes of a block, eight at once. Returns the whole block after that."""
        waiting, gate = [change for change in block if change.status in WAITING], _Gate()
        done = await asyncio.gather(*(self._one(change, pages, gate) for change in waiting))
        newer = {change.number: change for change, _ in done}
        return Sent(
            [newer.get(change.number, change) for change in block],
            [token for _, token in done if token is not None],
            sum(change.status not in WAITING for change, _ in done),
            gate.wait,
        )

    async def _one(self, change: Change, pages: LivePages, gate: _Gate) -> tuple[Change, UndoToken | None]:
        restore = None
        if change.of is not None:
            token = self.tokens.get(change.number)
            if token is None:
                return change.ended("failed", NO_TOKEN), None
            restore = token.text
        # A change that an earlier try may have written is sent again whatever the address answers now: only the CMS
        # knows its outcome and its undo token.
        elif change.field == "redirect" and self.never_sent(change):
            against = await pages.against_redirect(change)
            if against is not None:
                return self._not_sent(change, against), None
        message = Message(
            change_id=self.batch.change_id(change),
            sequence=self.batch.sequence,
            cms_id=change.cms_id or None,
            url=change.url,
            field=change.field,  # type: ignore[arg-type]  # apply takes no other fields
            value=None if restore is not None else change.sent,
            key=change.key,
            restore=restore,
        )
        outcome = await asked(change, self.pool, lambda: gate.ask(self.target, message), pages.watch)
        if isinstance(outcome, Change):
            return outcome, None
        return await self._written(change, outcome, pages)

    @staticmethod
    def _not_sent(change: Change, against: Against) -> Change:
        return change.not_taken(against.reason) if against.passes else change.ended("refused", against.reason)

    async def _written(self, change: Change, outcome: Outcome, pages: LivePages) -> tuple[Change, UndoToken | None]:
        caches = tuple((cache.name, cache.cleared) for cache in outcome.caches)
        told = ChangeOutcome(before=outcome.before, caches=caches)
        at = clock.now()
        look = await pages.until_shown(msgspec.structs.replace(change, outcome=told), caches)
        token = None if outcome.undo is None else UndoToken(change.number, outcome.undo)
        return change.written(told, look, at), token
