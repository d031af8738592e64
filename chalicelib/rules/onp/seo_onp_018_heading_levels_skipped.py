"""SEO-ONP-018: headings that leave out a level."""

from itertools import pairwise
from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, quoted

SHOWN: Final = 10


def check(page: Page, site: Site) -> PageVerdict:
    headings = page.facts.headings
    skipped = [(above, below) for above, below in pairwise(headings) if below[0] > above[0] + 1]
    if not skipped:
        return None
    (above, above_text), (below, below_text) = skipped[0]
    places = f" ({counted(len(skipped), 'such place')} on the page)" if len(skipped) > 1 else ""
    return Finding(
        f"H{below} {quoted(below_text, 60)} follows H{above} {quoted(above_text, 60)}{places}; make it H{above + 1}. "
        "If the heading was chosen only for its size, use another element and style it.",
        {
            "skipped": [
                {"above": {"level": one, "text": upper}, "below": {"level": two, "text": lower}}
                for (one, upper), (two, lower) in skipped[:SHOWN]
            ],
            "count": len(skipped),
        },
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
    fix="Use the next level, and set the size of headings with styles. If the template chooses the level, change it "
    "there once.",
    not_when="Going up by several levels is correct at the end of a chapter. On pages without a main element, all "
    "headings count except those of navigation, sidebars and the page's own header and footer. An H1 always counts.",
    source="WCAG technique G141 and Lighthouse's heading-order check.",
    page_check=check,
    cause=("template",),
)
