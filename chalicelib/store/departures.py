"""Deletes the stored data of a removed workspace, except its websites (``removals`` deletes those).

Each function may be interrupted anywhere and called again: the row from which the other rows are found is deleted last.
No table is scanned.

Some rows cannot be found from the workspace, so they stay until they expire. Within 7 days, these expire: sign-in
links, counts of links, cached search data, topics and landing pages, and the answers stored for sessions that ended
before the removal. The notices of a person whose removal was interrupted expire within 35 days.

Access patterns
- people, keys, endpoints, slots, counts of answers by week: the partition WS#w of each table
- deliveries of an endpoint: index ``log`` (logOf), then its PLACES
- answers stored for repeated requests: Query IDEM#asker
- waiting events: Query OUTBOX#shard, all shards
- websites and endpoints that were removed earlier: the activity log, which is deleted last
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from chalicelib.store import accounts, acts, api_keys, items, keys, live_reads, notices, outbox, sessions
from chalicelib.store.accounts import Person
from chalicelib.store.api_keys import ApiKey

ANSWERS_TABLE: Final = "ops"
WEBHOOKS_TABLE: Final = "webhooks"


def delete_person(person: Person, mentioned: Collection[str], now: float) -> None:
    """Delete a person and their notices. The answers stored for their sessions are deleted too if they mention one of
    the ids in ``mentioned``. If no other workspace has the person's e-mail address, the address's sessions end."""
    notices.forget(person.workspace_id, person.id)
    items.delete(accounts.TABLE, *keys.workspace_of_address(person.email, person.workspace_id))
    stays = bool(sessions.workspaces(person.email))
    for session in sessions.list_all(person.email, now):
        delete_answers(session.key, mentioned)
        if not stays:
            sessions.end(person.email, session.key)
    items.delete(accounts.TABLE, *keys.email(person.workspace_id, person.email))
    items.delete(accounts.TABLE, *keys.person(person.workspace_id, person.id))


def delete_key(key: ApiKey) -> None:
    """Delete an API key and the answers stored for its requests."""
    items.delete(api_keys.TABLE, *keys.key_secret(key.sha256))
    items.delete(api_keys.TABLE, *keys.key_id(key.id))
    delete_answers(key.id)
    items.delete(api_keys.TABLE, *keys.listed_key(key.workspace_id, key.id))


def delete_answers(asker: str, mentioned: Collection[str] | None = None) -> None:
    """Delete the stored answers of an API key or a session. ``mentioned``: only answers that mention one of these ids;
    None: all."""
    rows = items.query_all(ANSWERS_TABLE, keys.answers_partition(asker))
    _delete(ANSWERS_TABLE, (row for row in rows if mentioned is None or _mentions(row.get("answer"), mentioned)))


def delete_deliveries(endpoint_id: str) -> None:
    """Delete the deliveries of an endpoint, and the row of its concurrency slots. The deliveries are found through an
    index that may lag behind the rows. So a delivery created a moment ago may be missed; a second call deletes it."""
    start: items.Item | None = None
    while True:
        found, start = items.query(WEBHOOKS_TABLE, endpoint_id, index="log", limit=100, start=start, keys_only=True)
        _delete(WEBHOOKS_TABLE, found)
        if start is None:
            break
    items.delete(WEBHOOKS_TABLE, *keys.endpoint_slots(endpoint_id))


def delete_events(workspace_id: str) -> None:
    """Delete those events of a workspace that were not yet handed to webhook endpoints."""
    for shard in keys.shards():
        for row in items.query_all(WEBHOOKS_TABLE, keys.outbox_partition(shard)):
            batch = outbox.from_item(row)
            if all(event.workspace_id == workspace_id for event in batch.events):
                outbox.remove(batch)


def delete_reads(site_id: str) -> None:
    """Delete the cached live reads of a website, and the counts of its topic computations."""
    for file in live_reads.FILES:
        items.delete(live_reads.TABLE, *keys.live_read(site_id, file))
    _delete(live_reads.TABLE, items.query_all(live_reads.TABLE, keys.topics_partition(site_id), keys_only=True))


def delete_rest(workspace_id: str) -> None:
    """Delete what is left in the workspace's partitions, except the workspace itself and the activity log."""
    pk, meta = keys.workspace(workspace_id)
    for table in keys.TABLES:
        rows = items.query_all(table, pk, keys_only=True)
        _delete(table, (row for row in rows if (table, row["sk"]) != (accounts.TABLE, meta)))


def delete_acts(workspace_id: str) -> None:
    """Delete the activity log."""
    for table in acts.TABLES:
        _delete(table, items.query_all(table, keys.acts_partition(workspace_id), keys_only=True))


def known_before(workspace_id: str) -> tuple[set[str], set[str]]:
    """Return the ids of all websites and endpoints that the activity log mentions, including removed ones."""
    websites, endpoints = set(), set()
    for row in _acts(workspace_id):
        of = row["act"].partition(".")[0]
        if of == "website":
            websites.add(row["subject"])
        elif of == "endpoint":
            endpoints.add(row["subject"])
    return websites, endpoints


def _acts(workspace_id: str) -> Iterator[dict[str, Any]]:
    for table in acts.TABLES:
        yield from items.query_all(table, keys.acts_partition(workspace_id), keys.ACT_PREFIX)


def _mentions(value: Any, ids: Collection[str]) -> bool:
    text = str(value)
    return any(one in text for one in ids)


def _delete(table: str, rows: Iterable[dict[str, Any]]) -> None:
    items.batch_write(deletes=((table, row["pk"], row["sk"]) for row in rows))
