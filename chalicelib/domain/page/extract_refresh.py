"""Extracts the address to which a page forwards its visitors, from a ``<meta>`` refresh element or the Refresh header.

Browsers read the element and the header by the same rules. Search engines treat an immediate refresh as a redirect.
"""

import re
from collections.abc import Mapping
from typing import Protocol

from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.headers import lines_of

_REFRESH = re.compile(
    r"\s*(?P<seconds>[0-9.]*)\s*[;,\s]?\s*(?:url\s*=\s*)?(?:\"([^\"]*)\"?|'([^']*)'?|(.*))", re.IGNORECASE | re.DOTALL
)


class Resolver(Protocol):
    """The part of ``urls.LinkResolver`` that the extraction uses."""

    spelled: dict[str, str]

    def resolve(self, href: str) -> str | None: ...

    def written(self, href: str) -> str | None: ...


def read_refresh_header(facts: PageFacts, headers: Mapping[str, str], resolver: Resolver) -> None:
    """Record the target of the Refresh header. If the header has several lines, the first that names a target
    counts."""
    for line in lines_of(headers, "refresh"):
        if facts.meta_refresh is None:
            read_refresh(facts, line, resolver)


def read_refresh(facts: PageFacts, content: str, resolver: Resolver) -> None:
    """Record the target of a refresh, and whether it happens at once. Browsers read "0.5" as 0."""
    match = _REFRESH.match(content[:4000])
    target = (match[2] or match[3] or match[4] or "").strip() if match else ""
    if match is None or not target:
        return
    facts.meta_refresh = resolver.resolve(target)
    at_once = not match["seconds"].partition(".")[0].strip("0")
    facts.forwards = at_once and facts.meta_refresh not in (None, facts.url)
