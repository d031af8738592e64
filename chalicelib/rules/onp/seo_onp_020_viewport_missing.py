"""SEO-ONP-020: a page that does not adapt to small screens."""

import re
from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import quoted

_ADAPTS: Final = re.compile(r"(?:^|[,;\s])(?:width|initial-scale)\s*=", re.IGNORECASE)
WANTED: Final = '<meta name="viewport" content="width=device-width, initial-scale=1">'


def check(page: Page, site: Site) -> PageVerdict:
    viewport = page.facts.viewport
    if viewport is not None and _ADAPTS.search(viewport):
        return None
    if viewport is None:
        return Finding(f"The page has no viewport tag; add {WANTED}.", {"viewport": None})
    return Finding(
        f"The viewport tag says {quoted(viewport)}, which sets neither width nor initial-scale; use {WANTED}.",
        {"viewport": viewport},
    )


RULE = Rule(
    id="SEO-ONP-020",
    title="Viewport missing",
    category="ONP",
    severity="high",
    confidence="certain",
    scope="page",
    population="readable",
    weight=18,
    effort="low",
    writable_field=None,
    what='The page has no <meta name="viewport"> that sets width or initial-scale.',
    why="Without this tag, phones show the page as on a desktop screen, with tiny text. Search engines judge the phone "
    "version of a page.",
    fix=f"Put {WANTED} into the <head>, once, in the theme's template.",
    not_when="Only HTML pages that answer 200 are judged.",
    source="Lighthouse's viewport audit asks for width or initial-scale.",
    page_check=check,
    cause=("template",),
)
