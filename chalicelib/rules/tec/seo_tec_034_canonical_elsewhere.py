"""SEO-TEC-034: a page whose canonical address is on another registrable domain."""

from typing import Final

from chalicelib.domain.crawl.urls import domain_of
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule

GATE: Final = 0.75


def check(page: Page, site: Site) -> PageVerdict:
    target = page.canonical_elsewhere
    if target is None:
        return None
    where = next(source for _, absolute, source in page.facts.canonicals if absolute == target)
    domain = domain_of(target)
    return Finding(
        f"The page names {target} as its canonical address, which asks search engines to show {domain} in its place. "
        f"Name the page itself ({page.url}), unless people should find {domain} instead.",
        {"canonical": target, "domain": domain, "where": where},
    )


RULE = Rule(
    id="SEO-TEC-034",
    title="Canonical on another domain",
    category="TEC",
    severity="high",
    confidence="certain",
    scope="page",
    population="readable",
    weight=20,
    effort="low",
    writable_field="canonical",
    what="The canonical address of the page, in its HTML or its Link header, belongs to another registrable domain.",
    why="The page asks search engines to show the other website instead, and gives away its text, links and visitors. "
    "The usual causes are copied themes, a domain left behind in a move, and staging copies. Usually every page of a "
    "template is affected.",
    fix="Name the page's own address, or remove the canonical tag. In most systems the canonical is made from "
    "the website's address in the settings: correct it there. If the text was published on the other website first and "
    "should be found there, ignore the issue.",
    not_when="Other hosts of the same domain are fine, with and without www. A page that also names an address of its "
    "own domain is reported by SEO-TEC-018. All other rules treat the page as its own canonical page. The service "
    "suggests no other value, because only the owner can decide which website should be found.",
    source="RFC 6596 and search engines' documentation of canonical addresses across domains.",
    page_check=check,
    gate=GATE,
    cause=("template",),
)
