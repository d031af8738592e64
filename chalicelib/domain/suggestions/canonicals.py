"""The address that a page should name as its canonical one: always absolute and on the website itself."""

from collections.abc import Sequence
from typing import NamedTuple


class Target(NamedTuple):
    """An address that could be named. ``indexable``: it is a page of the website that may be indexed."""

    url: str
    indexable: bool
    names_itself: bool  # it names no other address as its canonical one
    inlinks: int = 0


class PageCanonical(NamedTuple):
    """What decides the canonical address of one page.

    ``declared``: the canonical tags as written, in order; ``leads_to``: where the first of them finally leads, through
    redirects and canonical addresses, None where that is no page of the website; ``alike``: pages with word for word
    the same text, the page itself among them; ``shared_wrongly``: most pages of the website name that one address.
    """

    url: str
    declared: Sequence[str] = ()
    names_itself: bool = False
    leads_to: Target | None = None
    alike: Sequence[Target] = ()
    shared_wrongly: bool = False


def suggested(page: PageCanonical) -> str | None:
    """The value to write; None where the page says so already.

    Of pages with the same text all name the one with most links to it. Otherwise a page that names itself beside
    others keeps itself; one whose canonical address leads to a page that may be indexed names that page; and any
    other page names itself.
    """
    wanted = _wanted(page)
    return None if list(page.declared) == [wanted] else wanted


def _wanted(page: PageCanonical) -> str:
    alike = [target for target in page.alike if target.indexable]
    if len(alike) > 1:
        addresses = {target.url for target in alike}
        # An address with parameters never stands for the one without them.
        plain = [target for target in alike if target.url.partition("?")[0] not in addresses - {target.url}]
        return min(plain, key=_rank).url
    if page.shared_wrongly or page.names_itself:
        return page.url
    target = page.leads_to
    if target is not None and target.indexable and target.names_itself:
        return target.url
    return page.url


def _rank(target: Target) -> tuple[int, bool, int, str]:
    """Most links first; then addresses without parameters, short ones, and by spelling."""
    return -target.inlinks, "?" in target.url, len(target.url), target.url
