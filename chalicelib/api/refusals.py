"""From what an operation refuses to what the caller is told."""

from typing import Final

from chalicelib.http.errors import ApiError
from chalicelib.operations.errors import Refused

BUSY_SECONDS: Final = 1  # others were quicker a few times in a row: a moment later it is another matter


def refusal(refused: Refused) -> ApiError:
    """The error of the same code, with the operation's words. Its code has to be one of the registry."""
    headers = {"Retry-After": str(BUSY_SECONDS)} if refused.code == "busy" else {}
    return ApiError(refused.code, refused.message, headers=headers)
