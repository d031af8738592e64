"""Limits of this machine, for tests of what happens when it has nothing left."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_sockets() -> Iterator[None]:
    """No further file or socket can be opened by this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))  # those that are open stay open
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
