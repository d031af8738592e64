"""SEO-SMP-004: the sitemap lists an address whose page names another address as canonical."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.smp.reading import was_read
from chalicelib.rules.tec.seo_tec_014_017_canonical_target import fault_of
from chalicelib.rules.tec.seo_tec_018_several_canonicals import named
from chalicelib.rules.tec.seo_tec_020_one_canonical import named_by_all


def check(page: Page, site: Site) -> PageVerdict:
    if not page.readable:
        return NOT_APPLICABLE
    target = page.canonical
    if target is None or page.canonical_is_self:
        return None
    # The canonical address itself is wrong, which SEO-TEC-014 to 017, 018 and 020 report.
    if fault_of(page, site) not in (None, "unknown") or len(named(page)) > 1:
        return None
    common = site.once(named_by_all)
    if common is not None and common[0] == target:
        return None
    return Finding(
        f"The sitemap lists the address, but the page names {target} as its canonical address; list {target} instead, "
        "or let the page name itself.",
        {"canonical": target, "targetInSitemap": target in site.sitemap},
    )


RULE = Rule(
    id="SEO-SMP-004",
    title="Sitemap lists non-canonical URLs",
    category="SMP",
    severity="medium",
    confidence="certain",
    scope="page",
    population="sitemap",
    weight=8,
    effort="low",
    writable_field=None,
    what="An address in the sitemap belongs to a page that names another address as canonical.",
    why="The sitemap asks for this address to be shown, and the page asks for another one. Search engines have to "
    "guess, and trust the sitemap less.",
    fix="List only canonical addresses. If the canonical address is the mistake, correct it on the page.",
    not_when="Addresses that the audit did not read are not judged. Faults of the canonical address itself are "
    "reported by SEO-TEC-014 to SEO-TEC-020: it is broken, redirects, may not be indexed, or is the same on nearly "
    "all pages.",
    source="Search engines' sitemap documentation: list canonical addresses only.",
    has_data=was_read,
    page_check=check,
    cause=("canonical_address", "sitemap"),
)
