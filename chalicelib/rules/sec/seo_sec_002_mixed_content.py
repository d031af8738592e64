"""SEO-SEC-002: an encrypted page that loads files without encryption."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted

SHOWN: Final = 20


def check(page: Page, site: Site) -> PageVerdict:
    if not page.url.startswith("https://"):
        return NOT_APPLICABLE
    insecure = page.facts.insecure_resources
    if not insecure:
        return None
    return Finding(
        f"The page is served on https but loads {counted(len(insecure), 'file')} on http, such as {insecure[0]}; load "
        "it on https.",
        {"files": len(insecure), "addresses": insecure[:SHOWN]},
    )


RULE = Rule(
    id="SEO-SEC-002",
    title="Mixed content",
    category="SEC",
    severity="high",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=20,
    effort="low",
    writable_field=None,
    what="A page on https loads scripts, styles, frames, images or other media with http addresses.",
    why="Browsers block scripts, styles and frames on http, so the page may not work. For images and other media, they "
    'show "not secure". Anybody between the visitor and the server can change an unencrypted file.',
    fix="Write https in the address of the file, or use a path on your own website. If the other server has no https, "
    "copy the file.",
    not_when="Links to http pages load nothing and do not count. If a page's Content-Security-Policy says "
    "upgrade-insecure-requests, the page loads nothing by http and is left out.",
    source="W3C Mixed Content, as browsers apply it.",
    page_check=check,
    cause=("template",),
)
