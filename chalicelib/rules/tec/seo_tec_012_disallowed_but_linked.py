"""SEO-TEC-012: the website links to an address that robots.txt disallows."""

import re
from typing import Final

from chalicelib.domain.page import page_kinds
from chalicelib.rules.context import SEARCH_CRAWLER, Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.parameters import acts, plain
from chalicelib.rules.tec import seo_tec_001_robots_blocks_site, seo_tec_010_noindex_unreadable
from chalicelib.rules.wording import counted

# Parts of a website that are not for the public, whatever the CMS.
_BEHIND: Final = re.compile(
    r"/(?:wp-(?:admin|login|json|content|includes)|xmlrpc|cgi-bin|administrator|admin|backend|typo3|umbraco|user|"
    r"account|customer|checkouts?|orders?|cart|basket|cdn-cgi|feed|trackback|cpanel|webmail)(?:[/.?]|$)",
    re.IGNORECASE,
)
_KINDS: Final = frozenset({"account", "search"})


def blocks_everything(site: Site) -> bool:
    """Whether SEO-TEC-001 reports the whole website. If it does, single addresses are not reported."""
    return isinstance(seo_tec_001_robots_blocks_site.check(site), Finding)


def has_data(site: Site) -> bool:
    return site.robots_readable


def is_behind(url: str) -> bool:
    """Whether crawlers need not read the address: it belongs to administration, basket, log-in or search."""
    if acts(url) or _BEHIND.search(url):
        return True
    return page_kinds.detect(url, body_class="", text="", headings=()).kind in _KINDS


def check(page: Page, site: Site) -> PageVerdict:
    if page.robots_allowed or not page.inlinks:
        return None
    if site.once(blocks_everything):
        return NOT_APPLICABLE
    url = page.url
    # A version with parameters is disallowed on purpose if the page itself may be read.
    if is_behind(url) or plain(url) != url or ("?" in url and site.allowed(url.partition("?")[0])):
        return None
    if isinstance(seo_tec_010_noindex_unreadable.check(page, site), Finding):
        return None
    verdict = site.robots.verdict(SEARCH_CRAWLER, url)
    count, linking = site.linking(url)
    inlinks = max(count, page.inlinks)
    return Finding(
        f"{counted(inlinks, 'page links', 'pages link')} to the address, but robots.txt disallows it (line "
        f'{verdict.line_number}: "{verdict.line}"); allow it, or remove the links if nobody should find it.',
        {
            "lineNumber": verdict.line_number,
            "line": verdict.line,
            "group": verdict.group_agent,
            "linkingPages": inlinks,
            "linkedFrom": linking,
        },
    )


RULE = Rule(
    id="SEO-TEC-012",
    title="Disallowed page linked internally",
    category="TEC",
    severity="low",
    confidence="certain",
    scope="page",
    population="known",
    weight=3,
    effort="low",
    writable_field=None,
    what="Pages of the website link to an address that robots.txt disallows for Google's crawler.",
    why="Search engines find the address but may not read it, so the links have no effect. The address may appear in "
    "the results without title or text.",
    fix="If people should find the page, remove from robots.txt the line that the evidence shows. If not, remove the "
    "links to the page, or allow it and set it to noindex.",
    not_when="Administration, log-in, account, basket, checkout and search addresses are left out. An address with "
    "parameters is left out if the same address without parameters may be read. A robots.txt that blocks the whole "
    "website is reported by SEO-TEC-001.",
    source="RFC 9309; search engines' documentation on robots.txt.",
    page_check=check,
    has_data=has_data,
    link_rule=True,
    cause=("robots_line",),
)
