"""SEO-TEC-011: a page with both index and noindex."""

from chalicelib.domain.page.directives import contradiction
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule


def check(page: Page, site: Site) -> PageVerdict:
    facts = page.facts
    if not page.noindex:  # nothing contradicts "index"
        return None
    found = contradiction(facts.robots_meta, facts.headers.get("x-robots-tag"))
    if found is None:
        return None
    index, noindex = found
    seen = f"{index} contradicts itself" if index == noindex else f"{index} and {noindex} contradict each other"
    return Finding(
        f"{seen}; search engines obey noindex. Keep one of the two statements.",
        {"index": index, "noindex": noindex},
    )


RULE = Rule(
    id="SEO-TEC-011",
    title="Conflicting robots directives",
    category="TEC",
    severity="medium",
    confidence="certain",
    scope="page",
    population="readable",
    weight=8,
    effort="low",
    writable_field="noindex",
    what="Robots tags of the page, or a robots tag and the X-Robots-Tag header, say both index and noindex to the same "
    "crawlers.",
    why="Search engines follow noindex, so the page is not in the results. The person who wrote index believes that "
    "it can be found.",
    fix="Decide whether index or noindex is intended, and remove the other. Two plugins, or a plugin and the server's "
    "configuration, are the usual cause.",
    not_when="A page that says nothing in one of the two places is fine: only an explicit index (or all) contradicts "
    "noindex (or none). If one crawler gets another rule than all others, that is no "
    "contradiction.",
    source="Search engines' documentation of robots tags: the most restrictive rule applies.",
    page_check=check,
    noindex_need="conflicting",
    cause=("template",),
)
