"""How a process of the service ends: at the first signal in order, and in any case soon."""

import contextlib
import faulthandler
import os
import signal
import threading
from collections.abc import Iterator

INTERRUPTED = 130  # what a shell reports of a program that was ended by Ctrl-C
SIGNALS = (signal.SIGINT, signal.SIGTERM)
STOP_SECONDS = 30.0  # for stopping, which takes well under one unless something is stuck


def interrupts() -> threading.Event:
    """What is set at the first Ctrl-C, or SIGTERM; at the second the process ends without waiting for anything."""
    stopping = threading.Event()
    # Python calls the handlers of signals in the main thread, in the middle of whatever it does: it may be holding the
    # event's own lock then, or be asleep without having noticed. So it has no part in this: the system's handler writes
    # into a pipe, at whichever thread it finds, and a thread reads from there.
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
    """Ends the process with status 1 where the block takes too long, whatever holds it up; where every thread was by
    then is logged. Rows are kept all along, so that nothing is lost by it."""
    faulthandler.dump_traceback_later(STOP_SECONDS, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
