"""Identifies the CDN or firewall in front of a website by the headers of an answer."""

from collections.abc import Mapping
from typing import Final

from chalicelib.domain.page.headers import first_of

# Headers that only this protection sends, by name.
_BY_HEADER: Final = {
    "cf-mitigated": "Cloudflare",
    "x-amzn-waf-action": "AWS WAF",
    "x-vercel-mitigated": "Vercel",
    "x-datadome": "DataDome",
    "x-sucuri-id": "Sucuri",
    "x-iinfo": "Imperva",
    "x-kpsdk-ct": "Kasada",
}
# Beginnings of the header Server, in lower case.
_BY_SERVER: Final = {
    "cloudflare": "Cloudflare",
    "akamaighost": "Akamai",
    "sucuri": "Sucuri",
    "datadome": "DataDome",
    "ddos-guard": "DDoS-Guard",
    "imunify360": "Imunify360",
    "qrator": "Qrator",
}


def protection_of(headers: Mapping[str, str]) -> str | None:
    """Return the name of the protection; None if the headers (lower-case names) do not reveal one."""
    for header, name in _BY_HEADER.items():
        if header in headers:
            return name
    server = first_of(headers, "server").strip().lower()
    return next((name for start, name in _BY_SERVER.items() if server.startswith(start)), None)
