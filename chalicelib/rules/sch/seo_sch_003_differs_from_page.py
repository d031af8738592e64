"""SEO-SCH-003: structured data with values that differ from those on the page."""

from collections.abc import Mapping
from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import quoted

_NAMES: Final[Mapping[str, str]] = {"price": "price", "rating": "rating", "name": "product name"}


def check(page: Page, site: Site) -> PageVerdict:
    differing = page.facts.schema_differs
    if not differing:
        return None
    what, said, shown = differing[0]
    return Finding(
        f"JSON-LD gives the {_NAMES.get(what, what)} {quoted(said, 80)}, the page shows {quoted(shown, 80)}. Fill both "
        "from the same field.",
        {"differences": [{"property": one, "structuredData": data, "page": there} for one, data, there in differing]},
    )


RULE = Rule(
    id="SEO-SCH-003",
    title="Structured data does not match visible page",
    category="SCH",
    severity="medium",
    confidence="possible",
    scope="page",
    population="structured",
    weight=8,
    effort="medium",
    writable_field=None,
    what="The page shows another price, rating or name of its product than its JSON-LD does.",
    why="Search engines withdraw rich results if the structured data differs from what visitors see. Visitors who "
    "clicked because of a price are annoyed to find another.",
    fix="Let the template take both values from the same field. The usual causes are prices with and without tax, an "
    "old price, or a currency that a plugin switches.",
    not_when="Prices that differ only in their spelling (17.5 and 17,50) count as equal. If the page shows no price "
    "or rating at all, scripts probably fill it in, and nothing is reported. Pages with several products are not "
    "judged.",
    source="Search engines' structured data guidelines: mark up only what visitors can see.",
    page_check=check,
    cause=("template",),
)
