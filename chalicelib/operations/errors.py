"""How an operation refuses."""


class Refused(Exception):
    """The operation was not done. ``code`` is the token of the error answer, ``message`` says why, for a person.
    ``retry_after``: in how many seconds it may be done; None: nobody knows."""

    def __init__(self, code: str, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retry_after = retry_after


def busy(what: str = "this") -> Refused:
    """``busy``: whoever tried again and again to write ``what`` was always too late."""
    return Refused("busy", f"Somebody else keeps changing {what} at the same moment; try again.")
