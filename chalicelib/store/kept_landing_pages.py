"""A cache of landing pages: the property's report joined with search data, kept for 15 minutes (table ops).

Because of the cache, the property is not queried again when a client sorts the list another way or requests its next
page.

Blocks are written first and the header last. Their keys contain a new token, so that the blocks of two writers are
never mixed.

Access patterns: the cached answer to a question: Get LANDING#…, META; its blocks: one BatchGet.
"""

from datetime import date
from typing import Any, Final, NamedTuple

import msgspec

from chalicelib import clock, typed
from chalicelib.domain.analytics.landing_pages import LandingPages, joined_again
from chalicelib.randomness import random_bytes
from chalicelib.store import items, keys, shapes
from chalicelib.store.blocks import MAX_BLOCK_BYTES

TABLE: Final = "ops"
KEPT_SECONDS: Final = 900


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """The data that the property reports in addition to the pages, such as its time zone, and how recent the joined
    search data is.

    - ``fetched_at``: epoch seconds.
    - ``row_count``: how many pages the report has.
    - ``final_through``: the last day whose search figures are final. None without search data.
    """

    fetched_at: float
    row_count: int
    currency: str | None = None
    time_zone: str | None = None
    other: bool = False
    thresholded: bool = False
    sampled: float | None = None
    restricted: bool = False
    joined: bool = False
    final_through: date | None = None


class Kept(NamedTuple):
    """A cached report. ``version`` changes each time the property is queried."""

    pages: LandingPages
    told: Told
    version: str


def load(question: str) -> Kept | None:
    """Load the cached answer to ``question``, a text that identifies connection, days and channel. Returns None if no
    answer is cached. Two calls of the store."""
    header = items.get(TABLE, *keys.kept_landing_pages(question))
    if header is None:
        return None
    version = header["token"]
    places = [(TABLE, *keys.kept_landing_pages_block(question, version, number)) for number in range(header["blocks"])]
    found = items.batch_get(places)
    if len(found) < len(places):
        return None
    parts = [shapes.LANDING_PAGES.unpack(found[place]["data"]) for place in places]
    return Kept(joined_again(parts), typed.convert(header["told"], Told), version)


def keep(question: str, pages: LandingPages, told: Told) -> Kept:
    """Cache the answer to a question. One call of the store per 25 blocks, and one more."""
    version, expires = random_bytes(8).hex(), int(clock.now()) + KEPT_SECONDS
    parts = _fitting(pages)
    rows: list[tuple[str, dict[str, Any]]] = []
    for number, data in enumerate(parts):
        pk, sk = keys.kept_landing_pages_block(question, version, number)
        rows.append((TABLE, {"pk": pk, "sk": sk, "data": data, "ttl": expires}))
    items.batch_write(rows)
    pk, sk = keys.kept_landing_pages(question)
    said = {name: value for name, value in msgspec.to_builtins(told).items() if value is not None}
    items.put(TABLE, {"pk": pk, "sk": sk, "token": version, "blocks": len(parts), "told": said, "ttl": expires})
    return Kept(pages, told, version)


def _fitting(pages: LandingPages) -> list[bytes]:
    data = shapes.LANDING_PAGES.pack(pages)
    if len(data) <= MAX_BLOCK_BYTES or len(pages) < 2:
        return [data]
    return [part for half in pages.split() for part in _fitting(half)]
