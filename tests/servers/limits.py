"""Limits of this machine, for tests of what happens when it has nothing left."""

import gc
import os
import resource
import tracemalloc  # noqa: F401 - Python's warnings import it when they are shown, which takes a file
from collections.abc import Iterator
from contextlib import contextmanager

_STILL_POLLED = 16  # files that a thread of this process may wait for: with a limit below that, its poll() fails


@contextmanager
def no_sockets() -> Iterator[None]:
    """No further file or socket can be opened by this process. Those that are open stay open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    gc.collect()  # what earlier tests left open is not warned of meanwhile
    taken = [os.open(os.devnull, os.O_RDONLY)]
    while taken[-1] < _STILL_POLLED:  # so that every number below the limit is in use
        taken.append(os.dup(taken[0]))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_STILL_POLLED, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for number in taken:
            os.close(number)
