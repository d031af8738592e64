"""SEO-PRF-007: a page with very many elements."""

from typing import Final

from chalicelib.domain.page.facts import MANY_ELEMENTS, PageFacts
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule

TEXT_WORDS: Final = 5  # words per element; a page with more is a long text, not lists and nested blocks
# Without links there are no menus and no lists of pages: the elements are cells or words of the text.
MARKED_WORDS: Final = 1  # words per element
MOST_LINKS: Final = 0.02  # links per element


def check(page: Page, site: Site) -> PageVerdict:
    elements = page.facts.elements
    if elements <= MANY_ELEMENTS:
        return None
    return Finding(
        f"The page has {elements:,} elements; {MANY_ELEMENTS:,} at most keep it quick. {_advice(page.facts)}",
        {"elements": elements, "limit": MANY_ELEMENTS},
    )


def _advice(facts: PageFacts) -> str:
    if 2 * facts.code_elements > facts.elements:
        return (
            f"{facts.code_elements:,} of them are in code samples, mostly to colour words: shorten the samples, or let "
            "a script colour those that are shown."
        )
    if _is_text(facts):
        return (
            f"Most of them belong to its text of {facts.words:,} words: divide the text into several pages, unless "
            "people want to read or search it as a whole."
        )
    return "Show long lists in parts, and simplify nested blocks and menus that are repeated."


def _is_text(facts: PageFacts) -> bool:
    """Whether most elements belong to a text, which may be divided by tables or marked word for word."""
    if facts.words >= TEXT_WORDS * facts.elements:
        return True
    links = len(facts.links) + len(facts.external_links)
    return facts.words >= MARKED_WORDS * facts.elements and links <= MOST_LINKS * facts.elements


RULE = Rule(
    id="SEO-PRF-007",
    title="DOM too large",
    category="PRF",
    severity="low",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=3,
    effort="high",
    writable_field=None,
    what=f"The HTML from the server has more than {MANY_ELEMENTS:,} elements.",
    why="The browser stores, styles and lays out each element. Scrolling and typing get slow, most of all on phones.",
    fix="Split long lists and tables into pages, and load distant parts when they are needed. Look for menus and "
    "dialogs that the page contains several times. Page builders nest many empty blocks. "
    "Divide a long text into several pages, unless people want to read it as a whole.",
    not_when="Elements that scripts add later are not counted.",
    source="Lighthouse's DOM size audit warns at about this number.",
    page_check=check,
    cause=("template",),
)
