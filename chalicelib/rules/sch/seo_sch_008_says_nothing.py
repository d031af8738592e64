"""SEO-SCH-008: structured data that is valid but contains no information."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted


def check(page: Page, site: Site) -> PageVerdict:
    empty = page.facts.structured_empty
    if not empty:
        return None
    return Finding(
        f"{counted(empty, 'JSON-LD block names', 'JSON-LD blocks name')} no @type, so search engines learn nothing "
        f"from {'it' if empty == 1 else 'them'}. Give each thing a @type, or remove what is empty.",
        {"blocks": empty},
    )


RULE = Rule(
    id="SEO-SCH-008",
    title="Structured data says nothing",
    category="SCH",
    severity="low",
    confidence="certain",
    scope="page",
    population="structured",
    weight=3,
    effort="low",
    writable_field=None,
    what="A JSON-LD script of the page is valid JSON but names no @type. It is an empty object or list, or a thing "
    "without a type.",
    why="Search engines and assistants ignore a block without a type. Usually a template should have filled it.",
    fix='Fill the block, e.g. with {"@context": "https://schema.org", "@type": "Organization", …}, or remove it.',
    not_when="A script without any text is left out. A script that is not valid JSON is reported by SEO-SCH-001.",
    source="The JSON-LD 1.1 recommendation; schema.org.",
    page_check=check,
    cause=("template",),
)
