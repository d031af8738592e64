"""Ranked rows that were worked out of search data, kept for an hour: whoever walks through them page by page has them
worked out once (table ops).

A question is named by a text that stands for website, data version and all that was asked, so that what is kept under
it never changes. Blocks are written first and the header last: without it nothing counts as kept, and two who write the
same at once write the same.

Access patterns: headers of some questions, one BatchGet; blocks of some questions, one BatchGet.
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
    """Rows from some place on, and how many there are in all."""

    rows: list[Row]
    total: int


class Asked(NamedTuple):
    """So many rows of a question's answer, from ``start`` on; ``most`` None: all that follow."""

    question: str
    start: int = 0
    most: int | None = None

    def of(self, rows: Sequence[Row]) -> Part:
        """The rows that are asked for, of all."""
        stop = None if self.most is None else self.start + self.most
        return Part(list(rows[self.start : stop]), len(rows))


def keep(question: str, rows: Sequence[Row]) -> None:
    """Keep the rows that answer a question."""
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
    """What is kept of each; None where that is nothing, or not all of it any more."""
    headers = items.batch_get((TABLE, *keys.search_result(one.question)) for one in asked)
    wanted = {one: _Kept(one, headers.get((TABLE, *keys.search_result(one.question)))) for one in asked}
    places = [place for kept in wanted.values() for place in kept.places]
    found = items.batch_get(places, consistent=False)
    return [wanted[one].part(found) for one in asked]


class _Kept:
    """Where the rows that are asked for lie."""

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
    """The rows packed, in as few parts as fit into items: how many rows each has, and the part."""
    data = SEARCH_RESULT.pack(rows)
    if len(data) <= MAX_BLOCK_BYTES or len(rows) == 1:
        return [(len(rows), data)]
    return [part for half in rows.split() for part in _fitting(half)]
