"""SEO-TEC-018: a page names more than one canonical address."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, listed

SHOWN: Final = 10


def named(page: Page) -> dict[str, str]:
    """Return the distinct canonical addresses of the page, each with the place where it occurs first: ``html`` or
    ``header``."""
    found: dict[str, str] = {}
    for written, absolute, source in page.facts.canonicals:
        if absolute or written:
            found.setdefault(absolute or written, source)
    return found


def check(page: Page, site: Site) -> PageVerdict:
    if len(page.facts.canonicals) < 2 or page.canonical_elsewhere is not None:
        return None
    found = named(page)
    if len(found) < 2:
        return None
    places = {"html": "<link>", "header": "Link header"}
    return Finding(
        f"The page names {counted(len(found), 'canonical address', 'canonical addresses')}: "
        f"{listed([f'{url} ({places[source]})' for url, source in list(found.items())[:3]])}; name one, or search "
        "engines ignore all of them.",
        {"canonicals": [{"url": url, "where": source} for url, source in list(found.items())[:SHOWN]]},
    )


RULE = Rule(
    id="SEO-TEC-018",
    title="More than one canonical",
    category="TEC",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=10,
    effort="low",
    writable_field="canonical",
    what="The page names two or more different canonical addresses, in its HTML or in HTML and Link header.",
    why="Search engines do not know which canonical address is intended, and usually ignore all of them.",
    fix="Keep one canonical address. Usually two plugins, or a theme and a plugin, each write a canonical tag. Switch "
    "one of them off.",
    not_when="The same address twice is no contradiction. Canonical tags in <body> do not count, because search "
    "engines ignore them. If all addresses are on another registrable domain, SEO-TEC-034 reports it.",
    source="Search engines' documentation: more than one canonical address means that all are ignored.",
    page_check=check,
    cause=("template",),
)
