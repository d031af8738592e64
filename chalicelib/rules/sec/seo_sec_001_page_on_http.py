"""SEO-SEC-001: a page that is served without encryption."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule


def check(page: Page, site: Site) -> PageVerdict:
    if not page.url.startswith("http://"):
        return None
    wanted = "https://" + page.url.removeprefix("http://")
    return Finding(
        f"The page answers 200 on http without redirecting; serve it on https and redirect {page.url} to {wanted}.",
        {"wanted": wanted},
    )


RULE = Rule(
    id="SEO-SEC-001",
    title="Page on http",
    category="SEC",
    severity="critical",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=60,
    effort="medium",
    writable_field=None,
    what="The page answers on http:// and does not redirect to https://.",
    why='Anybody between the visitor and the server can read and change the data. Browsers show "not secure", and '
    "search engines prefer the encrypted page.",
    fix="Install a certificate (most hosts offer free ones) and redirect every http address to the same https address "
    "with a 301.",
    not_when="An http address that redirects to https is correct and not reported.",
    source="Search engines' documentation of https as a signal; RFC 9110.",
    page_check=check,
)
