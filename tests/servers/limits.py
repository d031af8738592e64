"""Limits of this machine, for tests of what happens when it has nothing left."""

import gc
import resource
import tracemalloc  # noqa: F401 - Python's warnings import it when they are shown, which takes a file
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_sockets() -> Iterator[None]:
    """No further file or socket can be opened by this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    gc.collect()  # what earlier tests left open is not warned of meanwhile
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))  # those that are open stay open
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
