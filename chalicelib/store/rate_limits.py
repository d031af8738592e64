"""Rate limits for outside services (table ops). All workers share a limit, because the outside service counts the
requests of all of them.

Access pattern: Update PACE#name. One item per service has the time of the next allowed request. A caller adds one step
to this time, and waits until the time that was stored before. If the worker dies meanwhile, or its update is repeated
because the answer was lost, one turn stays unused.

If a service asks the workers to wait until a time, no worker calls it before that time. An Update stores the time,
unless a later time is stored already; a Get reads it.
"""

import contextlib
from typing import Final

from chalicelib import clock
from chalicelib.store import items, keys
from chalicelib.store.errors import Conflict

TABLE: Final = "ops"
LONGEST_SECONDS: Final = 60.0  # the longest wait; a later stored time was written before the clock was set back
_TRIES: Final = 20
_KEPT_SECONDS: Final = 86_400


def wait(name: str, step: float) -> None:
    """Wait for a turn; one request is allowed per ``step`` seconds. After too many conflicts with other callers it
    returns without a turn. The outside service itself then refuses excess requests."""
    pk, sk = keys.pace(name)
    for _ in range(_TRIES):
        now = clock.now()
        names = {"#next": "nextAt", "#ttl": "ttl"}
        values = {":now": now, ":latest": now + LONGEST_SECONDS, ":ttl": int(now) + _KEPT_SECONDS}
        try:
            queued = items.update(
                TABLE,
                pk,
                sk,
                "SET #next = #next + :step, #ttl = :ttl",
                condition="#next >= :now AND #next <= :latest",
                names=names,
                values=values | {":step": step},
                returns="ALL_NEW",
            )
            assert queued is not None
            clock.sleep(max(0.0, queued["nextAt"] - step - now))
            return
        except Conflict:
            pass
        try:
            items.update(
                TABLE,
                pk,
                sk,
                "SET #next = :next, #ttl = :ttl",
                condition="attribute_not_exists(#next) OR #next < :now OR #next > :latest",
                names=names,
                values=values | {":next": now + step},
            )
            return
        except Conflict:
            continue


def hold(name: str, until: float) -> None:
    """Let no worker send requests to the service before this time (epoch seconds). If a later time is stored, nothing
    changes."""
    pk, sk = keys.pace(name)
    names, values = {"#held": "heldUntil", "#ttl": "ttl"}, {":until": until, ":ttl": int(until) + _KEPT_SECONDS}
    condition = "attribute_not_exists(#held) OR #held < :until"
    with contextlib.suppress(Conflict):
        items.update(TABLE, pk, sk, "SET #held = :until, #ttl = :ttl", condition=condition, names=names, values=values)


def held_until(name: str) -> float:
    """Return the time before which no worker may send requests (epoch seconds); 0 if none was set. One round trip."""
    item = items.get(TABLE, *keys.pace(name))
    return 0.0 if item is None else item.get("heldUntil", 0.0)
