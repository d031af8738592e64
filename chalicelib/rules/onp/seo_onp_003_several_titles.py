"""SEO-ONP-003: more than one title in the head."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import quoted


def check(page: Page, site: Site) -> PageVerdict:
    count = page.facts.title_count
    if count <= 1:
        return None
    return Finding(
        f"The <head> has {count} <title> tags; keep one. Browsers use the first: {quoted(page.facts.title or '')}.",
        {"titles": count, "first": page.facts.title},
    )


RULE = Rule(
    id="SEO-ONP-003",
    title="More than one title tag",
    category="ONP",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=6,
    effort="low",
    writable_field=None,
    what="The <head> of the page holds more than one <title> tag.",
    why="Search results show only one title. Browsers take the first; search engines may join them or take another. "
    "The title that was written with care may never appear.",
    fix="Find out what writes the second title, and switch it off. Usually the theme and an SEO plugin both write one.",
    not_when="Titles inside drawings (SVG) in the page do not count.",
    source="The HTML standard allows one title element in a document.",
    page_check=check,
    cause=("template",),
)
