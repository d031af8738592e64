"""The refusals of operations."""


class Refused(Exception):
    """Raised if an operation is refused.

    - ``code``: the token of the error answer.
    - ``message``: the reason, for a person.
    - ``retry_after``: seconds after which a retry may succeed, or None if that is unknown.
    """

    def __init__(self, code: str, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retry_after = retry_after


def busy(what: str = "this") -> Refused:
    """Make the refusal ``busy``: others kept changing ``what`` (for example "the website"), so every try to write it
    failed."""
    return Refused("busy", f"Another process keeps changing {what} at the same moment; try again.")
