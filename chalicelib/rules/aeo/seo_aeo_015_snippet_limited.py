"""SEO-AEO-015: a page with a directive that forbids assistants to quote it."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.onp.seo_onp_023_snippets_forbidden import forbids_snippets

LEAST_SNIPPET: Final = 50  # characters: shorter snippets contain no sentence


def check(page: Page, site: Site) -> PageVerdict:
    if forbids_snippets(page) is not None:
        return None  # SEO-ONP-023 reports that
    given = page.directives
    if given.max_snippet is not None and 0 < given.max_snippet < LEAST_SNIPPET:
        return Finding(
            f"{given.max_snippet_where} allows snippets of {given.max_snippet} characters only; allow at least "
            f"{LEAST_SNIPPET}, or remove the limit.",
            {"where": given.max_snippet_where, "maxSnippet": given.max_snippet},
        )
    if given.noai is not None:
        return Finding(
            f"{given.noai} asks AI systems not to use the page; remove noai if the page should appear in AI answers.",
            {"where": given.noai, "maxSnippet": given.max_snippet},
        )
    return None


RULE = Rule(
    id="SEO-AEO-015",
    title="Snippet use forbidden",
    category="AEO",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=8,
    effort="low",
    writable_field=None,
    what=f"A robots tag or the X-Robots-Tag header limits snippets to fewer than {LEAST_SNIPPET} characters, or says "
    "noai.",
    why="Assistants and AI features of search engines may only use text that search results may show as a snippet. "
    f"Fewer than {LEAST_SNIPPET} characters are too few for a sentence worth citing.",
    fix=f"Remove the limit, or set max-snippet to -1 (no limit) or at least {LEAST_SNIPPET}.",
    not_when="Pages that forbid every snippet (nosnippet, max-snippet:0, data-nosnippet) are reported by SEO-ONP-023 "
    "only. max-snippet:-1 means no limit.",
    source=f"Search engines' documentation of max-snippet. This service set the limit of {LEAST_SNIPPET} characters.",
    page_check=check,
    cause=("robots_directive",),
)
