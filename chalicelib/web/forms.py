"""Posted forms, and the check that a form was posted by one of our own pages in the same session."""

import base64
import hmac
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final
from urllib.parse import parse_qs

from chalice.app import Request

from chalicelib import randomness
from chalicelib.http.errors import ApiError

MEDIA_TYPE: Final = "application/x-www-form-urlencoded"
LARGEST_BYTES: Final = 1_000_000
MOST_FIELDS: Final = 5_000
TOKEN: Final = "token"  # noqa: S105 - the names of two fields
NONCE: Final = "nonce"
_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Form:
    """A posted form. ``raw``: the body as sent. The values and ``raw`` may contain the token of a link, which is a
    secret."""

    fields: dict[str, list[str]] = field(repr=False)
    raw: bytes = field(repr=False)

    def text(self, name: str) -> str:
        """Return the value of a field, without white space around it. Returns "" if the field was not sent."""
        return self.fields.get(name, [""])[-1].strip()

    def all(self, name: str) -> list[str]:
        """Return the values of a field that may be sent several times."""
        return self.fields.get(name, [])


def read(request: Request) -> Form:
    """Return the form of a request. Raises ``ApiError``."""
    raw = request.raw_body or b""
    data = raw if isinstance(raw, bytes) else raw.encode()
    if len(data) > LARGEST_BYTES:
        raise ApiError("too_large", f"The form has {len(data):,} bytes; at most {LARGEST_BYTES:,} are read.")
    sent = request.headers.get("content-type", MEDIA_TYPE).split(";")[0].strip().lower()
    if sent != MEDIA_TYPE:
        raise ApiError("unsupported_media_type", "Forms are sent as application/x-www-form-urlencoded.")
    try:
        fields = parse_qs(
            data.decode(),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MOST_FIELDS,
            strict_parsing=bool(data),
        )
    except ValueError:
        raise ApiError("bad_body", "The form could not be read.", param=None) from None
    return Form(fields, data)


def from_our_own_page(request: Request, origin: str) -> bool:
    """Whether the browser says that one of our own pages posted the form. Returns False if the browser says nothing.

    ``origin``: the app's own origin. If this origin is unknown (""), the origin of the page must be the requested host.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return str(site).lower() == "same-origin"
    sent = str(request.headers.get("origin", "")).lower()
    if origin:
        return sent == origin
    return bool(sent) and sent.partition("://")[2] == str(request.headers.get("host", "")).lower()


def token(session_key: str) -> str:
    """Return a session's form token under a new random mask. If every answer contained the same token, the size of
    compressed answers could reveal it."""
    mask = randomness.random_bytes(_BYTES)
    masked = bytes(one ^ other for one, other in zip(mask, _plain(session_key), strict=True))
    return base64.urlsafe_b64encode(mask + masked).decode()


def is_token(session_key: str, given: str) -> bool:
    """Whether this is the session's form token. Its mask makes no difference."""
    try:
        sent = base64.b64decode(given.encode("ascii"), altchars=b"-_", validate=True)
    except ValueError:
        return False
    plain = bytes(one ^ other for one, other in zip(sent[:_BYTES], sent[_BYTES:], strict=False))
    return len(sent) == 2 * _BYTES and hmac.compare_digest(plain, _plain(session_key))


def nonce() -> str:
    """Return a unique id for a form, so that a form that is sent twice is executed once."""
    return randomness.random_bytes(16).hex()


def _plain(session_key: str) -> bytes:
    return hmac.digest(session_key.encode(), b"form token", sha256)
