"""Checks live pages for written values: when to read them, and what they show. ``writing.reading`` does the reading."""

import asyncio
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from chalicelib import clock
from chalicelib.connectors.live_files import LiveLlms, LiveRobots
from chalicelib.connectors.live_reader import AT_ONCE
from chalicelib.domain.changes.batch import Change, Look
from chalicelib.domain.changes.live_match import Seen, look
from chalicelib.domain.changes.redirecting import Answered, seen, why_not
from chalicelib.domain.changes.writability import NAMES
from chalicelib.domain.ids import digest
from chalicelib.domain.page.facts import PageFacts
from chalicelib.workers.patience import Watch

WAITS: Final = (0.0, 5.0, 10.0)  # seconds before each reading: three in fifteen

Caches = Sequence[tuple[str, bool]]


class LiveReader(Protocol):
    """Reads the current pages and files of one website. If a reading fails, its result contains the reason."""

    async def page(self, change: Change, caches: Caches, nonce: str) -> Look:
        """Check whether a page shows a change: once past every cache, and once as visitors get it.

        - ``caches``: the page caches that the CMS reported.
        - ``nonce``: new for each reading, so that no cache has seen the requested address.
        """

    async def addresses(self, urls: Sequence[str]) -> dict[str, Answered]:
        """Request these addresses. Returns the answer of each (see ``live_addresses.ask``)."""

    async def llms(self, url: str, nonce: str) -> LiveLlms:
        """Read llms.txt twice, past caches and as visitors get it, as ``live_files.read_llms`` does."""

    async def robots(self, url: str, *, plain: bool = False) -> LiveRobots:
        """Read robots.txt, as ``live_files.robots_at`` does."""


class LivePages:
    """Checks the live pages of one block's changes.

    - ``stop_at``: no reading starts after this time (monotonic seconds).
    - ``seed``: a value that makes the requested addresses unique to this run, so that no cache has seen them.
    - ``watch``: counts the worker's waiting time.
    """

    def __init__(self, reader: LiveReader, *, seed: str, stop_at: float, watch: Watch) -> None:
        self.reader = reader
        self.watch = watch
        self.stop_at = stop_at
        self._seed = seed
        self._places = asyncio.Semaphore(AT_ONCE)

    async def until_shown(self, change: Change, caches: Caches) -> Look:
        """Read the page of a written change up to three times, until it shows the change."""
        found = Look(live=False, at=clock.now(), reason="The page could not be read in time.")
        for number, seconds in enumerate(WAITS):
            await asyncio.sleep(seconds)
            async with self._places:
                if clock.monotonic() > self.stop_at:
                    break
                nonce = digest(self._seed, change.url, change.field, change.key or "", str(number)).hex()[:12]
                with self.watch.asking():
                    found = await self._look(change, caches, nonce)
            if found.live:
                break
        return found

    async def against_redirect(self, change: Change) -> "Against | None":
        """Request both addresses of a planned redirect, and return why the redirect may not be written.

        Returns None if the redirect may be written, or if the address already redirects to the planned target.
        """
        async with self._places:
            with self.watch.asking():
                answers = await self.reader.addresses([change.url, change.value])
        source, target = answers[change.url], answers[change.value]
        if source.status == 301 and source.leads_to == change.value:
            return None
        reason = why_not(source, target)
        return None if reason is None else Against(reason, not (source.is_certain and target.is_certain))

    async def _look(self, change: Change, caches: Caches, nonce: str) -> Look:
        if change.field != "redirect":
            return await self.reader.page(change, caches, nonce)
        # A redirect is valid for one exact address, so no parameter against caches is added.
        target = change.value or change.url
        answers = await self.reader.addresses([change.url, target])
        return seen(change, answers[change.url], answers[target], clock.now())


class Against(NamedTuple):
    """Why a redirect may not be written, in words. ``passes``: whether the reason is temporary, such as a missing
    answer or a server error."""

    reason: str
    passes: bool


def of_page(page: PageFacts, change: Change, caches: Caches) -> Look:
    """Check whether a page that was read past every cache shows a change."""
    at = clock.now()
    trouble = _trouble(page)
    if trouble is not None:
        return Look(live=False, at=at, reason=trouble)
    seen = look(page, change.wanted, at)
    if seen.live:
        return Look(live=True, at=at, value=seen.value, note=_form(seen))
    return Look(live=False, at=at, value=seen.value, reason=f"{_shows(change, seen)} {cleared(caches)}")


def with_plain(found: Look, plain: PageFacts, change: Change) -> Look:
    """Add a note to the check if visitors still see another value, because they get the page from a cache.

    ``plain``: the page as visitors get it.
    """
    if _trouble(plain) is not None or look(plain, change.wanted, found.at).live:
        return found
    note = "A cache still serves visitors the old page. Without the cache it shows the value."
    return Look(live=True, at=found.at, value=found.value, note=" ".join(filter(None, (found.note, note))))


def _trouble(page: PageFacts) -> str | None:
    """Return why the page is inconclusive, in words. Returns None if it is conclusive."""
    if page.redirect_to is not None and 300 <= page.status < 400:
        return f"The address redirects to {page.redirect_to}."
    if page.status != 200:
        return f"The page answers {page.status}." if page.status else "The page did not answer."
    if page.error or not page.is_html or not page.bytes:
        return "The answer of the address could not be read as a page."
    return None


def _form(seen: Seen) -> str | None:
    return None if seen.form is None else f"The page shows the value, with a difference only in {seen.form}."


def _shows(change: Change, seen: Seen) -> str:
    name = NAMES.get(change.field, change.field)
    if seen.absent:
        return "The page does not show this image."
    if seen.value is None:
        return f"The page shows no {name}."
    return f"The page shows another {name}." if change.value else f"The page still shows the {name} that was removed."


def cleared(caches: Caches) -> str:
    """Return in words which page caches have purged the page."""
    if not caches:
        return "The CMS reported no page cache."
    done, not_done = [name for name, cleared in caches if cleared], [name for name, cleared in caches if not cleared]
    said = [f"The page cache was cleared after the write: {', '.join(done)}."] if done else []
    return " ".join([*said, f"The page cache was not cleared: {', '.join(not_done)}."] if not_done else said)
