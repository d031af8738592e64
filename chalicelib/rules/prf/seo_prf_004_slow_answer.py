"""SEO-PRF-004: the server takes long to begin its answer."""

from chalicelib.domain.page.facts import SLOW_MS
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import UNDECIDED, Finding, PageVerdict, Rule


def check(page: Page, site: Site) -> PageVerdict:
    milliseconds = page.facts.ttfb_ms
    if milliseconds is None:
        return UNDECIDED  # no answer, or one among many: then the crawler may have measured its own queue
    if milliseconds <= SLOW_MS:
        return None
    return Finding(
        f"The server took {milliseconds:,} ms to begin its answer, with nothing else asked of it; {SLOW_MS} ms at most "
        "is good. Cache the page, or find out what the server does before it answers.",
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
    what=f"From the start of the request, the first byte of the page took more than {SLOW_MS} ms to arrive, when "
    "the crawler asked for it alone.",
    why="Nothing can be shown before the first byte. Slow answers delay everything else, and search engines read fewer "
    "pages of a slow server.",
    fix="Switch on a page cache or CDN, use a current version of the server's language, and look for slow database "
    "queries and plugins.",
    not_when="While an audit reads many pages at once, times are those of its own queue too, and none of them counts. "
    "The slowest pages, at most twenty, are asked again when everything is read, one at a time; other slow pages are "
    "not judged. The time is measured from the crawler; visitors elsewhere may see other values.",
    source=f"web.dev: a time to first byte of at most {SLOW_MS / 1000:g} s is good.",
    page_check=check,
)
