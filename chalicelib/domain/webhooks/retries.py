"""The times at which a delivery is tried: at once, then 1, 5, 15 and 60 minutes after the previous try failed. There
are five tries in all."""

import math

WAITS_SECONDS = (60.0, 300.0, 900.0, 3600.0)
TRIES = 1 + len(WAITS_SECONDS)

# For so long, a delivery that waits for a slot is tried again at once: a quick receiver soon frees its slots.
BURST_SECONDS = 1.0
LONGEST_POSTPONEMENT_SECONDS = 10.0


def next_try(tries: int, failed_at: float) -> float | None:
    """Return when to try again after try number ``tries`` failed at ``failed_at``; None if that was the last try."""
    return failed_at + WAITS_SECONDS[tries - 1] if tries <= len(WAITS_SECONDS) else None


def wait_after_own_failure(before: int) -> float:
    """Return how many seconds to wait after a delivery could not be tried because of a failure of the service itself.

    The waits are those between the tries of a delivery. After these, the longest wait is repeated. ``before``: how many
    failures of the service came directly before this one. These failures do not count against the receiver.
    """
    return WAITS_SECONDS[min(before, len(WAITS_SECONDS) - 1)]


def postponed(now: float, waiting_since: float) -> float:
    """Return when to try a delivery again that had to wait because too many deliveries to its endpoint were being sent.

    In the first second of waiting, the result is ``now``: the delivery is tried at once, but other waiting deliveries
    come first. Later, the result is 1 to 10 seconds after ``now``.
    """
    waited = abs(now - waiting_since)  # if the clock was set back: as if it had waited long
    if waited < BURST_SECONDS:
        return now
    return now + min(LONGEST_POSTPONEMENT_SECONDS, max(BURST_SECONDS, waited / 2))


def delay_until(at: float, now: float) -> int:
    """Return how many seconds remain until ``at``. The result is rounded up to whole seconds, so that a queue message
    never arrives early."""
    return max(0, math.ceil(at - now))
