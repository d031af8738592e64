"""What values are written through, whatever it is: the connector in a website's CMS, or a shop."""

from typing import Protocol

from chalicelib.domain.connector.messages import MOST_ITEMS, Change, ContentPage, Outcome, Status


class Target(Protocol):
    """A system that holds a website's content. No call tries again what may have been done.

    All raise ``NoAccess`` (the service is refused), ``Quota``, ``Unavailable`` (no answer, or none that makes sense)
    and ``Declined`` (the request itself was refused; to repeat it is no use). A refusal of a single change is an
    outcome and no error: errors say that nothing is known of what became of a request, and the same request may be
    sent again.
    """

    def status(self) -> Status:
        """What can be written now."""

    def items(self, after: str | None = None, limit: int = MOST_ITEMS) -> ContentPage:
        """The content items behind ``after`` (None: from the first), ``limit`` at most."""

    def change(self, change: Change) -> Outcome:
        """Writes one field. Safe to repeat with the same ``change_id``."""
