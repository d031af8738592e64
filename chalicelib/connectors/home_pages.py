"""Checks whether an address can be the home page of an audited website."""

from typing import Final

from chalicelib.net.guard import AddressRefused, Guard, ResolveFailed, check_url
from chalicelib.settings.network import network_settings

SECONDS: Final = 5.0  # time limit of a look-up


def why_out_of_reach(url: str) -> str | None:
    """Return why the service would not request this address, in words. Returns None if it would request it. The host
    name is looked up, but nothing is requested."""
    settings = network_settings()
    guard = Guard(settings.allow_addresses, settings.extra_hosts)
    try:
        target = check_url(url)
        guard.resolve_within(target.host, target.port, SECONDS)
    except AddressRefused as refused:
        return str(refused)
    except (ResolveFailed, TimeoutError):
        return f"{target.host[:100]} was not found in the DNS: check how it is spelled, or try again when it is online"
    return None
