"""The errors of the store."""

from typing import Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ProfileNotFound,
)


class KeyUnusable(Exception):
    """The key file (``SECRETS_KEY``) cannot be read, has no key, or lacks the key that encrypted a secret."""


# Raised when AWS cannot be reached, refuses the credentials, or lacks the table, queue or key. ``KeyUnusable``: the key
# is in a file and cannot be used.
AWS_ERRORS: tuple[type[Exception], ...] = (BotoCoreError, ClientError, KeyUnusable)

# The errors of a process without a region or credentials: no request was sent.
AWS_NOT_SET_UP: tuple[type[Exception], ...] = (
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ProfileNotFound,
)

ITEM = "item"


class Conflict(Exception):
    """A condition did not hold, so nothing was written. ``failed``: for each write whose condition failed, by the
    write's name, the item that is stored now (None: there is none). Single writes by ``store.items`` have the name
    ``ITEM``."""

    def __init__(self, failed: dict[str, dict[str, Any] | None]) -> None:
        super().__init__(f"conditions failed: {sorted(failed)}")
        self.failed = failed


class FenceLost(Exception):
    """Another worker has claimed this worker's crawl or job. This worker must stop and write nothing more."""
