"""SEO-SCH-005: a breadcrumb trail without structured data."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import spelled

LEAST_DEPTH: Final = 2


def check(page: Page, site: Site) -> PageVerdict:
    depth = page.depth
    if not page.facts.breadcrumb_visible or depth is None or depth < LEAST_DEPTH:
        return NOT_APPLICABLE
    if "BreadcrumbList" in page.facts.structured_types:
        return None
    return Finding(
        f"The page is {depth} clicks from the home page and shows a breadcrumb trail, but has no BreadcrumbList; add "
        "it as JSON-LD to the template.",
        {"depth": depth, "template": page.template, "types": page.facts.structured_types},
    )


RULE = Rule(
    id="SEO-SCH-005",
    title="Breadcrumb markup missing",
    category="SCH",
    severity="low",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=3,
    effort="low",
    writable_field=None,
    what=f"A page {spelled(LEAST_DEPTH)} or more clicks from the home page shows a breadcrumb trail, but has no "
    "BreadcrumbList for it.",
    why="With the markup, search results show the trail instead of the address. Assistants learn where the page "
    "belongs.",
    fix="Add a BreadcrumbList with the same entries to the template. Most SEO plugins have a switch for it.",
    not_when="Pages without a visible trail, and pages one click from the home page, are left out. Trails described "
    "in microdata or RDFa are left out too.",
    source="Search engines' documentation of breadcrumb structured data.",
    page_check=check,
    cause=("template",),
)
