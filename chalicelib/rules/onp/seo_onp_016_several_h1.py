"""SEO-ONP-016: more than one main heading."""

from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import listed, quoted

SHOWN: Final = 10
NAMED: Final = 3


def check(page: Page, site: Site) -> PageVerdict:
    if page.facts.h1_count < 2:
        return None
    texts = {fold(text): text for level, text in reversed(page.facts.headings) if level == 1}
    if len(texts) < 2:
        return None
    headings = list(reversed(texts.values()))
    more = f" and {len(headings) - NAMED} more" if len(headings) > NAMED else ""
    return Finding(
        f"The page has {len(headings)} different main headings (H1): "
        f"{listed([quoted(text, 60) for text in headings[:NAMED]])}{more}. Keep the one that says what the page is "
        "about, and make the others H2.",
        {"headings": headings[:SHOWN], "count": len(headings)},
    )


RULE = Rule(
    id="SEO-ONP-016",
    title="More than one H1",
    category="ONP",
    severity="low",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=2,
    effort="low",
    writable_field=None,
    what="The page shows two or more main headings (H1) with different texts.",
    why="One main heading says what the page is about. Several leave that open to readers with screen readers and to "
    "search engines.",
    fix="Keep one, and turn the others into H2. Often the logo or the name of the website is marked as H1 on all "
    "pages.",
    not_when="Hidden headings, and a heading that is repeated word for word (once for phones, once for desktops), do "
    "not count. HTML allows several; search engines cope with them.",
    source="Search engines' guidance: allowed, but one clear main heading is better for people.",
    page_check=check,
)
