"""SEO-LNK-009: links that only work in a browser with scripts."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import quoted, spelled

LEAST_LINKS: Final = 3


def check(page: Page, site: Site) -> PageVerdict:
    facts = page.facts
    count = facts.uncrawlable_links
    if facts.in_frame or (not count and not facts.links and not facts.external_links):
        return NOT_APPLICABLE
    if count < LEAST_LINKS:
        return None
    samples = facts.uncrawlable_samples
    shown = ""
    if samples:
        text, why = samples[0]
        shown = f", such as {quoted(text) if text else 'one without text'} ({why})"
    return Finding(
        f"{count:,} links cannot be followed by crawlers{shown}; give each an href with the address it leads to, or "
        "make it a <button>.",
        {"links": count, "examples": [{"text": text, "why": why} for text, why in samples]},
    )


RULE = Rule(
    id="SEO-LNK-009",
    title="Links not crawlable",
    category="LNK",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=6,
    effort="medium",
    writable_field=None,
    what=f"At least {spelled(LEAST_LINKS)} <a> elements of the page have no href, an href that begins with "
    "javascript:, or no target but a script (onclick).",
    why="Crawlers and many assistants do not run such scripts, so they never find the pages behind these links. "
    "Visitors cannot open the links in a new tab.",
    fix="Put the address into href and let the script add to it. Use a <button> for controls that lead nowhere, such "
    "as one that opens a menu.",
    not_when=f"Up to {spelled(LEAST_LINKS - 1)} such links are allowed. Jump marks (name, id), elements with a role, "
    "disabled and current entries, areas of image maps and links inside drawings (SVG) do not count. Controls of the "
    "page do not count: elements with aria-expanded and the like, empty arrows (by their class) and tabs of tables. "
    "An element is also a control if its text or label says so (Menu, Expand all, Table of contents, ►). Lists shown "
    "in a frame beside the pages are left out.",
    source=f"Lighthouse's crawlable-anchors audit; the limit of {spelled(LEAST_LINKS)} is ours.",
    page_check=check,
    cause=("template",),
)
