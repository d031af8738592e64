"""The activity log of workspaces (stored in every table of ``TABLES``). Rows expire after 400 days.

Access pattern: the latest acts: Query ACTS#w, ACT# of each table, newest first.

An act is logged by the transaction that performs it, in a table to which this transaction writes anyway. So the log
does not require that a Lambda function may access more tables.
"""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.domain.accounts.acts import ACTS, KEPT_DAYS, LONGEST_ABOUT, Act
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.ids import time_ordered
from chalicelib.domain.printable import printable
from chalicelib.randomness import random_bytes
from chalicelib.store import items, keys
from chalicelib.store.transactions import Put

TABLES: Final = ("accounts", "crawls", "changes", "issues", "webhooks")


def done(table: str, actor: Actor, workspace_id: str, act: str, now: float, subject: str, about: str = "") -> Put:
    """Return the write that logs an act, for the transaction that performs it."""
    assert table in TABLES and act in ACTS, (table, act)
    act_id = time_ordered("act", now, random_bytes(10))
    pk, sk = keys.act(workspace_id, act_id)
    return Put(
        table,
        {
            "pk": pk,
            "sk": sk,
            "id": act_id,
            "act": act,
            "at": now,
            "personId": actor.person_id,
            "keyId": actor.key_id,
            "who": actor.email,
            "subject": subject,
            "about": printable(about, LONGEST_ABOUT),
            "ttl": int(now) + KEPT_DAYS * 86_400,
        },
    )


def latest(workspace_id: str, limit: int, before: str | None = None) -> list[Act]:
    """Return the latest acts of a workspace, newest first. ``before``: only acts older than this id. One query per
    table."""
    pk = keys.acts_partition(workspace_id)
    start = None if before is None else dict(zip(("pk", "sk"), keys.act(workspace_id, before), strict=True))
    found = [
        _act(row)
        for table in TABLES
        for row in items.query(table, pk, keys.ACT_PREFIX, limit=limit, forward=False, start=start)[0]
    ]
    return sorted(found, key=lambda act: act.id, reverse=True)[:limit]


def _act(row: Mapping[str, Any]) -> Act:
    return Act(
        id=row["id"],
        act=row["act"],
        at=row["at"],
        person_id=row.get("personId"),
        key_id=row.get("keyId"),
        who=row.get("who"),
        subject=row["subject"],
        about=row["about"],
    )
