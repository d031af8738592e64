"""How an outside system fails, in the five ways that the service tells apart."""

from typing import ClassVar


class OutsideError(Exception):
    """An outside system did not do what was asked. ``code`` is the token, ``message`` says it in words; neither ever
    holds a credential. ``retry_after``: in how many seconds it asks to be asked again, when it was told."""

    code: ClassVar[str]

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.retry_after = retry_after


class NotConnected(OutsideError):
    """Nothing is connected, or a part of the connection was not set."""

    code = "not_connected"


class NoAccess(OutsideError):
    """The credentials were refused, or do not reach that far."""

    code = "no_access"


class Quota(OutsideError):
    """The outside system takes no more requests for now, or the account has nothing left."""

    code = "quota"


class Unavailable(OutsideError):
    """No answer in time, or none that makes sense; trying again later may help."""

    code = "unavailable"


class Declined(OutsideError):
    """The outside system understood the request and will not do it; the message gives its reason."""

    code = "refused"
