"""SEO-SCH-001: structured data that no program can read."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted

ERRORS_SHOWN: Final = 10


def check(page: Page, site: Site) -> PageVerdict:
    errors = page.facts.structured_errors
    if not errors:
        return None
    return Finding(
        f"{counted(len(errors), 'JSON-LD block')} cannot be read: {errors[0].rstrip('.')}. Correct the JSON.",
        {"errors": errors[:ERRORS_SHOWN]},
    )


RULE = Rule(
    id="SEO-SCH-001",
    title="Structured data does not parse",
    category="SCH",
    severity="high",
    confidence="certain",
    scope="page",
    population="structured",
    weight=20,
    effort="low",
    writable_field=None,
    what="A JSON-LD script of the page is not valid JSON.",
    why="Search engines drop a block that they cannot read as a whole, so the page loses its rich results. A comma too "
    "many is enough.",
    fix="Look for a trailing comma, a quotation mark inside a text that is not escaped, or a template variable that "
    "was not filled in. The evidence names the place.",
    not_when="A property that is merely missing is not reported here: the block can be read. A block that names no "
    "@type can be read too, and is SEO-SCH-008.",
    source="RFC 8259 (JSON) and the JSON-LD 1.1 recommendation.",
    page_check=check,
    cause=("template",),
)
