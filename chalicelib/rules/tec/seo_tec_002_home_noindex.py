"""SEO-TEC-002: the home page has noindex."""

from typing import Final

from chalicelib.rules.context import Site
from chalicelib.rules.model import Finding, PageVerdict, Rule

GATE: Final = 0.60


def has_data(site: Site) -> bool:
    """Whether the home page was read."""
    home = site.addresses.get(site.home_url)
    return home is not None and home.readable


def check(site: Site) -> PageVerdict:
    where = site.addresses[site.home_url].directives.noindex
    if where is None:
        return None
    return Finding(
        f"The home page {site.home_url} says {where}; remove noindex, or it leaves the search results.",
        {"url": site.home_url, "where": where},
    )


RULE = Rule(
    id="SEO-TEC-002",
    title="Home page is noindex",
    category="TEC",
    severity="critical",
    confidence="certain",
    scope="site",
    population="site",
    weight=45,
    effort="low",
    writable_field="noindex",
    what="The home page asks search engines not to index it. Its robots tag or its X-Robots-Tag header says noindex "
    "or none.",
    why="Most people search for the home page by the website's name. With noindex it disappears from the results, and "
    "its links stop helping the other pages.",
    fix="Allow indexing of the home page in the SEO plugin. In the CMS, switch off the setting that discourages "
    "search engines from indexing the website.",
    not_when="A home page that could not be read is not judged.",
    source="Search engines' documentation of the robots tag and the X-Robots-Tag header.",
    site_check=check,
    has_data=has_data,
    gate=GATE,
    cause=("robots_directive",),
)
