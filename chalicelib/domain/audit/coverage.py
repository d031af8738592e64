"""How much of a website an audit has read."""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from chalicelib.domain.audit import score as scoring
from chalicelib.domain.audit.records import Coverage


class AuditCoverage(NamedTuple):
    """``sitemap``: what the audit shows, None without a sitemap. ``percent``: of all known addresses, 0 to 100."""

    sitemap: Coverage | None
    percent: float


def measure(
    read: AbstractSet[str],
    known: Iterable[str],
    in_sitemap: Sequence[str],
    allowed: Callable[[str], bool],
    shells: AbstractSet[str] = frozenset(),
) -> AuditCoverage:
    """The coverage of the addresses ``read``. ``known`` may leave out those of the sitemap.

    Addresses that ``allowed`` denies (robots.txt) cannot be read by any audit: they do not lower the percentage. Pages
    that are empty before scripts run (``shells``) count as read for the sitemap, and not for the percentage.
    """
    sitemap = None
    if in_sitemap:
        crawled = sum(url in read for url in in_sitemap)
        sitemap = Coverage(len(in_sitemap), crawled, round(100 * crawled / len(in_sitemap), 1))
    readable = {url for url in {*known, *in_sitemap} if url in read or allowed(url)}
    return AuditCoverage(sitemap, scoring.coverage(read - shells, readable))
