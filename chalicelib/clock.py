"""The service's clock: the one place from which the present time is read.

Production adds nothing to the machine's clock. The local service sets an offset, so that
``manage.py clock advance`` can move weeks in a second and every retry, lease and schedule follows.
The pure rooms (domain, rules) never import this: they are handed the time.
"""

import time
from datetime import UTC, datetime

_offset_seconds = 0.0


def now() -> float:
    """Seconds since the epoch (UTC) on the service's clock."""
    return time.time() + _offset_seconds


def machine() -> float:
    """Seconds since the epoch on the machine's own clock: for a time that another machine compares with its clock."""
    return time.time()


def monotonic() -> float:
    """Seconds of a clock that is never stepped: for measuring durations and deadlines."""
    return time.monotonic()


def offset() -> float:
    """Seconds by which the service's clock is ahead of the machine's (0 in production)."""
    return _offset_seconds


def set_offset(seconds: float) -> None:
    """Move the service's clock (local service and tests only)."""
    global _offset_seconds
    _offset_seconds = seconds


def utc(seconds: float) -> datetime:
    """The given epoch seconds as an aware UTC date-time."""
    return datetime.fromtimestamp(seconds, UTC)


def sleep(seconds: float) -> None:
    """Wait by the machine's clock (back-off between tries): a moved service clock changes nothing here."""
    time.sleep(seconds)
