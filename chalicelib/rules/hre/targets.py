"""Faults of the pages that hreflang names."""

from typing import Literal

from chalicelib.rules.context import Page, Site

Fault = Literal["broken", "redirect", "noindex", "non_canonical"]


def fault_of(target: str, page: Page, site: Site) -> Fault | None:
    """Return what is wrong with the page that hreflang names for a language.

    Returns None if nothing is wrong, if the named page is the page itself, or if its address was not requested.
    """
    address = site.addresses.get(target)
    if address is None or address.status == 0 or target == page.url:
        return None
    if address.broken:
        return "broken"
    if address.redirect_to is not None:
        return "redirect"
    if address.noindex:
        return "noindex"
    return None if address.canonical_is_self else "non_canonical"
