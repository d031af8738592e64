"""Where the website's own links lead when they do not lead to a page."""

from typing import NamedTuple

from chalicelib.rules.context import Site


class Target(NamedTuple):
    """A link's target: what it answers, and for redirects where it ends."""

    status: int
    end: str
    end_status: int


def broken_targets(site: Site) -> dict[str, Target]:
    """Addresses of the website that answer 4xx or 5xx, or redirect to one that does."""
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
    """Addresses of the website that redirect to anything but an error, other than from http to https."""
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
