"""The topics of a website, kept for an hour for each period that somebody asked about (table ops).

Blocks are written first and the header last, under a token of their own: a reader who has the header finds the blocks
that belong to it, and two who work out the same at once keep one of them whole.

Access patterns
- what is kept of a period: Get TOPICS#…, META; its blocks: one BatchGet
- how often a website's topics were worked out in a minute: Update TOPICS#s, MINUTE#…
"""

from datetime import date
from typing import Final, NamedTuple

from chalicelib import clock
from chalicelib.domain.search.periods import Period
from chalicelib.domain.search.topics import Topics
from chalicelib.randomness import random_bytes
from chalicelib.store import blocks, items, keys, shapes
from chalicelib.store.errors import Conflict

TABLE: Final = "ops"
KEPT_SECONDS: Final = 3_600
MOST_A_MINUTE: Final = 2  # computations for a website
_MINUTE: Final = 60


class Kept(NamedTuple):
    """Topics as they were worked out ``computed_at``. ``window``: the days of the pairs, None where there are none;
    ``final_through``: the last day that was known."""

    topics: Topics
    computed_at: float
    window: Period | None
    final_through: date | None


def load(question: str) -> Kept | None:
    """What is kept of a question (a text that stands for website and period); None where nothing is any more. Two
    calls."""
    header = items.get(TABLE, *keys.kept_topics(question))
    if header is None:
        return None
    places = [(TABLE, *keys.kept_topics_block(question, header["token"], number)) for number in range(header["blocks"])]
    found = items.batch_get(places) if places else {}
    if len(found) < len(places):
        return None
    listed = tuple(topic for place in places for topic in shapes.TOPICS.unpack(found[place]["data"]))
    window = header.get("window")
    return Kept(
        Topics(listed, header["searched"], header["capped"]),
        header["computedAt"],
        None if window is None else Period(*map(date.fromisoformat, window)),
        _day(header.get("finalThrough")),
    )


def keep(question: str, kept: Kept) -> None:
    """Keep the answer to a question. A call for each 25 blocks, and one."""
    token, expires = random_bytes(8).hex(), int(clock.now()) + KEPT_SECONDS
    packed = blocks.pack_blocks(kept.topics.topics, shapes.TOPICS)
    rows = []
    for number, block in enumerate(packed):
        pk, sk = keys.kept_topics_block(question, token, number)
        rows.append((TABLE, {"pk": pk, "sk": sk, "data": block.data, "ttl": expires}))
    if rows:
        items.batch_write(rows)
    pk, sk = keys.kept_topics(question)
    header = {
        "pk": pk,
        "sk": sk,
        "token": token,
        "blocks": len(packed),
        "ttl": expires,
        "searched": kept.topics.searched,
        "capped": kept.topics.capped,
        "computedAt": kept.computed_at,
    }
    if kept.window is not None:
        header["window"] = [day.isoformat() for day in kept.window]
    if kept.final_through is not None:
        header["finalThrough"] = kept.final_through.isoformat()
    items.put(TABLE, header)


def may_compute(site_id: str, now: float) -> bool:
    """Count a computation for a website in the minute that it is now; False where there were two already."""
    minute = int(now // _MINUTE)
    pk, sk = keys.topics_minute(site_id, minute)
    try:
        items.update(
            TABLE,
            pk,
            sk,
            "SET #ttl = :expires ADD #made :one",
            condition="attribute_not_exists(#made) OR #made < :most",
            names={"#made": "made", "#ttl": "ttl"},
            values={":one": 1, ":most": MOST_A_MINUTE, ":expires": (minute + 2) * _MINUTE},
        )
    except Conflict:
        return False
    return True


def seconds_left(now: float) -> int:
    """Seconds to the next minute, at least one."""
    return _MINUTE - int(now % _MINUTE)


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
