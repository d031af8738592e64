"""SEO-ONP-010: a page without a meta description."""

from chalicelib.domain.page.page_kinds import description_advice
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule


def check(page: Page, site: Site) -> PageVerdict:
    if page.facts.description:
        return None
    seen = "no meta description" if page.facts.description is None else "an empty meta description"
    advice = description_advice(page.kind)
    if advice is None:
        return Finding(
            f"The page has {seen}; write one or two sentences that say what a visitor finds on it.",
            {"description": page.facts.description},
        )
    return Finding(
        f"The page has {seen}. {advice.message}",
        {
            "description": page.facts.description,
            "advice": {
                "pageKind": advice.page_kind,
                "legalKind": advice.legal_kind,
                "recommended": advice.recommended,
                "message": advice.message,
            },
        },
    )


RULE = Rule(
    id="SEO-ONP-010",
    title="Meta description missing",
    category="ONP",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=10,
    effort="low",
    writable_field="meta_description",
    what='The page has no <meta name="description">, or one without text.',
    why="Search engines often show the description below the title. Without one they cut a piece out of the page, "
    "which may say nothing that makes people click.",
    fix="Write one or two sentences for this page only: what it offers and for whom. Legal pages and lists of posts "
    "need no description. Set log-in, basket and empty pages to noindex instead.",
    not_when="Pages that are set to noindex or disallowed by robots.txt are left out: nobody sees their snippet.",
    source="Search engines' documentation on snippets: no fixed length, and a separate description for each page.",
    page_check=check,
    advice={
        "legal": "Legal pages are rarely searched for: leave the description out, or set the page to noindex.",
        "archive": "Lists of posts need no description; set them to noindex if nobody should find them.",
        "empty_archive": "Add posts to the empty list, or set it to noindex until it has some.",
        "account": "Set log-in, basket and checkout pages to noindex.",
    },
)
