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
    "javascript:, or only # as href and a script that runs on a click (onclick).",
    why="Crawlers and many assistants do not run the scripts of links, so they never find the pages behind links "
    "without an address. Visitors cannot open these links in a new tab.",
    fix="Put the address into href; a script may still react to the click. Use a <button> for controls that "
    "lead nowhere, such as one that opens a menu.",
    not_when=f"Up to {spelled(LEAST_LINKS - 1)} links of this kind on a page are allowed. The following "
    "elements do not count:\n"
    "- Anchors that a link can jump to (name, id).\n"
    "- Elements with a role.\n"
    "- Stray tags: an <a> without attributes and content.\n"
    "- Links in filler text (mock Latin), such as samples of a theme.\n"
    "- Disabled entries, and the entry of the current page.\n"
    "- Areas of image maps, and links inside drawings (SVG).\n"
    "- Controls of the page, known by their attributes (such as aria-expanded, or a class for arrows), and tabs of "
    "tables.\n"
    "- Controls known by their text or label (Menu, Expand all, Table of contents, ►).\n"
    "- Menu entries with their submenu directly after them, if the submenu has ordinary links.\n"
    "- Controls of component libraries, known by their class or attribute (menu-toggle, data-bs-dismiss).\n"
    "- Links whose script, by its name, only opens, closes, prints or goes back (toggleFolder), and the search filter "
    "of Doxygen.\n"
    "- Links of menus and lists that open in another frame.",
    source=f"Lighthouse's crawlable-anchors audit. This service set the limit of {spelled(LEAST_LINKS)}.",
    page_check=check,
    cause=("template",),
)
