"""Shuts a process of the service down: orderly at the first signal, and by force if that takes too long."""

import contextlib
import faulthandler
import os
import signal
import threading
from collections.abc import Iterator

INTERRUPTED = 130  # the exit status that shells report after Ctrl-C
SIGNALS = (signal.SIGINT, signal.SIGTERM)
STOP_SECONDS = 30.0  # the limit of a shutdown, which takes well under a second unless something is stuck


def interrupts() -> threading.Event:
    """Return an event that is set at the first Ctrl-C or SIGTERM. A second signal ends the process without waiting."""
    stopping = threading.Event()
    # Python calls signal handlers in the main thread, at any point. That thread may hold the event's own lock, or sleep
    # in a call that the signal does not interrupt. So no Python handler sets the event: the C handler writes into a
    # pipe, and a thread reads from it.
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    for number in SIGNALS:
        signal.signal(number, lambda *_: None)

    def heed() -> None:
        _wait_for_signal(heard)
        stopping.set()
        faulthandler.dump_traceback_later(2 * STOP_SECONDS, exit=True)
        _wait_for_signal(heard)
        os._exit(INTERRUPTED)

    threading.Thread(target=heed, name="interrupts", daemon=True).start()
    return stopping


def _wait_for_signal(heard: int) -> None:
    while os.read(heard, 1)[0] not in SIGNALS:
        pass


@contextlib.contextmanager
def ended_in_time() -> Iterator[None]:
    """If the block takes longer than ``STOP_SECONDS``, log the stack of every thread and end the process with status 1.

    No data is lost, because rows are stored as soon as they change.
    """
    faulthandler.dump_traceback_later(STOP_SECONDS, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
