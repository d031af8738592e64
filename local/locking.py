"""The one lock of the embedded AWS: moto itself has none, and loses updates when two threads meet.

Every call, in this process or through the endpoint, holds ``LOCK`` from the first look at a table to the last.
``CHANGED`` is told when a message arrives or the clock steps, so that a long poll wakes without polling.
"""

import threading

LOCK = threading.RLock()
CHANGED = threading.Condition(LOCK)
