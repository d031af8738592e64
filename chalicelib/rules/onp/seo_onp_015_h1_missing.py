"""SEO-ONP-015: a page without a main heading."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.scripted import scripts_bring_content
from chalicelib.rules.wording import quoted


def check(page: Page, site: Site) -> PageVerdict:
    if page.facts.frames:
        return NOT_APPLICABLE  # a frameset shows no text of its own
    if page.facts.in_frame and not page.is_home and page.url.startswith(site.frameset_folders):
        return NOT_APPLICABLE  # visitors see it only beside a page, which has the heading
    if page.facts.h1_count:
        return None
    if scripts_bring_content(page, site) is not None:
        return NOT_APPLICABLE  # SEO-AEO-017 names the cause
    first = next(((level, text) for level, text in page.facts.headings if text), None)
    if first is None and not page.facts.words and not page.is_home and page.kind.kind != "contact":
        return NOT_APPLICABLE  # an image map or an empty page has no text to mark; a contact page has a form
    if first:
        seen = f"Its first heading is an H{first[0]}: {quoted(first[1])}. Mark the main heading as <h1>."
    else:
        seen = "It has no heading at all. Give it one that says what the page is about, as <h1>."
    return Finding(
        f"The page shows no <h1> with text. {seen}",
        {"firstHeading": {"level": first[0], "text": first[1]} if first else None},
    )


RULE = Rule(
    id="SEO-ONP-015",
    title="H1 missing",
    category="ONP",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=8,
    effort="low",
    writable_field=None,
    what="The page shows no main heading (<h1>) with text. The alternative text of an image inside the heading "
    "counts as its text.",
    why="The main heading tells visitors, screen readers and search engines what the page is about. Screen reader "
    "users jump to it first.",
    fix="Mark the page's visible headline as <h1>. In most themes the title field of the page does that. Large text "
    "alone does not make a heading.",
    not_when="Pages that may not be indexed are left out. Framesets are left out, because they show no text of their "
    "own. Menus of framesets, whose links open in another frame, are left out, and so are pages without a word, except "
    "home and contact pages. Pages whose content is added only by scripts "
    "are reported by SEO-AEO-017.",
    source="The HTML standard's advice on headings. Nearly every audit tool reports pages without an h1.",
    page_check=check,
    cause=("template",),
)
