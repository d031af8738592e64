"""People's choices of when to get notices by mail, and the notices that wait for the next mail (table webhooks).

Access patterns
- a person's choice of when to get notices: Get WS#w, NOTICES#person; of all people of a workspace: Query WS#w, NOTICES#
- the waiting notices of a person: Query NOTICES#w#person, WAIT#, oldest first
- an event that was reported to a person: NOTICES#w#person, SEEN#event, written together with the waiting notice
- people whose mail is due: index ``dueDeliveries`` (dueShard ``MAIL#nn``, nextTryAt), sparse

Waiting notices, and records of reported events, expire after 35 days.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from chalicelib.domain.webhooks import notices
from chalicelib.domain.webhooks.notices import Notice, When
from chalicelib.store import items, keys
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import Delete, Put, Update, Write, changed_version, commit, committed

TABLE: Final = "webhooks"
KEPT_SECONDS: Final = 35 * 86_400
_SEEN: Final = "seen event"  # in a ``Conflict``, the name of the write that allows one notice per event
_TRIES: Final = 8


@dataclass(frozen=True, slots=True)
class Subscription:
    """A person's choice, and the progress of their mails. Times are epoch seconds.

    - ``secret``: a secret in the mails. Anyone who has it can turn the notices off, and do nothing else.
    - ``since``: events before this time are not reported.
    - ``due``: when the next mail is sent or retried; None if no notice waits.
    - ``tries``: how often the service began to send that mail.
    - ``up_to``: while a mail is being sent, the time of the latest notice in it.

    ``version`` grows with each change.
    """

    workspace_id: str
    person_id: str
    when: When
    secret: str = field(repr=False)
    since: float
    last_sent: float
    due: float | None
    tries: int
    up_to: float | None
    version: int

    @classmethod
    def _of(cls, row: dict[str, Any]) -> Self:
        return cls(
            keys.after_prefix(row["pk"]),
            keys.after_prefix(row["sk"]),
            row["when"],
            row["secret"],
            row["since"],
            row["lastSent"],
            row.get("nextTryAt"),
            row["tries"],
            row.get("upTo"),
            row["version"],
        )


def get(workspace_id: str, person_id: str) -> Subscription | None:
    """Return a person's choice of when to get notices. Returns None if they have not chosen."""
    row = items.get(TABLE, *keys.notices(workspace_id, person_id))
    return None if row is None else Subscription._of(row)


def of_workspace(workspace_id: str) -> list[Subscription]:
    """Return the choices of those people of a workspace who want notices."""
    rows = items.query_all(TABLE, keys.workspace_partition(workspace_id), keys.NOTICES_PREFIX)
    return [found for found in map(Subscription._of, rows) if found.when != "off"]


def choose(workspace_id: str, person_id: str, when: When, secret: str, now: float) -> bool:
    """Store a person's choice of when to get notices. ``secret``: stored only with the first choice. Returns False
    after a concurrent write."""
    old = get(workspace_id, person_id)
    if old is None:
        first = Subscription(workspace_id, person_id, when, secret, now, 0.0, None, 0, None, 0)
        return committed([Put(TABLE, _item(first), condition="attribute_not_exists(pk)")])
    changed: dict[str, Any] = {"when": when}
    if when == "off":
        changed |= {"nextTryAt": None, "dueShard": None, "upTo": None, "tries": 0}
    elif old.when == "off":
        changed["since"] = now
    elif old.due is not None and old.up_to is None:
        changed["nextTryAt"] = notices.due(when, now, old.last_sent)
    if not committed([_change(old, changed)]):
        return False
    if when == "off":
        drop(workspace_id, person_id, now)
    return True


def add(to: Subscription, notice: Notice, now: float) -> Subscription:
    """Add a notice to the person's next mail, unless the event was already reported to them or they no longer want
    notices. Returns the person's current row. Raises ``Conflict`` when other processes keep changing the row."""
    pk, ttl = keys.notices_partition(to.workspace_id, to.person_id), int(now) + KEPT_SECONDS
    seen = Put(
        TABLE,
        {"pk": pk, "sk": f"{keys.SEEN_PREFIX}{notice.id}", "ttl": ttl},
        condition="attribute_not_exists(pk)",
        name=_SEEN,
    )
    waits = {"sk": keys.waiting_notice(now, notice.id), "writtenAt": now, "ttl": ttl, **notice._asdict()}
    for attempt in range(_TRIES):
        due = to.due if to.due is not None else notices.due(to.when, now, to.last_sent)
        if due is None:
            return to
        change = _change(to, {"nextTryAt": due, "dueShard": _shard(to)})
        try:
            commit([seen, Put(TABLE, {"pk": pk, **waits}), change])
        except Conflict as conflict:
            if attempt == _TRIES - 1 and _SEEN not in conflict.failed:
                raise
            to = get(to.workspace_id, to.person_id) or replace(to, when="off", due=None)  # the person is gone
            if _SEEN in conflict.failed:
                return to
        else:
            return replace(to, due=due, version=to.version + 1)
    return to


def due(shard: str, before: float) -> Iterator[tuple[str, str]]:
    """Yield the (workspace, person) pairs of a shard whose mail was due before a time. The index may lag behind the
    rows for a moment.
    """
    for row in items.query_index("dueDeliveries", shard, before):
        yield keys.after_prefix(row["pk"]), keys.after_prefix(row["sk"])


def waiting_since(workspace_id: str, person_id: str) -> list[float]:
    """Return when each waiting notice of a person was written (epoch seconds), oldest first."""
    rows = items.query_all(TABLE, keys.notices_partition(workspace_id, person_id), keys.WAITING_PREFIX)
    return [row["writtenAt"] for row in rows]


def drop(workspace_id: str, person_id: str, before: float) -> int:
    """Delete a person's notices that were written before a time, and return how many. Later notices stay. If no notice
    is left, no mail is sent to the person."""
    pk = keys.notices_partition(workspace_id, person_id)
    rows = [row for row in items.query_all(TABLE, pk, keys.WAITING_PREFIX) if row["writtenAt"] < before]
    items.batch_write(deletes=((TABLE, row["pk"], row["sk"]) for row in rows))
    return len(rows)


def begin(found: Subscription, now: float, again: float) -> Subscription | None:
    """Claim the sending of a person's mail until the time ``again``. If ``end`` was not called by then, another worker
    may send it again. Returns None after a concurrent write."""
    begun = replace(
        found, due=again, tries=found.tries + 1, up_to=found.up_to or now, version=found.version + 1
    )  # not read again, so that later concurrent changes are detected
    changed = {"nextTryAt": begun.due, "tries": begun.tries, "upTo": begun.up_to}
    return begun if committed([_change(found, changed)]) else None


def waiting(begun: Subscription, limit: int) -> tuple[dict[str, Notice], bool]:
    """Return the oldest notices that wait for the claimed mail, by sort key. Also returns whether more notices wait."""
    pk = keys.notices_partition(begun.workspace_id, begun.person_id)
    rows, _ = items.query(TABLE, pk, keys.WAITING_PREFIX, limit=limit + 1)
    last = begun.up_to or 0.0
    found = {row["sk"]: _notice(row) for row in rows[:limit] if row["writtenAt"] <= last}
    return found, len(found) < len(rows)


def end(begun: Subscription, done: Collection[str], more: bool, now: float, *, sent: bool) -> None:
    """End a claimed mail, and delete its notices (``done``: their sort keys). ``sent``: whether the mail was sent.
    ``more``: whether further notices wait, so that another mail follows soon. If notices arrived while the mail was
    being sent, the next mail is scheduled now."""
    pk = keys.notices_partition(begun.workspace_id, begun.person_id)
    gone: list[Write] = [Delete(TABLE, (pk, sk)) for sk in done]
    last_sent = now if sent else begun.last_sent
    current: Subscription | None = begun
    while current is not None:
        waits = more or current.version != begun.version
        at = notices.due(current.when, now, last_sent) if waits else None
        if more and at is not None:  # soon for a digest too: waiting notices could expire before the next one
            at = now + notices.BETWEEN_SECONDS
        shard = None if at is None else _shard(current)
        changed = {"lastSent": last_sent, "nextTryAt": at, "dueShard": shard, "tries": 0, "upTo": None}
        if committed([*gone, _change(current, changed)]):
            return
        current = get(begun.workspace_id, begun.person_id)
    items.batch_write(deletes=((TABLE, pk, sk) for sk in done))


def removed(workspace_id: str, person_id: str) -> Delete:
    """Return the write that deletes the choice of a person who leaves the workspace. ``forget`` then deletes their
    waiting notices."""
    return Delete(TABLE, keys.notices(workspace_id, person_id))


def forget(workspace_id: str, person_id: str) -> None:
    """Delete the choice and all notices of a person who was removed."""
    pk = keys.notices_partition(workspace_id, person_id)
    rows = items.query_all(TABLE, pk, keys_only=True)
    items.batch_write(deletes=((TABLE, row["pk"], row["sk"]) for row in rows))
    items.delete(TABLE, *keys.notices(workspace_id, person_id))  # last: the other rows are found through it


def _notice(row: dict[str, Any]) -> Notice:
    return Notice(row["id"], row["at"], row["site_id"], row["host"], row.get("link"), row["headline"], row["detail"])


def _item(made: Subscription) -> dict[str, Any]:
    pk, sk = keys.notices(made.workspace_id, made.person_id)
    return {
        "pk": pk,
        "sk": sk,
        "when": made.when,
        "secret": made.secret,
        "since": made.since,
        "lastSent": made.last_sent,
        "tries": made.tries,
        "version": made.version,
    }


def _change(old: Subscription, changed: dict[str, Any]) -> Update:
    """Return the write that changes attributes (None removes one). The write fails if the row has changed since it was
    read."""
    return changed_version(TABLE, keys.notices(old.workspace_id, old.person_id), old.version, changed)


def _shard(of: Subscription) -> str:
    return keys.due_mails_shard(of.person_id)
