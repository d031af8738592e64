"""Reads a live file of a website, such as its robots.txt, while a person waits. At any time, at most one request reads
the same file, and at most three requests of a workspace read files.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from chalicelib import clock
from chalicelib.operations.errors import Refused
from chalicelib.store import live_reads
from chalicelib.store.websites import Website

WAIT_SECONDS: Final = 2.0  # how long to wait for another read, if no earlier result is known
POLL_SECONDS: Final = 0.25

T = TypeVar("T")


def once(website: Website, file: str, kind: type[T], read: Callable[[], T], now: float) -> tuple[T, float]:
    """Read a file with ``read``. Returns its result (of the type ``kind``), and the time of the read (epoch seconds).

    If another request is reading the file, or the workspace has three reads in progress, the result of the last read is
    returned, if it is at most ten minutes old. If there is no such result, wait up to two seconds for the other
    request's result; then raise ``Refused`` (``busy``). Two round trips, and one more each time that it looks for
    another request's result.
    """
    until = clock.monotonic() + WAIT_SECONDS
    while True:
        reading = live_reads.begin(website.id, website.workspace_id, file, now)
        if reading is not None:
            return _read(reading, read, now), now
        known = live_reads.last(website.id, file, now)
        value: T | None = None if known is None else live_reads.unpack(known.data, kind)
        if known is not None and value is not None:
            return value, known.at
        if clock.monotonic() >= until:
            raise Refused("busy", "This file of the website is being read for another request; try again in a moment.")
        clock.sleep(POLL_SECONDS)
        now = clock.now()


def _read(reading: live_reads.Reading, read: Callable[[], T], now: float) -> T:
    data: bytes | None = None
    try:
        value = read()
        data = live_reads.pack(value)
        return value
    finally:
        live_reads.end(reading, data, now)
