"""Descriptions drafted by an assistant.

Access patterns
- a website's drafts by page: Get SITE#s, DRAFTS (table issues); ``issue_details`` reads it in the same BatchGet as the
  rest of an issue
- how many drafts a workspace requested on a day: Get WS#w, DRAFTS#day (table ai)

Only the worker that runs the website's drafting job writes the drafts. The write fails if another worker has claimed
the job.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from chalicelib import typed
from chalicelib.domain.suggestion import Draft
from chalicelib.store import issues, items, keys
from chalicelib.store.transactions import Put

ROOM: Final = "drafts of the day"  # in a ``Conflict``, the name of the write of ``room_taken``
KEPT_SECONDS: Final = 30 * 86_400.0
MOST_KEPT: Final = 100  # drafts of one website, which are all in one item
_ROOM_TABLE: Final = "ai"
_DAY_SECONDS: Final = 2 * 86_400.0


def key(site_id: str) -> tuple[str, str, str]:
    """Return table and key of the item with a website's drafts, for callers that read other items in the same
    BatchGet."""
    return (issues.TABLE, *keys.drafts(site_id))


def drafts_of(item: Mapping[str, Any] | None) -> dict[str, Draft]:
    """Return the drafts in this item, by page id."""
    return {} if item is None else typed.convert(item["pages"], dict[str, Draft])


def load(site_id: str) -> dict[str, Draft]:
    """Load the drafts of a website by page id. One round trip."""
    return drafts_of(items.get(*key(site_id)))


def put(site_id: str, drafts: Mapping[str, Draft], now: float) -> Put:
    """Return the write that stores a website's drafts. Expired drafts and all but the newest 100 are dropped."""
    kept = [(page_id, one) for page_id, one in drafts.items() if one.at > now - KEPT_SECONDS]
    newest = sorted(kept, key=lambda found: found[1].at)[-MOST_KEPT:]
    table, pk, sk = key(site_id)
    return Put(table, {"pk": pk, "sk": sk, "pages": msgspec.to_builtins(dict(newest))})


def taken_of_day(workspace_id: str, day: str) -> int:
    """Return how many drafts a workspace has requested on a day."""
    item = items.get(_ROOM_TABLE, *keys.drafts_of_day(workspace_id, day))
    return 0 if item is None else int(item["drafts"])


def room_taken(workspace_id: str, day: str, seen: int, more: int, now: float) -> Put:
    """Return the write that adds ``more`` to the number of drafts that a workspace requested on a day. The write fails
    if the stored count is no longer ``seen``."""
    pk, sk = keys.drafts_of_day(workspace_id, day)
    return Put(
        _ROOM_TABLE,
        {"pk": pk, "sk": sk, "drafts": seen + more, "ttl": int(now + _DAY_SECONDS)},
        condition="#drafts = :seen" if seen else "attribute_not_exists(pk)",
        names={"#drafts": "drafts"} if seen else None,
        values={":seen": seen} if seen else None,
        name=ROOM,
    )
