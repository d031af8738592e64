"""SEO-LNK-006: a page without links to other pages."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.scripted import scripts_bring_content, scripts_fill_list


def check(page: Page, site: Site) -> PageVerdict:
    facts = page.facts
    if len(site.known) < 2:
        return NOT_APPLICABLE  # there is no other page to link
    if facts.links or facts.frames or facts.meta_refresh:
        return None
    if page.kind.certain.kind == "account":
        return NOT_APPLICABLE  # SEO-CON-008 takes it out of search
    if scripts_bring_content(page, site) is not None or scripts_fill_list(page, site):
        return NOT_APPLICABLE  # SEO-AEO-017 names the cause
    return Finding(
        "No link of the page leads to another page of the website; add the navigation, or links to related pages.",
        {"internalLinks": 0, "externalLinks": len(facts.external_links), "uncrawlableLinks": facts.uncrawlable_links},
    )


RULE = Rule(
    id="SEO-LNK-006",
    title="Page with no outgoing internal links",
    category="LNK",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=6,
    effort="low",
    writable_field=None,
    what="The HTML of the page holds no link (<a href>) to another page of the website.",
    why="Visitors who land here from a search can only go back, and search engines find nothing further from here.",
    fix="Show the website's navigation on this page too, and link pages on the same subject.",
    not_when="Framesets, pages that forward to another one (meta refresh), and websites of a single page are left "
    "out. Log-in, basket and checkout pages are reported by SEO-CON-008. "
    "Pages whose content is added only by scripts are reported by SEO-AEO-017. Links that only scripts create do "
    "not count, because crawlers do not follow them.",
    source="Search engines' documentation: crawlers follow <a> elements with an href.",
    page_check=check,
)
