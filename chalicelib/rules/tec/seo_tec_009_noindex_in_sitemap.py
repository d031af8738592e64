"""SEO-TEC-009: the sitemap lists a page that has noindex."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule


def check(page: Page, site: Site) -> PageVerdict:
    where = page.directives.noindex
    # SEO-TEC-002 reports a home page with noindex.
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
    what="The page is listed in the sitemap, but its robots tag or X-Robots-Tag header says noindex.",
    why="The sitemap asks for the page to be indexed, and the page asks not to be. Search engines obey the page, "
    "have wasted the visit, and trust the sitemap less.",
    fix="If people should find the page, remove noindex. If not, remove the page from the sitemap. SEO plugins do "
    "that automatically if noindex is set in the plugin.",
    not_when="The home page is reported by SEO-TEC-002 instead.",
    source="Search engines' sitemap documentation: list only pages that should appear in results.",
    page_check=check,
    cause=("robots_directive", "template"),
)
