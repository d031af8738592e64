"""SEO-TEC-019: a canonical address that is not absolute, is not a web address, or has a fragment."""

import re
from typing import Final, Literal

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import quoted

Fault = Literal["not_web", "relative", "fragment"]
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")


def fault_in(written: str) -> Fault | None:
    """Return the fault of a canonical address, given as the page writes it."""
    scheme = _SCHEME.match(written)
    if scheme is not None and scheme[1].lower() not in ("http", "https"):
        return "not_web"
    if scheme is None or "://" not in written[:9]:
        return "relative"
    return "fragment" if "#" in written else None


def check(page: Page, site: Site) -> PageVerdict:
    if page.canonical_elsewhere is not None:
        return None  # in any form it means the other website, which SEO-TEC-034 reports
    for written, absolute, source in page.facts.canonicals:
        fault = fault_in(written) if written else None
        if fault is None:
            continue
        own = fault == "not_web" or not absolute
        return Finding(
            _MESSAGES[fault].format(written=quoted(written), page=page.url),
            {"canonical": written, "fault": fault, "where": source, "wanted": page.url if own else absolute},
        )
    return None


_MESSAGES: Final[dict[Fault, str]] = {
    "not_web": "The canonical address {written} is not a web address; name the page's own ({page}).",
    "relative": "The canonical address {written} is not absolute; write it with scheme and host, usually {page}.",
    "fragment": "The canonical address {written} has a fragment (#), which search engines drop; leave it out.",
}

RULE = Rule(
    id="SEO-TEC-019",
    title="Canonical is relative, has a fragment or is not a web address",
    category="TEC",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=8,
    effort="low",
    writable_field="canonical",
    what="The canonical address is not complete (scheme, host and path), is not a web address (file:), or ends in a "
    "fragment (#).",
    why="A relative address changes its meaning if the page is copied or served under another host. Search engines "
    "ignore addresses that are not on the web.",
    fix="Write the whole address, such as https://example.com/page/, without a fragment.",
    advice={
        "relative": "Put scheme and host before the path.",
        "fragment": "Leave out # and what follows it.",
        "not_web": "The canonical is a file on a computer, left by the exporting program. Name the page's web address.",
    },
    not_when="Other subdomains of the same domain are fine. An address on another registrable domain is reported by "
    "SEO-TEC-034 instead.",
    source="RFC 6596; search engines' documentation: use absolute addresses.",
    page_check=check,
    cause=("template",),
)
