"""SEO-PRF-004: the server takes long to begin its answer."""

from chalicelib.domain.page.facts import SLOW_MS
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import UNDECIDED, Finding, PageVerdict, Rule


def check(page: Page, site: Site) -> PageVerdict:
    milliseconds = page.facts.ttfb_ms
    if milliseconds is None:
        return UNDECIDED  # no answer, or one of many requests at once: the crawler may have measured its own queue
    if milliseconds <= SLOW_MS:
        return None
    return Finding(
        f"The server took {milliseconds:,} ms to begin its answer, although the crawler sent no other request at that "
        f"time; at most {SLOW_MS} ms is good. Cache the page, or find out what the server does before it answers.",
        {"ttfbMs": milliseconds, "limitMs": SLOW_MS},
    )


RULE = Rule(
    id="SEO-PRF-004",
    title="Slow server answer",
    category="PRF",
    severity="medium",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=10,
    effort="medium",
    writable_field=None,
    what=f"The first byte of the page took more than {SLOW_MS} ms to arrive after the request, when the crawler "
    "requested only this page.",
    why="Browsers show nothing before the first byte, so a slow answer delays everything else. Search engines read "
    "fewer pages of a slow server.",
    fix="Switch on a page cache or CDN, use a current version of PHP or whatever the website runs on, and look for "
    "slow database queries and plugins.",
    not_when="Times measured while the audit reads many pages at once do not count, because they include the time in "
    "the crawler's own queue. After the crawl, the slowest pages, at most twenty, are requested again one at a time. "
    "Slow pages that are not requested again are not judged. The time is measured from the crawler; visitors elsewhere "
    "may see other values.",
    source=f"web.dev: a time to first byte of at most {SLOW_MS / 1000:g} s is good.",
    page_check=check,
)
