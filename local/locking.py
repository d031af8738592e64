"""The one lock of the embedded AWS. moto has no lock, and loses updates of concurrent threads.

Every call, in this process or through the endpoint, holds ``LOCK`` from its first access of a table to its last.
``CHANGED`` is notified when a message arrives or the clock steps, so that a long poll wakes without polling.
"""

import threading

LOCK = threading.RLock()
CHANGED = threading.Condition(LOCK)
