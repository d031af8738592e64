"""Sends a file's change to the CMS, and reads the file again: once bypassing caches as far as possible, and once as
visitors get it.

The lines that express crawler rules depend on the rest of robots.txt. So robots.txt is also read before the write. If
the change is sent again with the same id, the CMS repeats its first answer, which shows the lines that were really
written.
"""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import msgspec

from chalicelib import clock
from chalicelib.connectors.cms import Cms
from chalicelib.connectors.live_files import LiveLlms, LiveRobots
from chalicelib.domain.changes.batch import WAITING, Batch, Change, ChangeOutcome, Look, UndoToken
from chalicelib.domain.connector.messages import FileChange, FileOutcome
from chalicelib.domain.crawl.robots import parse
from chalicelib.domain.ids import digest
from chalicelib.domain.readiness.access import readable, verdict_for
from chalicelib.domain.readiness.live_file import ANSWERS, Fetched, kind_of, same_text, shows
from chalicelib.domain.readiness.robots_block import TooLong, block_of, rules_in, written_block
from chalicelib.domain.readiness.written import Rules, rules_of, rules_text
from chalicelib.workers.writing import live
from chalicelib.workers.writing.live import Caches, LivePages, LiveReader, cleared
from chalicelib.workers.writing.sending import NO_TOKEN, Sent, asked

UNREADABLE: Final = (
    "robots.txt could not be read, so the service does not know which of its lines the new rules must repeat: "
)
_STILL_CACHED: Final = "A cache still serves visitors the old file. Without the cache the website shows the change."
_NAMED: Final = 5  # most crawlers named in a sentence


class FileSender(NamedTuple):
    """Sends the only change of a batch that writes a file.

    - ``tokens``: if the batch is an undo, the undo token of its change.
    - ``home``: the address of the website's home page.
    - ``held``: the content that the service last wrote into the CMS: a text, or rules as JSON.
    """

    cms: Cms
    pool: ThreadPoolExecutor
    batch: Batch
    tokens: Mapping[int, UndoToken]
    home: str
    held: str | None

    async def send(self, block: Sequence[Change], pages: LivePages) -> Sent:
        """Send the file's change if it is unfinished. Returns the change after that."""
        (change,) = block
        if change.status not in WAITING:
            return Sent([change], [], 0)
        sent, token = await self._sent(change, pages)
        return Sent([sent], [] if token is None else [token], int(sent.status not in WAITING))

    async def _sent(self, change: Change, pages: LivePages) -> tuple[Change, UndoToken | None]:
        message = await self._message(change, pages)
        if isinstance(message, Change):
            return message, None
        outcome = await asked(change, self.pool, lambda: self.cms.change_file(message), pages.watch)
        if isinstance(outcome, Change):
            return outcome, None
        return await self._written(change, outcome, message, pages)

    async def _message(self, change: Change, pages: LivePages) -> FileChange | Change:
        """Make the message to the CMS. If that is impossible, return the change with the reason."""
        restore, value = None, None
        if change.of is not None:
            token = self.tokens.get(change.number)
            if token is None:
                return change.ended("failed", NO_TOKEN)
            # A connector stores texts that are too long for its undo token. If it lost one, it uses the text sent
            # along.
            restore, value = token.text, token.before
        elif change.field == "llms_txt":
            value = change.value or None
        elif change.value:
            with pages.watch.asking():
                robots = await pages.reader.robots(change.url)
            if robots.error is not None or not readable(robots.status):
                return change.not_taken(UNREADABLE + (robots.error or f"it answers {robots.status}") + ".")
            try:
                value = block_of(robots.body if robots.status == 200 else b"", rules_of(change.value))
            except TooLong as reason:
                return change.ended("refused", str(reason))
        return FileChange(
            change_id=self.batch.change_id(change),
            sequence=self.batch.sequence,
            file="llmsTxt" if change.field == "llms_txt" else "robotsBlock",
            value=value,
            restore=restore,
        )

    async def _written(
        self, change: Change, outcome: FileOutcome, message: FileChange, pages: LivePages
    ) -> tuple[Change, UndoToken | None]:
        at = clock.now()
        # A connector that does not report the current content has written what it was asked to.
        text = message.value if outcome.after is None and message.restore is None else outcome.after
        caches = tuple((cache.name, cache.cleared) for cache in outcome.caches)
        look = await self._until_shown(change, _Wanted(text, outcome.before, caches), pages)
        if change.of is not None and change.field == "llms_txt":
            change = msgspec.structs.replace(change, value=text or "")  # the text that the CMS has restored
        token = None if outcome.undo is None else UndoToken(change.number, outcome.undo, outcome.before)
        before = self._stood_before(change, outcome, message)
        return change.written(ChangeOutcome(before=before, caches=caches), look, at), token

    def _stood_before(self, change: Change, outcome: FileOutcome, message: FileChange) -> str | None:
        """Return the content in the CMS before the change, in the form of a change's value.
        The CMS reports it, since the service may not know it: the answer to an earlier write may have been lost."""
        block = outcome.before
        if change.field == "llms_txt" or block is None:
            return block
        if message.value is not None and block.rstrip() == message.value.rstrip():
            return change.value
        return rules_text(rules_in(block, rules_of(self.held or "")))

    async def _until_shown(self, change: Change, wanted: "_Wanted", pages: LivePages) -> Look:
        """Read the file up to three times, until it shows the change."""
        found = Look(live=False, at=clock.now(), reason="The file could not be read in time.")
        for number, seconds in enumerate(live.WAITS):
            await asyncio.sleep(seconds)
            if clock.monotonic() > pages.stop_at:
                break
            with pages.watch.asking():
                found = await self._look(change, wanted, pages.reader, number)
            if found.live:
                break
        return found

    async def _look(self, change: Change, wanted: "_Wanted", reader: LiveReader, number: int) -> Look:
        if change.field == "llms_txt":
            nonce = digest(self.batch.id, str(clock.now()), str(number)).hex()[:12]
            return look_at_llms(await reader.llms(change.url, nonce), wanted)
        fresh = await reader.robots(change.url)
        rules = {} if change.of is not None else rules_of(change.value)
        found = look_at_robots(fresh, wanted, rules, self.home)
        if not found.live:
            return found
        plain = await reader.robots(change.url, plain=True)
        if plain.error is None and plain.status and not _carries(plain, wanted.text):
            return msgspec.structs.replace(found, note=_STILL_CACHED)
        return found


class _Wanted(NamedTuple):
    """The expected content of a file. ``text``: the service's text; None if there must be none. ``gone``: if ``text``
    is None, the earlier text that must be gone."""

    text: str | None
    gone: str | None
    caches: Caches


def look_at_llms(answer: LiveLlms, wanted: _Wanted) -> Look:
    """Check whether llms.txt shows a change."""
    at, fresh, kind = clock.now(), answer.fresh, kind_of(answer.fresh)
    value = fresh.text if kind == "text" else None
    if kind in ("error", "unreachable"):
        said = fresh.error or f"it answers {fresh.status}"
        return Look(live=False, at=at, reason=f"The file could not be read: {said}.")
    if not _llms_is(fresh, wanted):
        said = "another text" if kind == "text" else ANSWERS[kind]
        said = said if wanted.text is not None else "the text that was removed"
        return Look(live=False, at=at, value=value, reason=f"The address answers {said}. {cleared(wanted.caches)}")
    stale = kind_of(answer.plain) not in ("error", "unreachable") and not _llms_is(answer.plain, wanted)
    return Look(live=True, at=at, value=value, note=_STILL_CACHED if stale else None)


def _llms_is(fetched: Fetched, wanted: _Wanted) -> bool:
    kind = kind_of(fetched)
    if wanted.text is not None or kind != "text":
        return shows(kind, fetched, wanted.text or "")
    # The website may have its own text after the service's text is gone.
    return wanted.gone is not None and not same_text(fetched.text, wanted.gone)


def look_at_robots(answer: LiveRobots, wanted: _Wanted, rules: Rules, home: str) -> Look:
    """Check whether robots.txt shows a change. ``rules``: for each crawler that the change names, whether it is
    allowed."""
    at = clock.now()
    if answer.error is not None or not readable(answer.status):
        said = answer.error or f"it answers {answer.status}"
        return Look(live=False, at=at, reason=f"robots.txt could not be read: {said}.")
    block = written_block(answer.body) if answer.status == 200 else None
    if not _carries(answer, wanted.text):
        said = "another block of rules" if block is not None else "no block of rules"
        said = said if wanted.text is not None else "the block of rules that was removed"
        return Look(live=False, at=at, value=block, reason=f"robots.txt has {said}. {cleared(wanted.caches)}")
    robots = parse(answer.body)
    open_to = [bot for bot, rule in rules.items() if rule == "deny" and verdict_for(robots, bot, home).allowed]
    if open_to:
        named = ", ".join(open_to[:_NAMED])
        reason = f"robots.txt has the rules, but other lines of the file allow {named} to read the home page."
        return Look(live=False, at=at, value=block, reason=reason)
    return Look(live=True, at=at, value=block)


def _carries(answer: LiveRobots, text: str | None) -> bool:
    """Whether robots.txt contains this block of the service. ``text``: None checks that it contains no block."""
    block = written_block(answer.body) if answer.status == 200 else None
    return block is None if text is None else block is not None and block.rstrip() == text.rstrip()
