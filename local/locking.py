"""The one lock of the embedded AWS. It is needed because moto has no lock, so that updates of concurrent threads would
be lost.

Every call, in this process or through the endpoint, holds ``LOCK`` from its first access to a table to its last.
``CHANGED`` is notified when a message arrives or the clock is moved, so that a long poll wakes at once.
"""

import threading

LOCK = threading.RLock()
CHANGED = threading.Condition(LOCK)
