"""Finds the real address of citations that lead through the assistant's own search engine.

Some assistants cite a page by an address of their own search engine, which redirects to the page. The address comes
from an assistant's answer, so it is not trusted: the request is made through ``net``, which refuses private addresses.
The redirect is not followed, so the cited page is never read.
"""

import re
from collections.abc import Iterable
from typing import Final

from chalicelib import clock
from chalicelib.net.calls import NoAnswer, call
from chalicelib.settings.network import network_settings

SECONDS: Final = 15.0  # time limit for all citations of an answer
EACH_SECONDS: Final = 5.0
MOST: Final = 20
_REDIRECT: Final = re.compile(r"https?://[^/?#]+/grounding-api-redirect/")


def is_redirect(address: str) -> bool:
    return _REDIRECT.match(address) is not None


def resolved(addresses: Iterable[str]) -> dict[str, str]:
    """Look up where these addresses redirect. Addresses that do not redirect, or do not answer in time, are left
    out."""
    network, until = network_settings(), clock.monotonic() + SECONDS
    found: dict[str, str] = {}
    for address in list(dict.fromkeys(filter(is_redirect, addresses)))[:MOST]:
        seconds = min(EACH_SECONDS, until - clock.monotonic())
        if seconds <= 0:
            break
        try:
            reply = call(
                "HEAD",
                address,
                {"User-Agent": "WebsiteOptimizationService/1"},
                seconds=seconds,
                allow_addresses=network.allow_addresses,
                extra_hosts=network.extra_hosts,
                ca_file=network.extra_ca_file,
                service="citations",
            )
        except NoAnswer:
            continue
        location = reply.headers.get("location", "")
        if 300 <= reply.status < 400 and location.startswith(("https://", "http://")):
            found[address] = location
    return found
