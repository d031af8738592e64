"""Returns and stores the public address of this deployment, for links in mails and in answers.

``APP_URL`` has precedence over the address that the operator stored. The app and the API are below the stored
address.
"""

from typing import Final
from urllib.parse import urlsplit

from chalicelib.domain.accounts.rights import Actor
from chalicelib.operations.errors import Refused
from chalicelib.settings.core import APP_PATH, core_settings
from chalicelib.store import addresses

MOST_CHARACTERS: Final = 500


def app_address(asked_at: str = "") -> str:
    """Return the address of the app, without a trailing slash. It is ``APP_URL`` if that is set, else the app's path
    below the stored address, else ``asked_at`` (the address at which the caller reached the app), else the app's path
    alone. Never pass an address from a Host header as ``asked_at``. At most one round trip."""
    return (core_settings().app_url or _below(addresses.public()) or asked_at or APP_PATH).rstrip("/")


def public_address() -> str | None:
    """Return the public address that the operator stored, or None."""
    return addresses.public()


def set_public_address(actor: Actor, url: str) -> str:
    """Store the public address, and return it as it is stored. Operator only.

    Refused: ``not_allowed``, ``bad_url``.
    """
    if not actor.is_operator:
        raise Refused("not_allowed", "Only the operator can set the public address.")
    address = url.strip().rstrip("/")
    if not _is_address(address):
        raise Refused(
            "bad_url",
            "The public address must be https:// (or http://) and a host, optionally with a port and a path, such as "
            "https://seo.example.com. The app is at /app below it.",
        )
    addresses.put_public(address)
    return address


def _below(address: str | None) -> str | None:
    return None if address is None else address + APP_PATH


def _is_address(url: str) -> bool:
    if not url.isascii() or not url.isprintable() or len(url) > MOST_CHARACTERS or set(url) & set(" \"'<>\\?#@"):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
