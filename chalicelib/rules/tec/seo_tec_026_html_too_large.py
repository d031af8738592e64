"""SEO-TEC-026: HTML that is longer than the part that Google's crawler reads."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule

MOST_BYTES: Final = 2 * 1024 * 1024
_MB: Final = 1024 * 1024


def check(page: Page, site: Site) -> PageVerdict:
    size = page.facts.bytes
    if size <= MOST_BYTES:
        return None
    more = "more than " if page.facts.truncated else ""
    return Finding(
        f"The HTML is {more}{size / _MB:.1f} MB uncompressed; Google's crawler reads the first {MOST_BYTES // _MB} MB "
        "and ignores the rest. Move data, styles and scripts out of the page, or split it.",
        {"bytes": size, "limit": MOST_BYTES, "truncated": page.facts.truncated},
    )


RULE = Rule(
    id="SEO-TEC-026",
    title="HTML larger than Googlebot reads",
    category="TEC",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=8,
    effort="medium",
    writable_field=None,
    what=f"The HTML of the page, uncompressed, is larger than {MOST_BYTES // _MB} MB.",
    why=f"Google's crawler reads the first {MOST_BYTES // _MB} MB of a page, and ignores text, links and structured "
    "data after that. From 1 MB on a page is slow on phones.",
    fix="Look for images and fonts inside the HTML (data: addresses), repeated styles and scripts, and data for "
    "scripts. Move them into files of their own, or split a long page.",
    not_when="Images, styles and scripts in files of their own do not count. The size is that of the HTML without "
    f"compression. Pages from 1 to {MOST_BYTES // _MB} MB are not reported, because crawlers still read all of them.",
    source=f"Google's documentation of its crawlers: the first {MOST_BYTES // _MB} MB of a file are read.",
    page_check=check,
    cause=("template",),
)
