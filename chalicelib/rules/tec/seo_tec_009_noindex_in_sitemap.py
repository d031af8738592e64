"""SEO-TEC-009: the sitemap offers a page that asks not to be indexed."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule


def check(page: Page, site: Site) -> PageVerdict:
    where = page.directives.noindex
    # A home page with noindex is the finding of SEO-TEC-002.
    if where is None or not page.in_sitemap or page.is_home:
        return None
    return Finding(
        f"The sitemap lists the page, but the page says {where}; take it out of the sitemap, or remove noindex.",
        {"where": where},
    )


RULE = Rule(
    id="SEO-TEC-009",
    title="noindex page in the sitemap",
    category="TEC",
    severity="medium",
    confidence="certain",
    scope="page",
    population="readable",
    weight=8,
    effort="low",
    writable_field="noindex",
    what="The page is listed in the sitemap, and says noindex in its robots tag or the X-Robots-Tag header.",
    why='The sitemap says "please index this", the page says "please do not". Search engines follow the page, '
    "waste the visit, and trust the sitemap less.",
    fix="Decide which of the two is meant. Remove noindex if people should find the page; otherwise take it out of "
    "the sitemap (SEO plugins do that by themselves once the page is set to noindex there).",
    not_when="The home page is reported by SEO-TEC-002 instead.",
    source="Search engines' sitemap documentation: list only pages that should appear in results.",
    page_check=check,
    cause=("robots_directive", "template"),
)
