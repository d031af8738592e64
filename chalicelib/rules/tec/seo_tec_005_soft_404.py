"""SEO-TEC-005: a page that does not exist, but answers 200."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.soft_404 import LEAST_ALIKE, LEAST_WORDS, Soft404, answers_missing, soft_404
from chalicelib.rules.wording import linked_from, quoted


def check(page: Page, site: Site) -> PageVerdict:
    found = soft_404(page, site)
    if found is None:
        return None
    advice = _advice(page.linked, found, site.once(answers_missing))
    shown: dict[str, str] = {}
    if found.said is not None:
        shown["text"] = found.said
        message = f"The {found.where} says {quoted(found.said)}, but the address answers 200, and {advice}"
    elif found.same_as is not None:
        shown["sameAs"] = found.same_as.url
        same = "home page, just like" if found.is_home else "same text as"
        message = f"The address answers 200 with the {same} an address that cannot exist, and {advice}"
    else:
        message = f"The error page answers 200 under its own address, and {advice}"
    return Finding(message, {"where": found.where, **shown, "linkingPages": page.linked, "inSitemap": page.in_sitemap})


def _advice(count: int, found: Soft404, answered: int | None) -> str:
    """Return what to do, which depends on how the website answers addresses that cannot exist (``answered``)."""
    if answered is None:
        return f"{linked_from(count)}. Let addresses without a page answer 404 or 410, or redirect to a page that fits."
    # Links to an error page that is a part of the website, such as a sample of a theme, would break.
    todo = (
        ", so only this page is at fault: take it out of links, redirects and the sitemap, or set noindex on it"
        if found.is_error_page
        else f": let this one answer {answered} too, and take it out of links, redirects and the sitemap"
    )
    return f"{linked_from(count)}. Addresses without a page already answer {answered}{todo}."


RULE = Rule(
    id="SEO-TEC-005",
    title="Soft 404",
    category="TEC",
    severity="high",
    confidence="likely",
    scope="page",
    population="crawled",
    weight=15,
    effort="medium",
    writable_field=None,
    what='The address answers 200, but its title or main heading says only "page not found" (in one of twelve '
    f"languages). Or {LEAST_ALIKE:.0%} of its text is the same as in the website's answer to an address that cannot "
    "exist. That answer may have any status, and may be the home page. Or the address is that of the error page itself "
    "(/404.html), and something links, lists or redirects to it.",
    why="Search engines may index a page that does not exist, visitors land on it, and nobody notices the broken link.",
    fix="Let the server answer 404 (or 410) for missing pages; the text for visitors can stay. If the page has moved, "
    "redirect its address with a 301. If only the error page itself is at fault, take it out of menus and the sitemap, "
    "or set noindex on it.",
    not_when="Articles about missing pages, or about a thing called 404, are left out. Searches without results and "
    "empty lists are left out. The error page under its own address (/404.html) is left out if nothing links, lists or "
    "redirects to it. An error page with noindex is left out if missing addresses answer 404 or 410. Texts are "
    f"compared only if the answer to an address that cannot exist has at least {LEAST_WORDS} words and differs from "
    "most pages.",
    source=f"Search engines' documentation on soft 404 errors. This service set the limit of {LEAST_ALIKE:.0%}.",
    page_check=check,
    link_rule=True,
    by_content=True,
    cause=("own_address",),
)
