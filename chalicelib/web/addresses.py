"""Makes addresses of the app, which are all below one root. Also decides which addresses of websites may become
links."""

from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import quote, unquote, urlencode, urlsplit

from chalice.app import Request

from chalicelib.http import edge
from chalicelib.settings.core import APP_PATH

_LINKED: Final = ("http", "https")
_LONGEST: Final = 2_000  # characters of an address that is stored in a cookie and sent in a header


def app_address(request: Request) -> str:
    """Return the app's address, or only its path if its host is unknown."""
    return edge.app_address(request) or APP_PATH


def origin_of(address: str) -> str:
    """Return the scheme and host of an address, as browsers name an origin. Returns "" for a path alone."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}".lower() if parts.netloc else ""


def path_of(address: str) -> str:
    """Return the path of an address, without a trailing slash."""
    return urlsplit(address).path.rstrip("/")


def segments(rest: str) -> list[str]:
    """Return the decoded segments of a path below the root."""
    return [unquote(part) for part in rest.split("/") if part]


def made(root: str, segments: Iterable[object], query: Mapping[str, object] | None = None) -> str:
    """Return an address below the root. Query parameters that are None are left out."""
    path = root + "".join(f"/{quote(str(segment), safe='')}" for segment in segments)
    kept = [(name, str(value)) for name, value in (query or {}).items() if value is not None]
    return f"{path or '/'}?{urlencode(kept)}" if kept else path or "/"


def outside(address: str | None) -> str | None:
    """Return the address of a website if it may become a link: only http and https. Returns None otherwise."""
    if address is None:
        return None
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return None
    return address.strip() if parts.scheme.lower() in _LINKED and parts.netloc else None


def own(root: str, wanted: str) -> str | None:
    """Return the address if it is a path of the app itself. Returns None otherwise.

    After a sign-in, the browser may be sent only to such a path.
    """
    if (
        len(wanted) > _LONGEST
        or not (wanted.isascii() and wanted.isprintable())
        or "\\" in wanted
        or wanted.startswith("//")
    ):
        return None
    try:
        parts = urlsplit(wanted)
    except ValueError:
        return None
    if parts.scheme or parts.netloc or not (parts.path == root or parts.path.startswith(f"{root}/")):
        return None
    if any(unquote(part) in (".", "..") for part in parts.path.split("/")) or "//" in parts.path:
        return None
    return wanted
