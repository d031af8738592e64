"""Follows a redirect hop by hop, as far as the audit requested its addresses."""

from typing import Final, Literal, NamedTuple

from chalicelib.rules.context import Site

MOST_HOPS: Final = 20

End = Literal["answer", "loop", "unread"]


class Redirects(NamedTuple):
    """Every address that a redirect passes through, in order, and how the chain ends.

    ``end`` is None if there is no redirect. Otherwise it has one of these values:

    - ``answer``: the last address does not redirect.
    - ``loop``: the last address occurred before, or there are too many hops.
    - ``unread``: the last address was not requested or did not answer, so it is unknown whether it redirects.
    """

    hops: tuple[str, ...] = ()
    end: End | None = None


NO_REDIRECT: Final = Redirects()


def redirects_from(site: Site, url: str) -> Redirects:
    """Return the chain of redirects that begins at an address, according to the answers that the audit got."""
    hops: list[str] = []
    seen = {url}
    current = site.addresses.get(url)
    while current is not None and current.redirect_to is not None:
        following = current.redirect_to
        hops.append(following)
        if following in seen or len(hops) == MOST_HOPS:
            return Redirects(tuple(hops), "loop")
        seen.add(following)
        current = site.addresses.get(following)
    if not hops:
        return NO_REDIRECT
    return Redirects(tuple(hops), "unread" if current is None or not current.status else "answer")
