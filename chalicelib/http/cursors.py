"""Makes and reads cursors: the position at which a list continues, signed and bound to the request.

A cursor is ``base64url(version ‖ payload ‖ signature)``. The signature covers the version, the payload and the binding:
website, data version, and every parameter except the cursor. So a modified cursor, or a cursor sent with other
parameters, is refused with ``bad_cursor``. A cursor grants no rights: the key is checked on every call.
"""

import binascii
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from chalicelib import typed
from chalicelib.domain.ids import digest
from chalicelib.http.errors import ApiError
from chalicelib.settings.core import core_settings

VERSION: Final = b"\x01"
SIGNATURE_BYTES: Final = 16
LONGEST: Final = 4_096


def make(position: Sequence[Any], binding: Sequence[str]) -> str:
    """Make a cursor. ``position``: the sort keys (numbers and text) of the last row returned. ``binding``: the texts
    (such as parameters) that must be the same in the next request."""
    signed = VERSION + msgspec.msgpack.encode(list(position))
    return urlsafe_b64encode(signed + _signature(signed, binding)).rstrip(b"=").decode()


def read(cursor: str, binding: Sequence[str]) -> list[Any]:
    """Check a cursor, and return the position that was given to ``make``. Raises 400 ``bad_cursor``."""
    data = _decoded(cursor)
    signed, signature = data[:-SIGNATURE_BYTES], data[-SIGNATURE_BYTES:]
    if signed[:1] != VERSION or not hmac.compare_digest(signature, _signature(signed, binding)):
        raise refused()
    position: list[Any] = typed.from_msgpack(signed[1:], list[Any])
    return position


def _decoded(cursor: str) -> bytes:
    if len(cursor) > LONGEST:
        raise refused()
    try:
        text = cursor.encode("ascii")
        data = urlsafe_b64decode(text + b"=" * (-len(text) % 4))
    except (UnicodeEncodeError, binascii.Error):
        raise refused() from None
    # The decoder ignores invalid characters and spare bits, so only the exact text that was issued is accepted.
    if urlsafe_b64encode(data).rstrip(b"=") != text:
        raise refused()
    return data


def _signature(signed: bytes, binding: Sequence[str]) -> bytes:
    secret = core_settings().cursor_secret
    if not secret:
        raise RuntimeError("CURSOR_SECRET is not set: cursors cannot be signed")
    return hmac.digest(secret.encode(), signed + digest(*binding), "sha256")[:SIGNATURE_BYTES]


def refused() -> ApiError:
    """Make the error ``bad_cursor``, for a cursor that does not belong to the request."""
    return ApiError(
        "bad_cursor",
        "`cursor` does not belong to this request. `limit` and all other parameters must be the same as in the "
        "request before. If they are, the data has changed: start again without `cursor`.",
        param="cursor",
    )
