"""Looking at live pages for values that were written: past every cache, and once as a visitor gets them.

A person has asked for these pages to be changed, so they are read whatever robots.txt says of crawlers.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from chalicelib import clock
from chalicelib.domain.changes.batch import Change, Look
from chalicelib.domain.changes.sameness import Seen, look
from chalicelib.domain.ids import digest
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.suggestions.writing import NAMES
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.workers.audit.reading import PageReader, Politeness, page_facts, reads_body
from chalicelib.workers.audit.rereading import NO_CACHE, read_past_caches

AT_ONCE: Final = 8
WAITS: Final = (0.0, 5.0, 10.0)  # seconds before each reading: three in fifteen

# Headers that say something of what is looked for, or how to read it.
_SAYING: Final = ("content-type", "link", "x-robots-tag")

Caches = Sequence[tuple[str, bool]]


class LivePages:
    """Reads pages of one website. ``stop_at`` (monotonic seconds): no reading begins after it. ``seed``: makes the
    addresses that are asked others than those of any other run."""

    def __init__(self, fetcher: Fetcher, host: str, *, seed: str, stop_at: float) -> None:
        self._reader = PageReader(fetcher, host, Politeness(AT_ONCE))
        self._seed = seed
        self.stop_at = stop_at

    async def until_shown(self, change: Change, caches: Caches) -> Look:
        """What the page shows of a change that was just written: read up to three times, until it shows it."""
        found = Look(live=False, at=clock.now(), reason="The page could not be read in time.")
        for number, seconds in enumerate(WAITS):
            await asyncio.sleep(seconds)
            if clock.monotonic() > self.stop_at:
                break
            found = await self.once(change, caches, number)
            if found.live:
                break
        return found

    async def once(self, change: Change, caches: Caches, number: int = 0) -> Look:
        """What the page shows of a change now."""
        nonce = digest(self._seed, change.url, change.field, str(number)).hex()[:12]
        heads = _Heads()
        as_it_is = partial(self._read, heads=heads, headers=NO_CACHE)
        fresh = await read_past_caches(self._reader, change.url, nonce, as_it_is, heads.read)
        found = of_page(fresh, change, caches)
        if not found.live:
            return found
        return with_plain(found, await self._read(change.url, heads), change)

    async def _read(self, url: str, heads: "_Heads", headers: Mapping[str, str] | None = None) -> PageFacts:
        """One answer, without a second try: the next reading is one."""
        async with self._reader.politeness:
            answer = await self._reader.fetcher.get(url, headers=headers, read_body=reads_body)
        return await heads.read(url, answer, self._reader.host)


class _Heads:
    """Reads the heads of one page's answers. Most pages answer the same to everybody: what is byte for byte the same as
    the answer before is not read twice."""

    def __init__(self) -> None:
        self._last: tuple[bytes, Mapping[str, str], PageFacts] | None = None

    async def read(self, url: str, answer: Answer, host: str) -> PageFacts:
        if self._last is not None and answer.status == 200 and not answer.error:
            body, headers, facts = self._last
            if body == answer.body and all(headers.get(name) == answer.headers.get(name) for name in _SAYING):
                return facts
        facts = await page_facts(url, answer, host, head_only=True)
        if answer.status == 200 and not answer.error:
            self._last = answer.body, answer.headers, facts
        return facts


def of_page(page: PageFacts, change: Change, caches: Caches) -> Look:
    """What a page that was read past every cache shows of a change."""
    at = clock.now()
    trouble = _trouble(page)
    if trouble is not None:
        return Look(live=False, at=at, reason=trouble)
    seen = look(page, change.wanted, at)
    if seen.live:
        return Look(live=True, at=at, value=seen.value, note=_form(seen))
    return Look(live=False, at=at, value=seen.value, reason=f"{_shows(change, seen)} {cleared(caches)}")


def with_plain(found: Look, plain: PageFacts, change: Change) -> Look:
    """The same with a note where visitors, who are served from caches, still get another value."""
    if _trouble(plain) is not None or look(plain, change.wanted, found.at).live:
        return found
    note = "A cache still serves visitors the page as it was; it shows the value past the cache."
    return Look(live=True, at=found.at, value=found.value, note=" ".join(filter(None, (found.note, note))))


def _trouble(page: PageFacts) -> str | None:
    """Why the page tells nothing, in words; None: it does."""
    if page.redirect_to is not None and 300 <= page.status < 400:
        return f"The address redirects to {page.redirect_to}."
    if page.status != 200:
        return f"The page answers {page.status}." if page.status else "The page did not answer."
    if page.error or not page.is_html:
        return "What the address answers could not be read as a page."
    return None


def _form(seen: Seen) -> str | None:
    return None if seen.form is None else f"The page shows it with a difference in {seen.form} only."


def _shows(change: Change, seen: Seen) -> str:
    name = NAMES.get(change.field, change.field)
    if seen.value is None:
        return f"The page shows no {name}."
    return f"The page shows another {name}." if change.value else f"The page still shows the {name} that was removed."


def cleared(caches: Caches) -> str:
    """Which page caches forgot the page, in words."""
    if not caches:
        return "The CMS told of no page cache."
    done, not_done = [name for name, cleared in caches if cleared], [name for name, cleared in caches if not cleared]
    said = [f"The page cache was cleared after the write: {', '.join(done)}."] if done else []
    return " ".join([*said, f"The page cache was not cleared: {', '.join(not_done)}."] if not_done else said)
