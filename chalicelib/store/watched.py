"""The last known state of a website's watched pages, and the last verdicts of its robots.txt for crawlers. It is a row
of the table ``crawls``.

Access patterns: Get SITE#s#KEPT, WATCHED; written in the transaction that publishes an audit or an alert.
"""

from typing import Final

import msgspec

from chalicelib import typed
from chalicelib.domain.audit.watched import Watched
from chalicelib.store import items, keys
from chalicelib.store.transactions import Put

TABLE: Final = "crawls"


def load(site_id: str) -> Watched:
    """Load the last known state of the watched pages and crawlers. It is empty before the first audit. One round
    trip."""
    item = items.get(TABLE, *keys.watched(site_id))
    return Watched() if item is None else typed.convert(item, Watched)


def put(site_id: str, watched: Watched) -> Put:
    """Return the write that stores the state of the watched pages and crawlers. Commit it in the transaction that frees
    the website's crawl lock."""
    return Put(TABLE, {**keys.attributes(keys.watched(site_id)), **msgspec.to_builtins(watched)})
