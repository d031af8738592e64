"""SEO-TEC-019: a canonical address that is not absolute, has a fragment or leads to another website."""

import re
from typing import Final, Literal

from chalicelib.domain.crawl.urls import origin, registrable_domain
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.tec.seo_tec_014_017_canonical_target import fault_of
from chalicelib.rules.wording import quoted

Fault = Literal["not_web", "relative", "fragment", "other_host"]
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")


def domain_of(url: str) -> str:
    """The registrable domain of an address; the port is no part of it."""
    host = origin(url).partition("://")[2]
    return registrable_domain(host if host.endswith("]") else host.rpartition(":")[0] or host)


def website_domain(site: Site) -> str:
    return domain_of(site.home_url)


def fault_in(written: str, absolute: str, page: Page, site: Site) -> Fault | None:
    """What is wrong with one canonical address as it is written."""
    scheme = _SCHEME.match(written)
    if scheme is not None and scheme[1].lower() not in ("http", "https"):
        return "not_web"
    if scheme is None or "://" not in written[:9]:
        return "relative"
    if "#" in written:
        return "fragment"
    if not absolute or absolute.startswith(origin(page.url) + "/"):
        return None
    return "other_host" if domain_of(absolute) != site.once(website_domain) else None


def check(page: Page, site: Site) -> PageVerdict:
    for written, absolute, source in page.facts.canonicals:
        if not written:
            continue
        fault = fault_in(written, absolute, page, site)
        if fault is None:
            continue
        if fault == "other_host" and fault_of(page, site) not in (None, "unknown"):
            continue  # the target is at fault: one of SEO-TEC-014 to 017
        own = fault in ("other_host", "not_web") or not absolute
        return Finding(
            _MESSAGES[fault].format(written=quoted(written), page=page.url),
            {"canonical": written, "fault": fault, "where": source, "wanted": page.url if own else absolute},
        )
    return None


_MESSAGES: Final[dict[Fault, str]] = {
    "not_web": "The canonical address {written} is no web address; name the page's own ({page}).",
    "relative": "The canonical address {written} is not absolute; write it with scheme and host, mostly {page}.",
    "fragment": "The canonical address {written} has a fragment (#), which search engines drop; leave it out.",
    "other_host": "The canonical address {written} is on another website, so this page is given away in search; name "
    "{page} unless that is meant.",
}

RULE = Rule(
    id="SEO-TEC-019",
    title="Canonical is relative, has a fragment or another host",
    category="TEC",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=8,
    effort="low",
    writable_field="canonical",
    what="The canonical address is not written in full (scheme, host and path), is no web address (file:), ends in a "
    "fragment (#), or belongs to another registrable domain.",
    why="A relative address changes its meaning wherever the page is copied or served under another host. An address "
    "on another website tells search engines to show that one in place of this page.",
    fix="Write the whole address, such as https://example.com/page/, without a fragment and on the website's own "
    "domain.",
    advice={
        "relative": "Put scheme and host before the path.",
        "fragment": "Leave out # and what follows it.",
        "not_web": "The page was exported from a program with its file name; name the address on the web.",
        "other_host": "Name the page itself. If the text is published on the other website first, ignore the issue.",
    },
    not_when="Other subdomains of the same domain are fine. An address on another website that is broken, redirects or "
    "may not be indexed is one of SEO-TEC-014 to SEO-TEC-017.",
    source="RFC 6596; search engines' documentation: use absolute addresses.",
    page_check=check,
)
