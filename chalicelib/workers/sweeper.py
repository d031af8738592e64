"""The worker of the schedule ``sweeper`` (every minute): finds work whose messages were lost and sends them again,
and starts weekly audits whose turn has come.

Failure policy: it only sends messages, and every worker treats a message as a hint; for the audits see ``weekly``.
Killed anywhere, the next minute's run finds the same work.
"""

from chalicelib import clock
from chalicelib.operations.audits import send_slice
from chalicelib.store import crawls, deliveries, keys, outbox, queues
from chalicelib.workers import weekly
from chalicelib.workers.delivery.hints import send_overdue

# How long a message of its own has to do its work before the sweeper sends another.
BATCH_SECONDS = 5.0
DELIVERY_SECONDS = 20.0
DELIVERIES_A_SHARD = 500


def run() -> int:
    """Send again: crawls whose lease has run out, or that were never taken up; batches of events that nobody handed
    over; webhook deliveries whose time has come and gone. Then go on with the weekly audits. Gives how many messages
    were sent."""
    now = clock.now()
    return _crawls(now) + _batches(now) + _deliveries(now) + weekly.run()


def _crawls(now: float) -> int:
    sent = 0
    for shard in keys.shards():
        for header in crawls.list_overdue(shard, now):
            send_slice(header)
            sent += 1
    return sent


def _batches(now: float) -> int:
    sent = 0
    for shard in keys.shards():
        for pk, sk in outbox.overdue(shard, now - BATCH_SECONDS):
            queues.hint("outbox", {"pk": pk, "sk": sk})
            sent += 1
    return sent


def _deliveries(now: float) -> int:
    sent = 0
    for shard in keys.due_deliveries_shards():
        found = deliveries.list_due(shard, now - DELIVERY_SECONDS, DELIVERIES_A_SHARD)
        send_overdue(found, now)
        sent += len(found)
    return sent
