"""How an outside system fails, in the five ways that the service tells apart."""

from typing import ClassVar


class OutsideError(Exception):
    """An outside system did not do what was asked. ``code`` is the token, ``message`` says it in words; neither ever
    holds a credential."""

    code: ClassVar[str]

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotConnected(OutsideError):
    """Nothing is connected, or a part of the connection was not set."""

    code = "not_connected"


class NoAccess(OutsideError):
    """The credentials were refused, or do not reach that far."""

    code = "no_access"


class Quota(OutsideError):
    """The outside system takes no more requests for now, or the account has nothing left. ``retry_after`` in seconds,
    when it was told."""

    code = "quota"

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unavailable(OutsideError):
    """No answer in time, or none that makes sense; trying again later may help."""

    code = "unavailable"


class Declined(OutsideError):
    """The outside system understood the request and will not do it; the message gives its reason."""

    code = "refused"
