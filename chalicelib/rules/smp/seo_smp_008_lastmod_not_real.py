"""SEO-SMP-008: the sitemap gives all pages the same date of last change."""

import re
from collections import Counter
from email.utils import parsedate_to_datetime
from typing import Final

from chalicelib.rules.context import Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.smp.reading import was_read
from chalicelib.rules.wording import listed, spelled

LEAST_ADDRESSES: Final = 20
MOST_DAYS: Final = 2
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def day_of(lastmod: str) -> str | None:
    """Return the day of a date that has the format of sitemaps (W3C) or feeds (RFC 822). Returns None for other
    formats."""
    match = _DAY.match(lastmod.strip())
    if match is not None:
        return match[0]
    try:
        return parsedate_to_datetime(lastmod).date().isoformat()
    except (ValueError, TypeError, IndexError):
        return None


def check(site: Site) -> PageVerdict:
    days = Counter(day for _, lastmod in site.facts.sitemap_urls if lastmod and (day := day_of(lastmod)) is not None)
    if days.total() < LEAST_ADDRESSES:
        return NOT_APPLICABLE
    if len(days) > MOST_DAYS:
        return None
    return Finding(
        f"All {days.total():,} dates in the sitemap fall on {listed(sorted(days))}; write when each page last changed, "
        "or leave lastmod out.",
        {"addresses": days.total(), "days": dict(sorted(days.items()))},
    )


RULE = Rule(
    id="SEO-SMP-008",
    title="lastmod not real",
    category="SMP",
    severity="low",
    confidence="likely",
    scope="site",
    population="site",
    weight=2,
    effort="low",
    writable_field=None,
    what=f"At least {LEAST_ADDRESSES} addresses of the sitemap have a date of their last change, and all dates fall on "
    f"one or {spelled(MOST_DAYS)} days.",
    why="Search engines use the date to choose which pages to read again. If it is the day on which the sitemap was "
    "created, they learn to ignore the dates of the whole website.",
    fix="Let the CMS write the day on which a page's content last changed. If it cannot, leave lastmod out: no date is "
    "better than a wrong one.",
    not_when=f"Sitemaps with fewer than {LEAST_ADDRESSES} dates are not judged. A website that was published in one "
    "day is reported until its first changes.",
    source="Search engines' sitemap documentation: lastmod is used when it is verifiably accurate. This service set "
    "the limits.",
    has_data=was_read,
    site_check=check,
    cause=("sitemap",),
)
