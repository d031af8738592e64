"""Which of several processes fires a schedule (table ops): whoever writes its time down first.

Access patterns
- claim a firing: Put SCHEDULE#name, where an earlier time stands there, or none
"""

from typing import Final

from chalicelib.store import items, keys
from chalicelib.store.errors import Conflict

TABLE: Final = "ops"


def claim(name: str, at: float) -> bool:
    """Take the firing of a schedule at its time ``at`` (seconds); False where it was taken, or a later one was. One
    call. Raises botocore's errors."""
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
