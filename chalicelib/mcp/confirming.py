"""Makes and checks the token that confirms a write. A write takes two calls. The first call shows the values and
returns the token. The second call sends the token; it may write only these values, with the same key, within ten
minutes.

The token is signed and grants no rights. Both calls check scopes and values.
"""

from collections.abc import Sequence
from typing import Final

from chalicelib.http import cursors
from chalicelib.http.errors import ApiError
from chalicelib.mcp.tool import Refusal

SECONDS: Final = 600
_PURPOSE: Final = "mcp/confirm"


def token(binding: Sequence[str], now: float) -> str:
    """Make a token that is valid only for ``binding``: the key, the issue and the values."""
    return cursors.make([int(now) + SECONDS], [_PURPOSE, *binding])


def check(given: str, binding: Sequence[str], now: float) -> None:
    """Raise ``Refusal`` if the token has expired, or was made for another key, issue or other values."""
    try:
        (until,) = cursors.read(given, [_PURPOSE, *binding])
    except ApiError:
        raise Refusal(
            "bad_confirm_token",
            "`confirmToken` was made for another key, issue or other values. Call without it to see the values again.",
        ) from None
    if now > until:
        raise Refusal(
            "confirm_token_expired", "`confirmToken` is older than ten minutes. Call without it to get another."
        )
