"""Stored types: a website's addresses that no longer exist, and the page to which each should redirect."""

from collections.abc import Sequence
from typing import Literal

import msgspec

Because = Literal["name", "address", "links", "search"]


class Missing(msgspec.Struct, array_like=True, frozen=True):
    """An address that answered 404 or 410 when it was last read.

    - ``read_at``: when the crawl read it as a page (epoch seconds); None if it was only requested, for example as the
      target of a link.
    - ``links``: how many pages link to it.
    - ``linked_from``: some of these pages.
    - ``texts``: the texts of these links, the most frequent first.
    - ``clicks`` and ``impressions``: its search figures of 28 days.
    """

    url: str
    status: int
    links: int
    linked_from: Sequence[str] = ()
    texts: Sequence[str] = ()
    clicks: int = 0
    impressions: int = 0
    read_at: int | None = None


class Offered(msgspec.Struct, array_like=True, frozen=True):
    """An address and the page to which it should redirect.

    - ``target``: None if no page is clearly similar.
    - ``because``: what resembles the page: the last part of the missing address (``name``), its words (``address``),
      the texts of links to it, or its search queries.
    - ``text``: the link text or the search query that resembles the page.
    """

    missing: Missing
    target: str | None = None
    because: Because | None = None
    text: str | None = None
