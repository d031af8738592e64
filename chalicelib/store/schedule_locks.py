"""Schedule locks (table ops). If several processes could fire a schedule, the first process that records the schedule's
time fires it.

Access patterns
- claim a firing: Put SCHEDULE#name, if no time or an earlier time is recorded
"""

from typing import Final

from chalicelib.store import items, keys
from chalicelib.store.errors import Conflict

TABLE: Final = "ops"


def claim(name: str, at: float) -> bool:
    """Claim the firing of a schedule at its time ``at`` (epoch seconds). Returns False if this firing, or a later one,
    is already claimed. One call. Raises botocore's errors."""
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
