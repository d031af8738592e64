"""SEO-LNK-005: a page that is many clicks away from the home page."""

from collections import Counter
from typing import Final

from chalicelib.domain.crawl.frontier import calendar_of
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import spelled

MOST_CLICKS: Final = 4
CALENDAR_PAGES: Final = 24


def check(page: Page, site: Site) -> PageVerdict:
    depth = page.depth
    if depth is None:
        return NOT_APPLICABLE
    if depth <= MOST_CLICKS:
        return None
    if site.once(_calendars).get(calendar_of(page.url) or "", 0) >= CALENDAR_PAGES:
        return NOT_APPLICABLE
    return Finding(
        f"The page is {depth} clicks away from the home page; {MOST_CLICKS} at most are easy to find. "
        "Link it from a page nearer to the home page.",
        {"depth": depth, "limit": MOST_CLICKS},
    )


def _calendars(site: Site) -> dict[str, int]:
    """Count the known addresses of each calendar."""
    return Counter(calendar for url in site.known if (calendar := calendar_of(url)) is not None)


RULE = Rule(
    id="SEO-LNK-005",
    title="Page too many clicks from the home page",
    category="LNK",
    severity="low",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=3,
    effort="medium",
    writable_field=None,
    what=f"The shortest way from the home page to this page takes more than {spelled(MOST_CLICKS)} clicks.",
    why="Few visitors click that often, and search engines visit deep pages less often.",
    fix="Link the page from a category, a hub page or related pages nearer to the home page. Long lists need fewer "
    "clicks with more entries per page or with sub-categories.",
    not_when="Pages that no chain of links reaches are orphans (SEO-LNK-003). Redirects do not count as clicks. "
    f"Calendar pages are left out: pages that differ from at least {CALENDAR_PAGES - 1} others only in a date.",
    source=f"This service set the limit of {spelled(MOST_CLICKS)}. Other audit tools use three to five.",
    page_check=check,
)
