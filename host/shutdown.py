"""Shutdown of a process of the service: orderly at the first signal, and soon in any case."""

import contextlib
import faulthandler
import os
import signal
import threading
from collections.abc import Iterator

INTERRUPTED = 130  # the status that a shell reports for a program ended by Ctrl-C
SIGNALS = (signal.SIGINT, signal.SIGTERM)
STOP_SECONDS = 30.0  # for stopping, which takes well under a second unless something is stuck


def interrupts() -> threading.Event:
    """An event that is set at the first Ctrl-C or SIGTERM. At the second, the process ends without waiting."""
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
    """Ends the process with status 1 if the block takes too long, and logs the stack of every thread. Nothing is
    lost: rows are stored all the time."""
    faulthandler.dump_traceback_later(STOP_SECONDS, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
