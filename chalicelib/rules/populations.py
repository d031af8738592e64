"""Assigns each address to populations: groups such as all indexable pages, or all pages with images.

Each rule judges one population. For the score, the number of pages that the rule affects is divided by the size of its
population. All affected pages belong to the population. Assets (images, scripts, documents) are judged on the page that
uses them. Linked documents are also judged by themselves, but only on whether they exist. A page with two addresses
(``/`` and ``/index.html``) counts once.
"""

from functools import lru_cache

from chalicelib.domain.crawl.assets import is_asset
from chalicelib.rules.context import Page
from chalicelib.rules.model import Population


def populations_of(page: Page) -> frozenset[Population]:
    """Return the populations to which an address belongs: groups of addresses for rules, such as ``indexable``."""
    address = page.address
    own_page = address.readable or (not is_asset(page.url) and not (address.status == 200 and not address.html))
    facts = page.facts
    return _populations(
        own_page and page.asked,
        page.asked and (own_page or (address.own_host and max(page.linked, page.inlinks) > 0)),
        own_page,
        own_page and page.in_sitemap,
        address.readable and address.same_as is None and not address.forwards,  # nobody sees a forwarding page
        address.indexable and address.same_as is None,
        bool(facts.links),
        bool(facts.images),
        bool(facts.hreflang),
        bool(facts.structured_types or facts.structured_errors or facts.structured_empty),
    )


@lru_cache(maxsize=512)
def _populations(
    crawled: bool,
    asked: bool,
    known: bool,
    sitemap: bool,
    readable: bool,
    indexable: bool,
    links: bool,
    images: bool,
    hreflang: bool,
    structured: bool,
) -> frozenset[Population]:
    found: list[tuple[bool, Population]] = [
        (crawled, "crawled"),
        (asked, "asked"),
        (known, "known"),
        (sitemap, "sitemap"),
        (readable, "readable"),
        (indexable, "indexable"),
        (indexable and links, "links"),
        (indexable and images, "images"),
        (indexable and hreflang, "hreflang"),
        (indexable and structured, "structured"),
    ]
    return frozenset(population for member, population in found if member)
