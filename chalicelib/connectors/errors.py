"""The five errors of outside systems."""

import math
from typing import ClassVar, Final

LONGEST_WAIT: Final = 86_400.0  # seconds; the limit for the wait that a system asks for


class OutsideError(Exception):
    """Raised if an outside system did not do what was requested. ``code``: the error's token. ``message``: the reason
    in words. Neither of them ever contains a credential.

    ``retry_after``: how many seconds the system asks us to wait before a retry, at most ``LONGEST_WAIT``; None if it
    does not say. ``sent``: False if the system certainly did nothing, because the request did not reach it or was not
    accepted.
    """

    code: ClassVar[str]

    def __init__(self, message: str, retry_after: float | None = None, *, sent: bool = True) -> None:
        super().__init__(message)
        self.message = message
        self.retry_after = _bounded(retry_after)
        self.sent = sent


class NotConnected(OutsideError):
    """Raised if no outside system is connected, or a setting that the connection needs is missing."""

    code = "not_connected"


class NoAccess(OutsideError):
    """Raised if the credentials were refused, or lack the needed rights."""

    code = "no_access"


class Quota(OutsideError):
    """Raised if the outside system accepts no more requests for now, or the account's quota is used up."""

    code = "quota"


class Unavailable(OutsideError):
    """Raised if no answer came in time, or the answer was invalid. A later retry may help."""

    code = "unavailable"


class Declined(OutsideError):
    """Raised if the outside system understood the request and refused it. The message gives its reason."""

    code = "refused"


def _bounded(seconds: float | None) -> float | None:
    return None if seconds is None or math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_WAIT)
