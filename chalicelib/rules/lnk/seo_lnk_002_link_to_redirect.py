"""SEO-LNK-002: a page links to an address that only redirects."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.lnk.targets import faulty_links, in_layout, places, redirecting_targets
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted

TARGETS_SHOWN: Final = 20


def check(page: Page, site: Site) -> PageVerdict:
    redirecting = site.once(redirecting_targets)
    if not redirecting:
        return None
    found = [link for link in page.facts.links if link.url in redirecting]
    if not found:
        return None
    first, faulty = found[0], faulty_links(found)
    return Finding(
        f"{counted(len(found), 'link leads', 'links lead')} to an address that redirects, such as {first.url}; "
        f"link {redirecting[first.url].end} directly.",
        {
            "redirecting": len(found),
            **places(faulty),
            "targets": [
                {
                    "url": link.url,
                    "status": redirecting[link.url].status,
                    "leadsTo": redirecting[link.url].end,
                    "text": link.text,
                    "inLayout": in_layout(link),
                }
                for link in found[:TARGETS_SHOWN]
            ],
        },
        faulty,
    )


RULE = Rule(
    id="SEO-LNK-002",
    title="Internal link to a redirect",
    category="LNK",
    severity="low",
    confidence="certain",
    scope="page",
    population="links",
    weight=3,
    effort="low",
    writable_field=None,
    what="The page links to an address of the same website that redirects.",
    why="Every click takes a detour, and search engines need two requests for one page.",
    fix="Put the final address into the link. A link in the menu or footer is fixed once in the template, and counts "
    "once in the score, however many pages show it.",
    not_when="A redirect from http to https of the same address does not count. A redirect that ends at an error is "
    "reported as a broken link (SEO-LNK-001).",
    source="Search engines' documentation on links and redirects: link to the final address.",
    page_check=check,
    link_rule=True,
    counts_links=True,
    cause=("slash", "redirecting_target"),
)
