"""Addresses of a website that no longer exist, and the page that each should redirect to, as they are stored."""

from collections.abc import Sequence
from typing import Literal

import msgspec

Because = Literal["name", "address", "links", "search"]


class Missing(msgspec.Struct, array_like=True, frozen=True):
    """An address that answered 404 or 410 when it was last read, ``read_at`` (epoch seconds; None: only asked for).
    ``links``: how many pages link it; ``linked_from``: some of them; ``texts`` of such links, the commonest first.
    ``clicks`` and ``impressions``: of 28 days in search."""

    url: str
    status: int
    links: int
    linked_from: Sequence[str] = ()
    texts: Sequence[str] = ()
    clicks: int = 0
    impressions: int = 0
    read_at: int | None = None


class Offered(msgspec.Struct, array_like=True, frozen=True):
    """An address, and the page that it should redirect to. ``target`` None: no page is clearly alike. ``because``: what
    is alike; ``text``: the link's text, or the query, that is alike."""

    missing: Missing
    target: str | None = None
    because: Because | None = None
    text: str | None = None
