"""SEO-HRE-002: hreflang names a page that cannot be shown."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.hre.targets import Fault, fault_of
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted

SHOWN: Final = 20


def _seen(target: str, fault: Fault, site: Site) -> str:
    address = site.addresses[target]
    if fault == "broken":
        return f"answers {address.status}"
    if fault == "redirect":
        return f"redirects to {site.end_of(target) if site.end_of(target) != target else address.redirect_to}"
    if fault == "noindex":
        return "is set to noindex"
    return f"names {address.canonical} as its canonical address"


def check(page: Page, site: Site) -> PageVerdict:
    if not page.canonical_is_self:
        return NOT_APPLICABLE
    found: dict[str, tuple[str, Fault]] = {}
    for alternate in page.facts.hreflang:
        if alternate.url and alternate.url not in found:
            fault = fault_of(alternate.url, page, site)
            if fault is not None:
                found[alternate.url] = (alternate.lang, fault)
    if not found:
        return None
    target, (language, fault) = next(iter(found.items()))
    return Finding(
        f"hreflang names {counted(len(found), 'page')} that cannot be shown as a language version: {target} "
        f"({language}) {_seen(target, fault, site)}. Name the page that answers 200 and may be indexed, or "
        "remove the annotation.",
        {
            "targets": [
                {
                    "url": url,
                    "lang": lang,
                    "fault": fault,
                    "seen": _seen(url, fault, site),
                    "leadsTo": site.end_of(url) if fault == "redirect" else None,
                }
                for url, (lang, fault) in list(found.items())[:SHOWN]
            ]
        },
    )


RULE = Rule(
    id="SEO-HRE-002",
    title="hreflang to a broken, redirected, noindex or non-canonical page",
    category="HRE",
    severity="high",
    confidence="certain",
    scope="page",
    population="hreflang",
    weight=35,
    effort="medium",
    writable_field=None,
    what="An hreflang annotation names an address that answers 4xx or 5xx, redirects, is set to noindex, or names "
    "another address as canonical.",
    why="Search engines cannot show the named address, so people who use its language get another version or none.",
    fix="Name the final, canonical address of each version. If a translation was removed, remove its annotation from "
    "all other versions.",
    advice={
        "broken": "Bring the page back, or remove the annotation.",
        "redirect": "Name the address to which it redirects.",
        "noindex": "Let the version be indexed, or remove the annotation.",
        "non_canonical": "Name the version's canonical address.",
    },
    not_when="Targets that the audit did not request, that did not answer or that refused the crawler are not judged. "
    "Pages that name another canonical address are left out.",
    source="Search engines' documentation of hreflang.",
    page_check=check,
    cause=("slash", "target"),
)
