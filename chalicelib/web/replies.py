"""The replies of screens, and their conversion to HTTP responses. Only this module sets headers."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from chalice.app import Response

HTML: Final = "text/html; charset=utf-8"
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
OF_ALL: Final[Mapping[str, str]] = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
NOT_KEPT: Final = "private, no-store"
FOR_EVER: Final = "public, max-age=31536000, immutable"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class View:
    """A screen: its template and values."""

    template: str
    values: Mapping[str, Any] = field(repr=False)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class ShownOnce:
    """A screen with a secret that is shown only once. If the form is sent again, the browser is redirected to
    ``again``. The screen at that address says that the secret is not shown a second time."""

    view: View
    again: str


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirect to another address of the app.

    ``to``: made with ``Page.url``. ``cookies``: headers made with the module ``cookies``.
    """

    to: str
    cookies: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class File:
    """A text that is sent instead of a screen, such as a style sheet. ``name``: the file name for saving it."""

    body: str
    media_type: str
    name: str | None = None
    cache: str = NOT_KEPT
    status: int = 200


Reply = View | ShownOnce | Redirect | File


def with_pictures(origins: Iterable[str]) -> Mapping[str, str]:
    """Return the header that lets a screen show pictures only from these origins (``https://host``).

    If such a picture redirects to another origin, the browser does not load it.
    """
    allowed = " ".join(["img-src 'self' data:", *sorted(set(origins))])
    return {"Content-Security-Policy": POLICY.replace("img-src 'self' data:", allowed)}


class Unsafe(ValueError):
    """Raised if a value contains characters that would end its header."""


def response(status: int, body: str, headers: Mapping[str, str], cookies: tuple[str, ...] = ()) -> Response:
    """Make an HTTP response with these headers and those that all answers of the app have. Raises ``Unsafe``."""
    made: dict[str, str | list[str]] = {"Cache-Control": NOT_KEPT, **OF_ALL, **headers}
    for value in (*made.values(), *cookies):
        if _CONTROL.search(str(value)):
            raise Unsafe("a header has a control character")
    if cookies:
        made["Set-Cookie"] = list(cookies)
    return Response(body, made, status)


def of_redirect(found: Redirect) -> Response:
    return response(303, "", {"Location": found.to}, found.cookies)


def of_file(found: File) -> Response:
    headers = {"Content-Type": found.media_type, "Cache-Control": found.cache}
    if found.name is not None:
        headers["Content-Disposition"] = f'attachment; filename="{re.sub(r"[^A-Za-z0-9._-]", "-", found.name)}"'
    return response(found.status, found.body, headers)


def of_text(found: View, text: str) -> Response:
    return response(found.status, text, {"Content-Type": HTML, **found.headers}, found.cookies)
