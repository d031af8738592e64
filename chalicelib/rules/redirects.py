"""Where a redirect leads, hop by hop, as far as the audit asked."""

from typing import Final, Literal, NamedTuple

from chalicelib.rules.context import Site

MOST_HOPS: Final = 20

End = Literal["answer", "loop", "unread"]


class Redirects(NamedTuple):
    """Every address that a redirect passes through, in order, and how the chain ends (None: there is no redirect).

    ``answer``: the last address answers itself; ``loop``: the last one was passed before, or there are too many;
    ``unread``: the audit did not ask the last one, or got no answer, so where it leads on is not known.
    """

    hops: tuple[str, ...] = ()
    end: End | None = None


NO_REDIRECT: Final = Redirects()


def redirects_from(site: Site, url: str) -> Redirects:
    """The redirects from an address, by what each address on the way answered to the audit."""
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
