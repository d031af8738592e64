"""SEO-ONP-001: a page without a title."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule


def check(page: Page, site: Site) -> PageVerdict:
    if page.facts.title:
        return None
    if page.facts.title is None and "title" in page.facts.head_tags_in_body:
        return None  # SEO-ONP-021 names the cause
    if page.facts.title is None:
        return Finding(
            "The page has no <title> in its <head>; give it one that says what the page is about.", {"title": None}
        )
    return Finding("The <title> of the page is empty; write one that says what the page is about.", {"title": ""})


RULE = Rule(
    id="SEO-ONP-001",
    title="Title missing or empty",
    category="ONP",
    severity="high",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=30,
    effort="low",
    writable_field="title",
    what="The page has no <title> in its <head>, or one without text. The first title counts; titles inside "
    "drawings (SVG) do not.",
    why="The title is the headline of a search result. Without one, search engines invent a headline from the page, "
    "and visitors cannot distinguish open tabs.",
    fix="Write a unique title for the page. Begin with its subject, and end with the name of the website. Your CMS or "
    "its SEO plugin has a field for it.",
    not_when="Pages that may not be indexed (noindex, disallowed by robots.txt) and answers other than 200 are left "
    "out. A title in the body, where a misplaced tag ended the <head> early, is reported by SEO-ONP-021.",
    source="The HTML standard asks every document for a title; search engines document it as the main source of "
    "the result's headline.",
    page_check=check,
    title_need="missing",
    cause=("template",),
)
