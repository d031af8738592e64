"""Finds the addresses of the website that are broken or only redirect, and counts a page's links to them."""

from collections.abc import Sequence
from typing import NamedTuple

from chalicelib.domain.audit.link_units import FaultyLinks
from chalicelib.domain.page.facts import LINK_IN_CONTENT, LINK_IN_NAV, Link
from chalicelib.rules.context import Site


class Target(NamedTuple):
    """The target of a link, with its status. For a redirect, also the last address that it leads to, and the status of
    this address."""

    status: int
    end: str
    end_status: int


def broken_targets(site: Site) -> dict[str, Target]:
    """Return the addresses of the website that answer 4xx or 5xx, or that redirect to an address that does."""
    result = {}
    for url, address in site.addresses.items():
        if not address.own_host:
            continue
        if address.broken:
            result[url] = Target(address.status, url, address.status)
        elif address.redirect_to is not None:
            end = site.addresses.get(site.end_of(url))
            if end is not None and end.broken:
                result[url] = Target(address.status, end.url, end.status)
    return result


def redirecting_targets(site: Site) -> dict[str, Target]:
    """Return addresses of the website that redirect to an address that works.

    Redirects from http to https are left out.
    """
    broken = site.once(broken_targets)
    result = {}
    for url, address in site.addresses.items():
        if address.redirect_to is None or not address.own_host or url in broken:
            continue
        if url.startswith("http://") and address.redirect_to == "https://" + url.removeprefix("http://"):
            continue
        end = site.end_of(url)
        last = site.addresses.get(end)
        result[url] = Target(address.status, end, last.status if last else 0)
    return result


def in_layout(link: Link) -> bool:
    """Whether the link is in the page's navigation, header or footer. The same link may be in the content too."""
    return bool(link.flags & LINK_IN_NAV)


def faulty_links(found: Sequence[Link]) -> FaultyLinks:
    """Count the faulty links of one page: separately in its content and in its layout (navigation, header, footer).

    A target to which both the content and the layout link counts in both.
    """
    content = sum(bool(link.flags & LINK_IN_CONTENT) or not in_layout(link) for link in found)
    return FaultyLinks(content, tuple(link.url for link in found if in_layout(link)))


def places(faulty: FaultyLinks) -> dict[str, object]:
    """Return as evidence how many faulty links the page's content has, and how many its layout has."""
    return {"inContent": faulty.content, "inLayout": len(faulty.layout)}
