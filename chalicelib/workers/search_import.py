"""Imports search data of a website: the part of the worker of ``imports`` that calls the search service.

A day is final when the search service no longer changes its figures. Every day the job looks up the latest final day,
and imports all missing data up to this day. First come the totals, in steps of several months. Then come rows by query
and rows by page, in steps of several days, the newest days first. For the last 28 days, rows by query and page together
(pairs) follow. Each step is committed with the manifests that make it visible, so that the next worker continues with
the missing data. Finished months are archived. Only the pairs with most clicks are kept.

Failure policy
- Killed before a step was committed: no manifest names its blocks, and readers see the earlier data. The next worker
  repeats the step, stores its blocks under other names, and removes those of the killed worker.
- Killed after a step was committed: the next worker continues with the next step. Replaced blocks are removed a day
  later.
- Two workers import the same day: only the worker with the lease on the job can commit.
- Access is refused: the connection counts as broken. The broken connection is reported once, and once more after seven
  days. The import is tried again every hour.
- The service takes no more requests: the job waits as long as the service says. If the service names no time, the job
  waits a quarter of an hour first, and an hour each time after that.
- No answer, or an invalid one: four more tries within an hour and a half. In these tries, a step covers only one month
  of totals, or one day of rows by query or page. If all fail, the next day's run continues where this run ended.
- The connection now belongs to another property: the imported data is removed.
- The connection was removed: the imported data is removed too. One transaction ends this job and starts the job that
  resolves keyword tasks. If other writes keep conflicting with this transaction, it is tried again a minute later.
"""

import hashlib
import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import partial
from typing import Final, NamedTuple, TypeVar

from chalicelib import clock, metrics
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.connectors.search_console import Dimension, SearchConsole, SearchType
from chalicelib.domain.connections import BROKEN_CHECK_SECONDS, Progress, Source
from chalicelib.domain.search import archive, importing, pairs, parsing
from chalicelib.domain.search.columns import DayRows
from chalicelib.domain.search.manifest import DATASETS, Block, Dataset, Manifest, Stored
from chalicelib.domain.search.parsing import TypeTold
from chalicelib.domain.search.periods import Period, ending
from chalicelib.domain.search.recent import KEPT_DAYS, RecentDays
from chalicelib.domain.search.totals import DayTotals
from chalicelib.domain.webhooks.events import Event
from chalicelib.operations import access, keyword_tasks
from chalicelib.operations import sources as source_operations
from chalicelib.operations.jobs import send_job
from chalicelib.store import connections, search, sources, websites
from chalicelib.store.blocks import EXPIRY_SECONDS
from chalicelib.store.errors import Conflict, FenceLost
from chalicelib.store.search import NewBlocks
from chalicelib.store.transactions import Write
from chalicelib.store.websites import Website
from chalicelib.workers.jobs import JobLease

HOUR: Final = 6  # UTC: after the service's own night, in Pacific time
SPREAD_SECONDS: Final = 3_600  # the imports of all websites start within this time
AT_ONCE: Final = 4  # concurrent requests
DAYS_AT_ONCE: Final = 4
MONTHS_AT_ONCE: Final = 4  # months of totals in one step
SLICE_SECONDS: Final = 150.0  # seconds of one worker; work that has started by then may continue until LAST_SECONDS
LAST_SECONDS: Final = 220.0
SHOWN_SECONDS: Final = 3.0  # seconds between two writes that only update the progress
TRY_AGAIN_AFTER: Final = (60.0, 300.0, 1_200.0, 3_600.0)  # seconds between the five tries of a step
QUOTA_SECONDS: Final = (900.0, 3_600.0)  # wait after the first refusal, and after each further one
LONGEST_WAIT: Final = 86_400.0
UNNAMED_SECONDS: Final = 60.0  # younger blocks are kept: a worker that just lost the job may still be writing

GONE: Final = "Nothing is connected any more."
STALLED: Final = "The import was interrupted several times. It continues with the next daily import."

T = TypeVar("T")

_log = logging.getLogger(__name__)


def next_time(site_id: str, after: float) -> float:
    """Return when the website's next import starts (epoch seconds).

    It starts in the hour after 06:00 UTC, at a time that is computed from the website's id.
    """
    spread = int.from_bytes(hashlib.sha256(site_id.encode()).digest()[:4], "big") % SPREAD_SECONDS
    day = clock.utc(after).replace(hour=HOUR, minute=0, second=0, microsecond=0).timestamp() + spread
    return day if day > after else day + 86_400


class _Connection(NamedTuple):
    website: Website
    source: Source


def run(lease: JobLease) -> None:
    """Continue the import of the job. Raises ``FenceLost``."""
    job = lease.job
    if job.fence - 1 != job.payload.get("fence", 0):  # the previous worker did not finish
        search.sweep(job.site_id, clock.now() - UNNAMED_SECONDS)
    found, credentials = _connection(lease), sources.get(job.site_id, "search")
    if found is None or credentials is None:
        search.sweep(job.site_id, clock.now() - UNNAMED_SECONDS)
        _disconnected(lease)
        return
    try:
        credentials.secret()
    except Exception:
        # The key store does not answer, for example. This says nothing about the connection.
        _log.exception("a connection's secret cannot be read", extra={"siteId": job.site_id})
        lease.commit(job.goes_on(clock.now() + BROKEN_CHECK_SECONDS, fence=job.fence), [])
        return
    began = clock.monotonic()
    console = source_operations.search_console(credentials, until=began + LAST_SECONDS)
    SearchImport(lease, console, found, stop_at=began + SLICE_SECONDS).run()


def give_up(lease: JobLease) -> None:
    """End the import until the next day, because its workers died too often. Raises ``FenceLost``."""
    found = _connection(lease)
    if found is None:
        _disconnected(lease)
    else:
        metrics.put(metrics.IMPORTS, "failed", Imports=1)
        _put_off(
            lease, next_time(lease.job.site_id, clock.now()), STALLED, lambda _, source: (source.waits(STALLED), [])
        )


def _disconnected(lease: JobLease) -> None:
    """End the import of a website that is no longer connected. Raises ``FenceLost``."""
    job, now = lease.job, clock.now()
    if websites.get(job.workspace_id, job.site_id) is None:
        lease.commit(job.done(now, GONE), [])
        return
    for _ in range(_TRIES):
        tasks, begins = keyword_tasks.begin(job.site_id, job.workspace_id, now)
        try:
            lease.commit(job.done(now, GONE), [begins])
        except Conflict:
            continue
        send_job(tasks)
        return
    lease.commit(job.goes_on(now + TRY_AGAIN_AFTER[0], fence=job.fence), [])


class SearchImport:
    """An import that a worker has claimed, as it was last committed."""

    def __init__(self, lease: JobLease, console: SearchConsole, found: _Connection, *, stop_at: float) -> None:
        self._lease = lease
        self._console = console
        self._found = found
        self._stop_at = stop_at
        self._site_id = lease.job.site_id
        self._manifests = search.manifests(self._site_id, DATASETS, consistent=True)
        self._shown_at = -SHOWN_SECONDS

    def run(self) -> None:
        """Import step after step, until the time is up. Raises ``FenceLost``."""
        try:
            final = self._console.final_day(clock.utc(clock.now()).date())
            self._lease.answered()
            known = self._of("query").final_day
            kept = importing.wanted(final if known is None else max(final, known))
            while self._step(kept):
                if clock.monotonic() >= self._stop_at:
                    self._hand_on(0.0)
                    return
        except NotConnected:
            self._hand_on(0.0)  # the next worker finds what is connected now
        except OutsideError as error:
            self._failed(error)
        else:
            self._end(kept)

    # -- steps -----------------------------------------------------------------------------------------------

    def _step(self, kept: Period) -> bool:
        """Do the next step. Returns False if no step is left. Raises ``OutsideError`` and ``FenceLost``."""
        months = importing.totals_months(self._of("totals").period, kept)
        if months:
            self._bring_totals(months[: 1 if self._tries else MONTHS_AT_ONCE], kept)
            return True
        query = self._of("query").period
        window = importing.window(kept.last)
        missing = importing.missing(query, kept)
        # The pairs are chosen as soon as their days are complete, before the import goes further back.
        if self._of("pairs").final_day != kept.last and not (missing and missing[0] >= window.first):
            lacking = importing.pairs_missing(self._of("pairs").days, window)
            if lacking:
                self._bring_days(lacking[:DAYS_AT_ONCE], kept, only_pairs=True)
            else:
                self._choose_pairs(window)
            return True
        for dataset in ("query", "page"):
            finished = importing.to_archive(self._of(dataset), kept)
            if finished:
                self._archive(dataset, finished, kept)
                return True
        if missing:
            self._bring_days(importing.together(missing, query, 1 if self._tries else DAYS_AT_ONCE), kept)
            return True
        return False

    def _bring_totals(self, months: Sequence[str], kept: Period) -> None:
        manifest = self._of("totals")
        periods = {month: _cut(importing.month_days(month), kept) for month in months}
        asked = [(period, kind) for period in periods.values() for kind in _TYPES]
        answers = iter(_all_of([partial(self._type_told, *one) for one in asked]))
        self._lease.answered()
        new: dict[str, list[DayTotals]] = {}
        for month, period in periods.items():
            new[month] = _sensible(partial(parsing.day_totals, period, next(answers), next(answers)))
        blocks = NewBlocks(self._site_id, "totals")
        stored = {month: blocks.add_totals(month, days) for month, days in new.items()}
        brought = [day for period in periods.values() for day in period.days()]
        after = manifest.with_totals(search.new_token(), stored, importing.spanning(manifest.period, kept, brought))
        last = ending(kept.last, KEPT_DAYS)
        recent = {day.day: day for day in search.totals(self._site_id, manifest, *last)}
        recent |= {day.day: day for days in new.values() for day in days}
        self._commit([blocks], [after], recent=RecentDays.of(recent.values(), kept.last), kept=kept)

    def _type_told(self, period: Period, kind: SearchType) -> TypeTold:
        return TypeTold(*(self._console.totals(*period, by, kind) for by in (None, "country", "device")))

    def _bring_days(self, days: Sequence[date], kept: Period, *, only_pairs: bool = False) -> None:
        window, known = importing.window(kept.last), self._of("pairs").days
        wanted: list[tuple[Dataset, date]] = []
        for day in days:
            wanted += [] if only_pairs else [("query", day), ("page", day)]
            if day in window and day.isoformat() not in known:
                wanted.append(("pairs", day))
        brought = _all_of([partial(self._day, *one) for one in wanted])
        self._lease.answered()
        blocks: dict[Dataset, NewBlocks] = {}
        stored: dict[Dataset, dict[date, Stored]] = {}
        for (dataset, day), rows in zip(wanted, brought, strict=True):
            blocks.setdefault(dataset, NewBlocks(self._site_id, dataset))
            stored.setdefault(dataset, {})[day] = blocks[dataset].add_day(rows)
        after = []
        for dataset, of_days in stored.items():
            before = self._of(dataset)
            period = before.period if dataset == "pairs" else importing.spanning(before.period, kept, of_days)
            after.append(before.with_days(search.new_token(), of_days, period))
        rows_brought = sum(
            len(rows.keys) for (dataset, _), rows in zip(wanted, brought, strict=True) if dataset != "pairs"
        )
        self._commit(blocks.values(), after, rows=rows_brought, kept=kept)

    def _day(self, dataset: Dataset, day: date) -> DayRows:
        rows = self._console.rows(day, _DIMENSIONS[dataset])
        return _sensible(partial(parsing.day_pairs if dataset == "pairs" else parsing.day_rows, day, rows))

    def _choose_pairs(self, window: Period) -> None:
        manifest = self._of("pairs")
        of_days = {day.isoformat() for day in window.days()}
        chosen = pairs.top(search.days(self._site_id, manifest, of_days), *window)
        blocks = NewBlocks(self._site_id, "pairs")
        keys = blocks.add_keys(chosen.keys).chunks
        months = {
            part.days[0][:7]: blocks.add_month(part.days[0][:7], [part]).chunks for part in chosen.rows if part.days
        }
        after = manifest.with_archive(search.new_token(), blocks.token, keys, months, kept=of_days, period=window)
        self._commit([blocks], [after])

    def _archive(self, dataset: Dataset, finished: Sequence[str], kept: Period) -> None:
        manifest = self._of(dataset)
        known = importing.overlap(manifest.period, kept)
        assert known is not None  # the finished months are known days
        moving = [day for day in manifest.days if day[:7] in finished]
        whole = archive.extended(
            search.archive(self._site_id, manifest), search.days(self._site_id, manifest, moving), kept.first
        )
        blocks = NewBlocks(self._site_id, dataset)
        keys = blocks.add_keys(whole.keys).chunks
        months = {month: blocks.add_month(month, parts).chunks for month, parts in whole.months.items()}
        staying = [day for day in manifest.days if day[:7] not in finished and day >= kept.first.isoformat()]
        after = manifest.with_archive(search.new_token(), blocks.token, keys, months, kept=staying, period=known)
        self._commit([blocks], [after])

    # -- commits ---------------------------------------------------------------------------------------------

    def _commit(
        self,
        blocks: Iterable[NewBlocks],
        after: Sequence[Manifest],
        *,
        rows: int = 0,
        recent: RecentDays | None = None,
        kept: Period | None = None,
    ) -> None:
        """Write the blocks, make them visible, then remove those that no reader needs any more.
        ``kept``: the period to keep; if given, the website's record shows the progress. Raises ``FenceLost`` and
        ``NotConnected``."""
        written, now = list(blocks), clock.now()
        self._lease.keep()
        search.write(written)
        seen: list[Manifest] = []
        gone: dict[Dataset, list[Block]] = {}
        for manifest in after:
            renewed, gone[manifest.dataset] = manifest.replacing(self._of(manifest.dataset), now, EXPIRY_SECONDS)
            seen.append(renewed)
        try:
            self._make_seen(seen, rows, recent, kept)
        except FenceLost:
            search.discard(written)
            raise
        for manifest in seen:
            self._manifests[manifest.dataset] = manifest
            search.remove(self._site_id, manifest.dataset, gone[manifest.dataset])

    def _make_seen(self, after: Sequence[Manifest], rows: int, recent: RecentDays | None, kept: Period | None) -> None:
        writes = [search.put_manifest(self._site_id, manifest) for manifest in after]
        payload = {"rows": self._lease.job.payload.get("rows", 0) + rows, "tries": 0, "refusals": 0}
        tells = kept is not None and (recent is not None or clock.monotonic() - self._shown_at >= SHOWN_SECONDS)
        query = next((manifest for manifest in after if manifest.dataset == "query"), self._of("query"))
        for _ in range(_TRIES):
            shown = []
            if tells and kept is not None:
                progress = Progress(*importing.progress(query.period, kept))
                shown.append(_shown(self._found, self._found.source.importing(progress), recent))
            try:
                self._lease.checkpoint([*writes, *shown], **payload)
                break
            except Conflict:
                self._read_again()
        else:
            raise Unavailable("Another process keeps changing the website at the same moment.")
        if tells:
            self._shown_at = clock.monotonic()
            self._read_again()

    def _end(self, kept: Period) -> None:
        job, now = self._lease.job, clock.now()
        rows = job.payload.get("rows", 0)
        recent = self._recent(kept)
        ended = job.goes_on(next_time(self._site_id, now), fence=job.fence, rows=0, tries=0, refusals=0)
        for _ in range(_TRIES):
            try:
                tasks, begins = keyword_tasks.begin(job.site_id, job.workspace_id, now)
                shown = _shown(self._found, self._found.source.imported(rows, now), recent)
                self._lease.commit(ended, [shown, begins])
                metrics.put(metrics.IMPORTS, "done", Imports=1, RowsImported=rows)
                metrics.use("imported rows", job.workspace_id, rows)
                send_job(tasks)
                return
            except Conflict:
                self._read_again()
        self._hand_on(TRY_AGAIN_AFTER[0])

    def _recent(self, kept: Period) -> RecentDays:
        manifest, last = self._of("totals"), ending(kept.last, KEPT_DAYS)
        return RecentDays.of(search.totals(self._site_id, manifest, *last), kept.last)

    def _hand_on(self, seconds: float) -> None:
        self._lease.hand_over(seconds, fence=self._lease.job.fence)

    def _failed(self, error: OutsideError) -> None:
        lease, now = self._lease, clock.now()
        _log.warning("search data was not imported", extra={"siteId": self._site_id, "error": error.message})
        outcome = "refused" if isinstance(error, NoAccess) else "limited" if isinstance(error, Quota) else "failed"
        metrics.put(metrics.IMPORTS, outcome, Imports=1)
        if isinstance(error, NoAccess):
            _put_off(
                lease,
                now + BROKEN_CHECK_SECONDS,
                error.message,
                lambda website, source: source_operations.refused(website, source, error.message),
            )
            return
        payload = {}
        if isinstance(error, Quota):
            refusals = lease.job.payload.get("refusals", 0)
            wait = error.retry_after or QUOTA_SECONDS[min(refusals, len(QUOTA_SECONDS) - 1)]
            at, payload = now + min(wait, LONGEST_WAIT), {"refusals": refusals + 1}
        elif self._tries < len(TRY_AGAIN_AFTER) and not isinstance(error, Declined):
            wait = max(TRY_AGAIN_AFTER[self._tries], error.retry_after or 0.0)
            at, payload = now + min(wait, LONGEST_WAIT), {"tries": self._tries + 1}
        else:
            at, payload = next_time(self._site_id, now), {"tries": 0}
        reason = f"{error.message} The import continues at {clock.utc(at):%Y-%m-%d %H:%M} UTC."
        _put_off(lease, at, reason, lambda _, source: (source.waits(reason), []), **payload)

    # -- stored state ----------------------------------------------------------------------------------------

    def _of(self, dataset: Dataset) -> Manifest:
        return self._manifests.get(dataset) or Manifest(dataset=dataset, version="")

    @property
    def _tries(self) -> int:
        found: int = self._lease.job.payload.get("tries", 0)
        return found

    def _read_again(self) -> None:
        found = _connection(self._lease)
        if found is None:
            raise NotConnected(GONE)
        self._found = found


_DIMENSIONS: Final[dict[Dataset, tuple[Dimension, ...]]] = {
    "query": ("query",),
    "page": ("page",),
    "pairs": ("query", "page"),
}
_TYPES: Final[tuple[SearchType, ...]] = ("web", "image")
_TRIES: Final = 5


def _put_off(
    lease: JobLease,
    at: float,
    error: str,
    told_of: Callable[[Website, Source], tuple[Source, list[Event]]],
    **payload: int,
) -> None:
    """Postpone the job to the time ``at`` (epoch seconds), and update the connection. Raises ``FenceLost``."""
    job = lease.job
    later = job.goes_on(at, error=error, fence=job.fence, **payload)
    for _ in range(_TRIES):
        found = _connection(lease)
        if found is None:
            break
        source, events = told_of(*found)
        stated, stale = access.stale(found.website, source, later)
        try:
            lease.commit(stated, [_shown(found, source)], [*events, *stale])
            return
        except Conflict:
            continue
    lease.commit(later, [])


def _connection(lease: JobLease) -> _Connection | None:
    website = websites.get(lease.job.workspace_id, lease.job.site_id)
    source = None if website is None else website.connections.search
    return None if website is None or source is None else _Connection(website, source)


def _shown(found: _Connection, source: Source, recent: RecentDays | None = None) -> Write:
    renewed = found.website.connections.with_source("search", source)
    if recent is None:
        return connections.shown(found.website, renewed)
    return connections.shown(found.website, renewed, recent)


def _cut(days: Period, kept: Period) -> Period:
    return Period(max(days.first, kept.first), min(days.last, kept.last))


def _sensible(make: Callable[[], T]) -> T:
    """Return the service's data if it is valid. Raises ``Unavailable`` if it is not."""
    try:
        return make()
    except ValueError as error:
        raise Unavailable(f"Search Console answered with impossible figures: {error}.") from None


def _all_of(tasks: Sequence[Callable[[], T]]) -> list[T]:
    """Run the tasks, some at once, and return their results. The first failure is raised after the running tasks have
    ended."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        futures = [pool.submit(task) for task in tasks]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            raise
