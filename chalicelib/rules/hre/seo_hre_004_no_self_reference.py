"""SEO-HRE-004: a page's language versions do not include the page itself."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import listed


def check(page: Page, site: Site) -> PageVerdict:
    if not page.canonical_is_self:
        return NOT_APPLICABLE
    alternates = page.facts.hreflang
    # An address that redirects here means this page, which SEO-HRE-002 reports.
    if any(alternate.url == page.url or site.end_of(alternate.url) == page.url for alternate in alternates):
        return None
    languages = sorted({alternate.lang for alternate in alternates})
    code = page.facts.lang or "its language"
    return Finding(
        f"hreflang names versions for {listed(languages[:10])}, but not the page itself; add one for {code} with "
        f"{page.url}.",
        {"languages": languages, "wanted": {"lang": page.facts.lang, "url": page.url}},
    )


RULE = Rule(
    id="SEO-HRE-004",
    title="No self-reference",
    category="HRE",
    severity="medium",
    confidence="certain",
    scope="page",
    population="hreflang",
    weight=8,
    effort="low",
    writable_field=None,
    what="The page names other language versions with hreflang, but not itself.",
    why="A set of versions without the page that declares it is incomplete, and search engines may ignore it.",
    fix="Add hreflang with the page's own language and address. All versions carry the same set.",
    not_when="Pages that name another canonical address are left out: the set belongs to the canonical page. If the "
    "set names an address that redirects to the page, SEO-HRE-002 reports it.",
    source="Search engines' documentation of hreflang: each version must list itself as well as all others.",
    page_check=check,
    cause=("template",),
)
