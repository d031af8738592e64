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
    why="Search engines ignore the whole block if they cannot parse it, so the page loses its rich results. One extra "
    "comma makes a block invalid.",
    fix="Look for a trailing comma, an unescaped quotation mark inside a text, or a template variable that was not "
    "filled in. The evidence names the place.",
    not_when="Missing properties do not count, because the block can still be parsed. A block without @type is "
    "reported by SEO-SCH-008.",
    source="RFC 8259 (JSON) and the JSON-LD 1.1 recommendation.",
    page_check=check,
    cause=("template",),
)
