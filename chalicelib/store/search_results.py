"""A cache of rankings computed from search data (table ops). A ranking is cached for an hour, so that it is computed
once for all pages of a list.

A question asks for a ranking. Its name is a text made from website, data version and all filters, so what is cached
under a name never changes. Blocks are written first and the header last; blocks without a header are ignored. Two
concurrent writers write the same content.

Access patterns: one BatchGet of the headers of some questions; one BatchGet of their blocks.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from chalicelib import clock
from chalicelib.domain.search.rows import RankedRows, Row, of_rows
from chalicelib.store import items, keys
from chalicelib.store.blocks import MAX_BLOCK_BYTES
from chalicelib.store.shapes import SEARCH_RESULT

TABLE: Final = "ops"
KEPT_SECONDS: Final = 3_600
BLOCK_ROWS: Final = 5_000


class Part(NamedTuple):
    """Some consecutive rows of a ranking, and how many rows the whole ranking has."""

    rows: list[Row]
    total: int


class Asked(NamedTuple):
    """A request for rows of the ranking that answers a question. ``start``: the index of the first row. ``most``: how
    many rows at most; None for all rows from ``start`` on."""

    question: str
    start: int = 0
    most: int | None = None

    def of(self, rows: Sequence[Row]) -> Part:
        """Return the requested rows, taken from all rows."""
        stop = None if self.most is None else self.start + self.most
        return Part(list(rows[self.start : stop]), len(rows))


def keep(question: str, rows: Sequence[Row]) -> None:
    """Cache the rows that answer a question."""
    parts = [
        part
        for start in range(0, len(rows), BLOCK_ROWS)
        for part in _fitting(of_rows(rows[start : start + BLOCK_ROWS]))
    ]
    expires = int(clock.now()) + KEPT_SECONDS
    blocks = []
    for number, (_, data) in enumerate(parts):
        pk, sk = keys.search_result_block(question, number)
        blocks.append((TABLE, {"pk": pk, "sk": sk, "data": data, "ttl": expires}))
    items.batch_write(blocks)
    pk, sk = keys.search_result(question)
    items.put(TABLE, {"pk": pk, "sk": sk, "sizes": [size for size, _ in parts], "ttl": expires})


def read(asked: Sequence[Asked]) -> list[Part | None]:
    """Return the cached rows of each request. None for a request if some of its rows are not cached."""
    headers = items.batch_get((TABLE, *keys.search_result(one.question)) for one in asked)
    wanted = {one: _Kept(one, headers.get((TABLE, *keys.search_result(one.question)))) for one in asked}
    places = [place for kept in wanted.values() for place in kept.places]
    found = items.batch_get(places, consistent=False)
    return [wanted[one].part(found) for one in asked]


class _Kept:
    """The blocks that hold the requested rows."""

    def __init__(self, asked: Asked, header: items.Item | None) -> None:
        self._asked = asked
        self._known = header is not None
        self._before = 0  # rows before the first block that is needed
        self._total = 0
        self.places: list[items.Key] = []
        for number, size in enumerate(header["sizes"] if header is not None else ()):
            stop = None if asked.most is None else asked.start + asked.most
            if self._total + size <= asked.start:
                self._before += size
            elif stop is None or self._total < stop:
                self.places.append((TABLE, *keys.search_result_block(asked.question, number)))
            self._total += size

    def part(self, found: dict[items.Key, dict[str, Any]]) -> Part | None:
        if not self._known or any(place not in found for place in self.places):
            return None
        rows = [row for place in self.places for row in SEARCH_RESULT.unpack(found[place]["data"]).rows()]
        first = self._asked.start - self._before
        stop = None if self._asked.most is None else first + self._asked.most
        return Part(rows[first:stop], self._total)


def _fitting(rows: RankedRows) -> list[tuple[int, bytes]]:
    """Pack the rows into as few parts as fit into items. Returns the row count of each part, and the part."""
    data = SEARCH_RESULT.pack(rows)
    if len(data) <= MAX_BLOCK_BYTES or len(rows) == 1:
        return [(len(rows), data)]
    return [part for half in rows.split() for part in _fitting(half)]
