"""SEO-ONP-018: headings that leave out a level."""

from itertools import pairwise
from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.onp.seo_onp_016_several_h1 import names_page
from chalicelib.rules.wording import counted, quoted

SHOWN: Final = 10
_BELOW_SECTIONS: Final = 3  # the level of headings in a section; the section's heading has level 2


def check(page: Page, site: Site) -> PageVerdict:
    headings = page.facts.headings
    at = [place for place, (above, below) in enumerate(pairwise(headings)) if below[0] > above[0] + 1]
    if not at:
        return None
    skipped = [(headings[place], headings[place + 1]) for place in at]
    (above, above_text), (below, below_text) = skipped[0]
    places = f" ({counted(len(skipped), 'such place')} on the page)" if len(skipped) > 1 else ""
    advice = (
        "make the H1 an H2, because it is only a section of the page"
        if _is_section(page, at[0]) and below == _BELOW_SECTIONS
        else f"make it H{above + 1}"
    )
    return Finding(
        f"H{below} {quoted(below_text, 60)} follows H{above} {quoted(above_text, 60)}{places}; {advice}. "
        "If the heading was chosen only for its size, use another element and style it.",
        {
            "skipped": [
                {"above": {"level": one, "text": upper}, "below": {"level": two, "text": lower}}
                for (one, upper), (two, lower) in skipped[:SHOWN]
            ],
            "count": len(skipped),
        },
    )


def _is_section(page: Page, at: int) -> bool:
    """Whether a heading is an H1 that comes after an H2 and shares no word with the page's title."""
    level, text = page.facts.headings[at]
    return (
        level == 1
        and any(above == 2 for above, _ in page.facts.headings[:at])
        and not names_page(text, page.facts.title)
    )


RULE = Rule(
    id="SEO-ONP-018",
    title="Heading levels skipped",
    category="ONP",
    severity="low",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=2,
    effort="low",
    writable_field=None,
    what="A heading in the main content is followed by one that is more than one level deeper, such as H4 after H2.",
    why="Screen reader users and assistants use the levels as a table of contents. A missing level looks like a "
    "missing chapter.",
    fix="Use the next level: after an H2, an H3. If an H1 in the middle of the page is only a section, make it an H2. "
    "Set the size of headings with styles. If the template chooses the level, change it there once.",
    not_when="Going up by several levels is correct at the end of a chapter. On pages without a main element, all "
    "headings count except those of navigation, sidebars and the page's own header and footer. An H1 always counts.",
    source="WCAG technique G141 and Lighthouse's heading-order check.",
    page_check=check,
    cause=("template",),
)
