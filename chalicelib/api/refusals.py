"""Converts refusals of operations into API errors."""

from typing import Final

from chalicelib.http.errors import ApiError
from chalicelib.operations.errors import Refused

BUSY_SECONDS: Final = 1  # after some conflicts in a row, a retry a moment later usually succeeds


def refusal(refused: Refused) -> ApiError:
    """Make the API error with the refusal's code and message. The code must be in the registry of error codes."""
    headers = {"Retry-After": str(BUSY_SECONDS)} if refused.code == "busy" else {}
    return ApiError(refused.code, refused.message, headers=headers)
