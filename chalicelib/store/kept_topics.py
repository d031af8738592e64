"""A cache of topics: for each requested period of a website, for an hour (table ops).

Blocks are written first and the header last. The keys of the blocks contain a new token, which the header names. So a
reader of the header finds the blocks that belong to it. If two processes store topics at the same time, the blocks of
one are never mixed with those of the other.

Access patterns
- the cached topics of a period: Get TOPICS#…, META; their blocks: one BatchGet
- how often a website's topics were computed in a minute: Update TOPICS#s, MINUTE#…
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
MOST_A_MINUTE: Final = 2  # computations per website and minute
_MINUTE: Final = 60


class Kept(NamedTuple):
    """Topics computed at ``computed_at`` (epoch seconds). ``window``: the days that the stored pairs of query and page
    cover; None without pairs. ``final_through``: the last day whose search figures are final."""

    topics: Topics
    computed_at: float
    window: Period | None
    final_through: date | None


def load(question: str) -> Kept | None:
    """Load the cached answer to ``question``, a text that identifies website and period. Returns None if no answer is
    cached. Two calls of the store."""
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
    """Cache the answer to a question. One call of the store per 25 blocks, and one more."""
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
    """Count a computation for a website in the current minute. Returns False if the minute's limit of two is
    reached."""
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
    """Return how many seconds are left until the next minute begins, at least one."""
    return _MINUTE - int(now % _MINUTE)


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
