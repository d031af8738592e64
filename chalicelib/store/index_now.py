"""The IndexNow state of a website: whether its changes are submitted to search engines, and which are waiting (table
changes). Access pattern: Get SITE#s, INDEXNOW."""

from typing import Final

import msgspec

from chalicelib import typed
from chalicelib.domain.changes.index_now import IndexNow
from chalicelib.store import items, keys
from chalicelib.store.changes import TABLE
from chalicelib.store.transactions import Put

STATE: Final = "index now"  # in a ``Conflict``, the name of the write of the state


def load(site_id: str) -> IndexNow:
    """Load the website's IndexNow state, in one round trip. Returns the state "off" if it was never turned on."""
    item = items.get(TABLE, *keys.index_now(site_id))
    return IndexNow() if item is None else typed.convert(item, IndexNow)


def put(site_id: str, after: IndexNow, seen: IndexNow) -> Put:
    """Return the write that stores the state ``after``. The write fails if the stored state changed since ``seen`` was
    read."""
    pk, sk = keys.index_now(site_id)
    told = msgspec.to_builtins(after)
    item = {"pk": pk, "sk": sk, **{name: value for name, value in told.items() if value is not None}}
    if not seen.version:
        return Put(TABLE, item, condition="attribute_not_exists(pk)", name=STATE)
    names, values = {"#version": "version"}, {":seen": seen.version}
    return Put(TABLE, item, condition="#version = :seen", names=names, values=values, name=STATE)
