"""The list of a workspace's websites by name: a small row for each (table sites).

Access pattern: Query WS#w, NAME#. A transaction that changes a website's name, host or another listed value also
updates its row.
"""

from dataclasses import asdict, dataclass, fields
from operator import itemgetter

from chalicelib.domain.names import sort_key
from chalicelib.store import items, keys
from chalicelib.store.transactions import Delete, Put, Update

TABLE = "sites"


@dataclass(frozen=True, slots=True)
class NameRow:
    """A website's entry in lists by name."""

    id: str
    name: str
    host: str
    url: str
    platform: str
    status: str


_values = itemgetter(*(item.name for item in fields(NameRow)))


def list_all(workspace_id: str) -> list[NameRow]:
    """Return all websites of a workspace, in the order of names (``domain.names``)."""
    found = items.query_all(TABLE, keys.workspace_partition(workspace_id), keys.NAME_PREFIX)
    rows = [NameRow(*_values(item)) for item in found]
    return sorted(rows, key=lambda row: (*sort_key(row.name), row.id))


# -- writes, for the transactions of operations ---------------------------------------------------------


def put(workspace_id: str, row: NameRow) -> Put:
    """Return the write that adds a website's entry, or replaces the entry with the same name."""
    pk, sk = keys.website_name(workspace_id, row.name, row.id)
    return Put(TABLE, {"pk": pk, "sk": sk, **asdict(row)})


def same(name: str, other: str) -> bool:
    """Whether two names differ at most in letter case. A website's entries under two such names would have the same
    key."""
    return name.casefold() == other.casefold()


def delete(workspace_id: str, name: str, site_id: str) -> Delete:
    """Return the write that removes a website's entry under this name."""
    return Delete(TABLE, keys.website_name(workspace_id, name, site_id))


def renew(workspace_id: str, name: str, site_id: str, host: str, platform: str) -> Update:
    """Return the write that updates host and platform in the entry. The write fails when the website was renamed since
    ``name`` was read."""
    return Update(
        TABLE,
        keys.website_name(workspace_id, name, site_id),
        "SET #host = :host, #platform = :platform",
        condition="attribute_exists(pk)",
        names={"#host": "host", "#platform": "platform"},
        values={":host": host, ":platform": platform},
    )
