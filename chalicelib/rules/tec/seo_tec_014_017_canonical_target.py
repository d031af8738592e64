"""SEO-TEC-014 to SEO-TEC-017: faults of the page that another page names as its canonical address.

Only the first fault of a target is reported, in this order: broken, redirecting, not indexable, a chain.
"""

from typing import Final, Literal

from chalicelib.rules.context import REFUSED, Page, Site
from chalicelib.rules.model import UNDECIDED, Finding, PageVerdict, Rule
from chalicelib.rules.wording import codes

Fault = Literal["broken", "redirect", "not_indexable", "chain"]


def fault_of(page: Page, site: Site) -> Fault | Literal["unknown"] | None:
    """Return the fault of the page's canonical target.

    Returns "unknown" if the target was not requested, and None if the target has no fault.
    """
    target = page.canonical
    if target is None or target == page.url:
        return None
    address = site.addresses.get(target)
    if address is None or address.status == 0:
        return "unknown" if site.allowed(target) else "not_indexable"
    if address.broken:
        return "broken"
    if 300 <= address.status < 400:
        return "redirect"
    if address.noindex or not (address.robots_allowed or address.as_read):
        return "not_indexable"
    if address.canonical is not None and address.canonical not in (target, page.url):
        return "chain"
    return None


def check_broken(page: Page, site: Site) -> PageVerdict:
    fault = fault_of(page, site)
    if fault == "unknown":
        return UNDECIDED
    if fault != "broken":
        return None
    assert page.canonical is not None
    status = site.addresses[page.canonical].status
    return Finding(
        f"The canonical address {page.canonical} answers {status}; name a page that exists, usually the page itself "
        f"({page.url}).",
        {"canonical": page.canonical, "status": status},
    )


def check_redirect(page: Page, site: Site) -> PageVerdict:
    fault = fault_of(page, site)
    if fault == "unknown":
        return UNDECIDED
    if fault != "redirect":
        return None
    assert page.canonical is not None
    end = site.end_of(page.canonical)
    wanted = f"name {end} instead" if end != page.canonical else "name an address that answers 200"
    return Finding(
        f"The canonical address {page.canonical} redirects (status {site.addresses[page.canonical].status}); {wanted}.",
        {"canonical": page.canonical, "status": site.addresses[page.canonical].status, "leadsTo": end},
    )


def check_not_indexable(page: Page, site: Site) -> PageVerdict:
    fault = fault_of(page, site)
    if fault == "unknown":
        return UNDECIDED
    if fault != "not_indexable":
        return None
    assert page.canonical is not None
    address = site.addresses.get(page.canonical)
    where = address.directives.noindex if address else None
    seen = f"says {where}" if where else "is disallowed by robots.txt"
    return Finding(
        f"The canonical address {page.canonical} {seen}, so neither page can be indexed; name a page that may be.",
        {"canonical": page.canonical, "noindex": where, "disallowed": where is None},
    )


def check_chain(page: Page, site: Site) -> PageVerdict:
    fault = fault_of(page, site)
    if fault == "unknown":
        return UNDECIDED
    if fault != "chain":
        return None
    assert page.canonical is not None
    third = site.addresses[page.canonical].canonical
    return Finding(
        f"The canonical address {page.canonical} names a third address as canonical ({third}); name {third} directly.",
        {"canonical": page.canonical, "itsCanonical": third},
    )


_NOT_WHEN: Final = (
    "Pages that name no canonical address, or name themselves, are left out. A canonical address that the audit "
    "did not request is not judged: audits request only a limited number of addresses on other hosts."
)
_SOURCE: Final = "RFC 6596 and search engines' documentation on canonical addresses."

BROKEN = Rule(
    id="SEO-TEC-014",
    title="Canonical points to a broken page",
    category="TEC",
    severity="high",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=20,
    effort="low",
    writable_field="canonical",
    what="The page names a canonical address that answers 4xx or 5xx.",
    why="The page asks search engines to show another page instead, but that page does not exist. Search engines "
    "may drop both pages.",
    fix="Set the canonical address to the page itself, or to an existing page with the same content.",
    not_when=_NOT_WHEN + f" Targets that refuse the crawler ({codes(REFUSED)}) do not count as broken.",
    source=_SOURCE,
    page_check=check_broken,
    cause=("canonical_address",),
)
REDIRECT = Rule(
    id="SEO-TEC-015",
    title="Canonical points to a redirect",
    category="TEC",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=10,
    effort="low",
    writable_field="canonical",
    what="The page names a canonical address that redirects to another one.",
    why="Search engines have to decide which address is intended, and may choose the wrong one.",
    fix="Set the canonical address to the address at the end of the redirect.",
    not_when=_NOT_WHEN,
    source=_SOURCE,
    page_check=check_redirect,
    cause=("slash", "canonical_address"),
)
NOT_INDEXABLE = Rule(
    id="SEO-TEC-016",
    title="Canonical points to a noindex or disallowed page",
    category="TEC",
    severity="high",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=20,
    effort="low",
    writable_field="canonical",
    what="The page names a canonical address that is set to noindex, or that robots.txt disallows.",
    why="The page asks to be shown under an address that may not be shown. Both addresses can disappear from "
    "the results.",
    fix="Set the canonical address to the page itself, or let the target be indexed.",
    not_when=_NOT_WHEN,
    source=_SOURCE,
    page_check=check_not_indexable,
    cause=("canonical_address",),
)
CHAIN = Rule(
    id="SEO-TEC-017",
    title="Canonical chain",
    category="TEC",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=8,
    effort="low",
    writable_field="canonical",
    what="The page names a canonical address, and that page names a third one.",
    why="Search engines may or may not follow each step. With two steps they may show the wrong page.",
    fix="Set the canonical address to the last address of the chain.",
    not_when=_NOT_WHEN,
    source=_SOURCE,
    page_check=check_chain,
    cause=("canonical_address",),
)
RULES = (BROKEN, REDIRECT, NOT_INDEXABLE, CHAIN)
