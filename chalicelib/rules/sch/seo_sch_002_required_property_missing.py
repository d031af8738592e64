"""SEO-SCH-002: structured data without a property that search engines require before they show it."""

from typing import Final

from chalicelib.domain.page.schema import DOCUMENTED, REQUIRED
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, listed, quoted

SHOWN: Final = 10


def check(page: Page, site: Site) -> PageVerdict:
    missing = page.facts.schema_missing
    if not missing:
        return None
    kind, name, properties = missing[0]
    named = f" {quoted(name, 60)}" if name else ""
    more = (
        f"; {counted(len(missing) - 1, 'more thing lacks', 'more things lack')} required properties"
        if missing[1:]
        else ""
    )
    return Finding(
        f"The {kind}{named} in the page's JSON-LD lacks {listed(properties)}{more}. Search engines require this for a "
        "rich result. Add it in the template or plugin that writes the structured data.",
        {
            "missing": [
                {"type": one, "name": called or None, "properties": lacking} for one, called, lacking in missing[:SHOWN]
            ],
            "documented": DOCUMENTED,
        },
    )


RULE = Rule(
    id="SEO-SCH-002",
    title="Required rich-result property missing",
    category="SCH",
    severity="medium",
    confidence="certain",
    scope="page",
    population="structured",
    weight=10,
    effort="medium",
    writable_field=None,
    what="A thing in the page's JSON-LD lacks a property that Google requires to show it as a rich result. These types "
    f"are judged: {listed(sorted(REQUIRED))}.",
    why="Without the property, search results show no price, rating, date or picture.",
    fix="Add the property in the template, or in the plugin that writes the structured data. Then test one page with "
    "a search engine's rich results test.",
    not_when="Properties that are only recommended do not count; articles have no required ones. Microdata is not "
    "judged. Things inside other things, such as the products of a list, are not judged either.",
    source=f"Google's structured data gallery, as documented in {DOCUMENTED}.",
    page_check=check,
    cause=("template",),
)
