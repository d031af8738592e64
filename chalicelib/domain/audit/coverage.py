"""Computes how much of a website an audit has read."""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from chalicelib.domain.audit import score as scoring
from chalicelib.domain.audit.records import Coverage


class AuditCoverage(NamedTuple):
    """How much of a website was read.

    - ``sitemap``: how much of the sitemap was read; None if the website has no sitemap.
    - ``percent``: per cent of all known addresses, 0 to 100.
    """

    sitemap: Coverage | None
    percent: float


def measure(
    read: AbstractSet[str],
    known: Iterable[str],
    in_sitemap: Sequence[str],
    allowed: Callable[[str], bool],
    shells: AbstractSet[str] = frozenset(),
) -> AuditCoverage:
    """Compute how much of the website was read. ``read``: the addresses that were read. Addresses that are only in the
    sitemap need not be in ``known``.

    Addresses that robots.txt denies (``allowed``) do not lower the percentage, since no audit can read them. Pages that
    are empty before scripts run (``shells``) count as read for the sitemap but not for the percentage.
    """
    sitemap = None
    if in_sitemap:
        crawled = sum(url in read for url in in_sitemap)
        sitemap = Coverage(len(in_sitemap), crawled, round(100 * crawled / len(in_sitemap), 1))
    readable = {url for url in {*known, *in_sitemap} if url in read or allowed(url)}
    return AuditCoverage(sitemap, scoring.coverage(read - shells, readable))
