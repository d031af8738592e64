"""The common interface for writing values: the connector in a website's CMS, or a shop."""

from typing import Protocol

from chalicelib.domain.connector.messages import MOST_ITEMS, Change, ContentPage, Outcome, Status


class Target(Protocol):
    """A system that holds a website's content. No call retries a request that may have been executed.

    All methods raise ``NoAccess`` (the service is refused), ``Quota``, ``Unavailable`` (no answer, or an invalid one)
    and ``Declined`` (the request itself was refused, so repeating it is useless). If only a single change is refused,
    no error is raised: the outcome says so. After an error it is unknown whether the request was executed; the same
    request may be sent again.
    """

    def status(self) -> Status:
        """Ask which fields can be written now."""

    def items(self, after: str | None = None, limit: int = MOST_ITEMS) -> ContentPage:
        """Return the content items after the cursor ``after`` (None: from the first), at most ``limit``."""

    def change(self, change: Change) -> Outcome:
        """Write one field. Safe to repeat with the same ``change_id``."""
