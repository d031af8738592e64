"""SEO-ONP-023: a page that forbids search engines to show a snippet of it."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule


def forbids_snippets(page: Page) -> str | None:
    """Return in words the place at which the page forbids all snippets. Returns None if the page allows some
    snippets."""
    given = page.directives
    if given.nosnippet is not None:
        return given.nosnippet
    if given.max_snippet == 0:
        return given.max_snippet_where
    if page.facts.nosnippet_main:
        return "data-nosnippet on the main content"
    return None


def check(page: Page, site: Site) -> PageVerdict:
    if not page.indexable:
        return None
    where = forbids_snippets(page)
    if where is None:
        return None
    return Finding(
        f"The page may be indexed, but {where} forbids any text of it in search results and AI answers; remove this "
        "directive.",
        {"where": where},
    )


RULE = Rule(
    id="SEO-ONP-023",
    title="nosnippet or max-snippet:0 on an indexable page",
    category="ONP",
    severity="medium",
    confidence="certain",
    scope="page",
    population="readable",
    weight=8,
    effort="low",
    writable_field=None,
    what="The page may be indexed, but its robots tag or X-Robots-Tag header says nosnippet or max-snippet:0. Or its "
    "main content carries data-nosnippet.",
    why="The page then appears in search results without any text, and search engines leave it out of AI answers.",
    fix="Remove the directive. If only a part must not be quoted, set data-nosnippet on that part. If the page should "
    "not be found at all, use noindex instead.",
    not_when="Pages that are set to noindex or disallowed by robots.txt are left out, because results do not show "
    "them.",
    source="Search engines' documentation of nosnippet, max-snippet and data-nosnippet.",
    page_check=check,
    cause=("robots_directive",),
)
