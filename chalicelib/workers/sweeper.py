"""The worker of the schedule ``sweeper`` (every minute): finds work whose messages were lost and sends them again.

Failure policy: it only sends messages, and every worker treats a message as a hint. Killed anywhere, the next
minute's run finds the same work.
"""

from chalicelib import clock
from chalicelib.operations.audits import send_slice
from chalicelib.store import crawls, keys


def run() -> int:
    """Send crawls whose lease has run out, or that were never taken up, again. Gives how many were sent."""
    now = clock.now()
    sent = 0
    for shard in keys.shards():
        for header in crawls.list_overdue(shard, now):
            send_slice(header)
            sent += 1
    return sent
