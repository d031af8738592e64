"""Schedule locks (table ops). Several processes may run the same schedule. For each scheduled time, only the first
process that records the time does the work.

Access patterns
- claim a run of a schedule: Put SCHEDULE#name, if no time or an earlier time is recorded
"""

from typing import Final

from chalicelib.store import items, keys
from chalicelib.store.errors import Conflict

TABLE: Final = "ops"


def claim(name: str, at: float) -> bool:
    """Claim the run of a schedule at the time ``at`` (epoch seconds). Returns False if this run, or a later one, is
    already claimed. One call. Raises botocore's errors."""
    pk, sk = keys.schedule(name)
    try:
        items.put(
            TABLE,
            {"pk": pk, "sk": sk, "firedFor": at},
            condition="attribute_not_exists(pk) OR firedFor < :at",
            values={":at": at},
        )
    except Conflict:
        return False
    return True
