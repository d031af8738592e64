"""SEO-PRF-004: the server takes long to begin its answer."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import UNDECIDED, Finding, PageVerdict, Rule

MOST_MS: Final = 800


def check(page: Page, site: Site) -> PageVerdict:
    milliseconds = page.facts.ttfb_ms
    if milliseconds is None:
        return UNDECIDED
    if milliseconds <= MOST_MS:
        return None
    return Finding(
        f"The server took {milliseconds:,} ms to begin its answer; {MOST_MS} ms at most is good. Cache the page, or "
        "find out what the server does before it answers.",
        {"ttfbMs": milliseconds, "limitMs": MOST_MS},
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
    what=f"From the start of the request, the first byte of the page took more than {MOST_MS} ms to arrive, also when "
    "the crawler asked again.",
    why="Nothing can be shown before the first byte. Slow answers delay everything else, and search engines read fewer "
    "pages of a slow server.",
    fix="Switch on a page cache or CDN, use a current version of the server's language, and look for slow database "
    "queries and plugins.",
    not_when="A single slow answer among fast ones does not count: a page that was slow is asked for twice. The time "
    "is measured from the crawler; visitors elsewhere may see other values.",
    source=f"web.dev: a time to first byte of at most {MOST_MS / 1000:g} s is good.",
    page_check=check,
)
