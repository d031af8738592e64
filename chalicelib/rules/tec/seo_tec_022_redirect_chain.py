"""SEO-TEC-022: an address that the website uses leads to a page only through several redirects."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import linked_from, spelled

LEAST_HOPS: Final = 2


def starts_chain(url: str, site: Site) -> list[str] | None:
    """Return the addresses through which ``url`` redirects. Returns None if it redirects fewer than two times, or in a
    loop."""
    hops, loops = site.chain(url)
    return hops if len(hops) >= LEAST_HOPS and not loops else None


def check(page: Page, site: Site) -> PageVerdict:
    if page.address.redirect_to is None:
        return None
    hops = starts_chain(page.url, site)
    if hops is None:
        return None
    count, linking = site.linking(page.url)
    if not count and not page.in_sitemap:
        return None
    used = linked_from(count) if count else "the sitemap lists it"
    return Finding(
        f"The address takes {len(hops)} redirects to reach {hops[-1]}, and {used}; redirect it there in one step, "
        "and use the last address in links and sitemap.",
        {
            "hops": len(hops),
            "chain": [page.url, *hops],
            "linkingPages": count,
            "linkedFrom": linking,
            "inSitemap": page.in_sitemap,
        },
    )


RULE = Rule(
    id="SEO-TEC-022",
    title="Redirect chain",
    category="TEC",
    severity="medium",
    confidence="certain",
    scope="page",
    population="crawled",
    weight=8,
    effort="low",
    writable_field=None,
    what=f"An address that a page links or the sitemap lists takes at least {spelled(LEAST_HOPS)} redirects before a "
    "page answers. The finding is on the first address of the chain; the linking pages are in its evidence.",
    why="Every redirect costs visitors time, on phones several tenths of a second. Search engines give up on long "
    "chains.",
    fix="Point the first redirect straight at the last address, then change the links and the sitemap to that address.",
    not_when="A single redirect is not a chain. Endless redirects are reported by SEO-TEC-023. Addresses that nothing "
    "on the website uses are left out.",
    source="Search engines' documentation on redirects advises to keep chains short.",
    page_check=check,
    link_rule=True,
)
