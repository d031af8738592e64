"""SEO-ONP-014: more than one meta description."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import quoted


def check(page: Page, site: Site) -> PageVerdict:
    count = page.facts.description_count
    if count <= 1:
        return None
    return Finding(
        f"The page has {count} meta descriptions, and the first is {quoted(page.facts.description or '')}; keep one. "
        "Often the theme writes one and an SEO plugin another.",
        {"count": count, "description": page.facts.description},
    )


RULE = Rule(
    id="SEO-ONP-014",
    title="More than one meta description",
    category="ONP",
    severity="low",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=3,
    effort="low",
    writable_field=None,
    what='The page has more than one <meta name="description">.',
    why="Search engines choose one of the descriptions, or none. A change of another description has no effect.",
    fix="Remove all descriptions but one. If the theme and an SEO plugin both write one, switch one of them off.",
    not_when="Descriptions for social networks (og:description) are other tags and do not count.",
    source="The HTML standard: a page has at most one description.",
    page_check=check,
    cause=("template",),
)
