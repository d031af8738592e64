"""The manifest of a website's search data: which stored blocks belong together, and which days they contain.

Blocks are written before the manifest that names them, and one write replaces the manifest. So readers see either the
old blocks or the new ones. The days of a manifest are always one span without a gap. An import extends this span at its
end with newer days, and at its beginning with older days.
"""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Final, Literal, NamedTuple, get_args

import msgspec

from chalicelib.domain.search.periods import Period

Dataset = Literal["query", "page", "pairs", "totals"]
DATASETS: Final[tuple[Dataset, ...]] = get_args(Dataset)
KEYS: Final = "KEYS"
_DAY, _MONTH, _TOTALS = "DAY#", "MONTH#", "TOTALS#"


class Stored(msgspec.Struct, array_like=True, frozen=True):
    """Blocks that were written together under one ``token``. ``chunks``: the number of blocks; 0 if there are no rows
    to store."""

    token: str
    chunks: int


class Retired(msgspec.Struct, array_like=True, frozen=True):
    """Blocks that were replaced. ``at``: when (epoch seconds). ``name``: the name of the blocks."""

    name: str
    token: str
    chunks: int
    at: float


class Block(NamedTuple):
    """One block. ``name``: says what the block contains (``KEYS``, ``DAY#2026-11-20``, ``MONTH#2026-10``). ``number``:
    its position among the blocks that were written under the same token."""

    name: str
    token: str
    number: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The blocks of one kind of search data.

    - ``version``: a text that changes whenever the manifest changes.
    - ``first_day`` and ``final_day``: every day between them is known, including days without rows; for pairs of query
      and page, they are the first and last day of the archive.
    - ``days``: the blocks of days that are not archived yet, by date.
    - ``archive``: the token of the archive's blocks; None without an archive.
    - ``keys``: how many blocks hold the archive's keys.
    - ``months``: how many blocks hold each month's rows.
    - ``totals``: the blocks of totals, by month.
    - ``retired``: replaced blocks, kept for readers of an earlier manifest.
    """

    dataset: Dataset
    version: str
    first_day: date | None = None
    final_day: date | None = None
    days: dict[str, Stored] = {}
    archive: str | None = None
    keys: int = 0
    months: dict[str, int] = {}
    totals: dict[str, Stored] = {}
    retired: tuple[Retired, ...] = ()

    @property
    def period(self) -> Period | None:
        """The known days; None if there are none."""
        if self.first_day is None or self.final_day is None:
            return None
        return Period(self.first_day, self.final_day)

    def with_days(self, version: str, days: dict[date, Stored], period: Period | None) -> "Manifest":
        """Return the manifest with the blocks of these days added or replaced. ``period``: the days that are known
        afterwards."""
        return msgspec.structs.replace(
            self,
            version=version,
            first_day=None if period is None else period.first,
            final_day=None if period is None else period.last,
            days=self.days | {day.isoformat(): stored for day, stored in days.items()},
        )

    def with_totals(self, version: str, totals: dict[str, Stored], period: Period) -> "Manifest":
        """Return the manifest with the totals of these months added or replaced. Months before the period are left
        out."""
        oldest = period.first.isoformat()[:7]
        kept = {month: stored for month, stored in (self.totals | totals).items() if month >= oldest}
        return msgspec.structs.replace(
            self, version=version, first_day=period.first, final_day=period.last, totals=kept
        )

    def with_archive(
        self, version: str, token: str, keys: int, months: dict[str, int], *, kept: Iterable[str], period: Period
    ) -> "Manifest":
        """Return the manifest with another archive. ``kept``: the days that still have blocks outside the archive."""
        stay = set(kept)
        return msgspec.structs.replace(
            self,
            version=version,
            archive=token,
            keys=keys,
            months=months,
            days={day: stored for day, stored in self.days.items() if day in stay},
            first_day=period.first,
            final_day=period.last,
        )

    def replacing(self, before: "Manifest", now: float, gone_after: float) -> "tuple[Manifest, list[Block]]":
        """Return the manifest to store in place of ``before``, and the blocks to delete now.

        Blocks that only ``before`` names become retired blocks of the returned manifest. The blocks to delete were
        retired at least ``gone_after`` seconds ago.
        """
        old = [retired for retired in before.retired if retired.at <= now - gone_after]
        named = set(self.blocks())
        chunks: dict[tuple[str, str], int] = {}
        for block in before.blocks():
            if block not in named:
                chunks[block.name, block.token] = chunks.get((block.name, block.token), 0) + 1
        new = (Retired(name, token, count, now) for (name, token), count in chunks.items())
        staying = (retired for retired in before.retired if retired.at > now - gone_after)
        after = msgspec.structs.replace(self, retired=(*staying, *new))
        return after, [block for one in old for block in _numbered(one.name, one.token, one.chunks)]

    def every_block(self) -> Iterator[Block]:
        """Yield all blocks of the manifest, including retired (replaced) blocks."""
        yield from self.blocks()
        for one in self.retired:
            yield from _numbered(one.name, one.token, one.chunks)

    def blocks(self) -> Iterator[Block]:
        """Yield all blocks of the manifest except retired (replaced) blocks."""
        for day, stored in self.days.items():
            yield from day_blocks(day, stored)
        for month, stored in self.totals.items():
            yield from _numbered(totals_name(month), stored.token, stored.chunks)
        yield from self.archive_blocks(self.months)

    def archive_blocks(self, months: Iterable[str]) -> Iterator[Block]:
        """Yield the blocks that hold the archive's keys, then the blocks that hold these months.

        Yields nothing if the archive has none of these months.
        """
        wanted = [month for month in months if month in self.months]
        if self.archive is None or not wanted:
            return
        yield from _numbered(KEYS, self.archive, self.keys)
        for month in wanted:
            yield from _numbered(_MONTH + month, self.archive, self.months[month])

    def rows_blocks(self, first: date, last: date) -> Iterator[Block]:
        """Yield the blocks that hold all rows of these days. They may hold rows of other days too."""
        for day, stored in self.days.items():
            if first.isoformat() <= day <= last.isoformat():
                yield from day_blocks(day, stored)
        yield from self.archive_blocks(months_of(first, last))

    def totals_blocks(self, first: date, last: date) -> Iterator[Block]:
        """Yield the blocks that hold all totals of these days. They may hold totals of other days too."""
        for month in months_of(first, last):
            if month in self.totals:
                yield from _numbered(totals_name(month), self.totals[month].token, self.totals[month].chunks)


def day_blocks(day: str, stored: Stored) -> Iterator[Block]:
    """Return the blocks of a day."""
    return _numbered(day_name(day), stored.token, stored.chunks)


def day_name(day: str) -> str:
    """Return the name of a day's blocks."""
    return _DAY + day


def month_name(month: str) -> str:
    """Return the name of the blocks of a month's rows."""
    return _MONTH + month


def totals_name(month: str) -> str:
    """Return the name of the blocks of a month's totals."""
    return _TOTALS + month


def holds_keys(block: Block) -> bool:
    return block.name == KEYS


def holds_day(block: Block) -> bool:
    return block.name.startswith(_DAY)


def _numbered(name: str, token: str, chunks: int) -> Iterator[Block]:
    return (Block(name, token, number) for number in range(chunks))


def months_of(first: date, last: date) -> list[str]:
    """Return the months from ``first`` to ``last``, in order."""
    found = []
    month = first.replace(day=1)
    while month <= last:
        found.append(month.isoformat()[:7])
        month = (month + timedelta(32)).replace(day=1)
    return found
