"""Checks whether webhooks may be sent to an address."""

from chalicelib.net.guard import AddressRefused, Guard, ResolveFailed
from chalicelib.net.send import check_receiver, resolve_receiver
from chalicelib.settings.network import network_settings


def why_refused(url: str) -> str | None:
    """Return why the service would not post to this address, in words. Returns None if it would post to it.

    A host name that cannot be looked up now is accepted. Customers often set up the receiver only after they added its
    endpoint here, and every try of a delivery looks the name up again.
    """
    settings = network_settings()
    guard = Guard(settings.allow_addresses, settings.extra_hosts)
    try:
        target = check_receiver(url)
        resolve_receiver(guard, target)
    except AddressRefused as refused:
        return str(refused)
    except ResolveFailed:
        return "the address must begin with https://" if target.scheme == "http" else None
    return None
