"""SEO-TEC-020: nearly all pages name the same canonical address."""

from collections import Counter
from typing import Final

from chalicelib.rules.context import Address, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import spelled

LEAST_SHARE: Final = 0.8  # share of the indexable pages
LEAST_PAGES: Final = 5
GATE: Final = 0.90


def named_by_all(site: Site) -> tuple[str, int, int] | None:
    """Return the canonical address that nearly all pages name, how many pages name it, and how many pages there are.

    Returns None if there is no such address.
    """
    pages = 0
    named: Counter[str] = Counter()
    for address in site.indexable():
        target = address.canonical
        if target is not None and target != address.url and _is_version_of(address, site.addresses.get(target)):
            continue
        pages += 1
        if target is not None:
            named[target] += 1
    if not named:
        return None
    target, count = named.most_common(1)[0]
    return (target, count, pages) if count >= LEAST_PAGES and count >= LEAST_SHARE * pages else None


def _is_version_of(address: Address, target: Address | None) -> bool:
    """Whether a page is its canonical target with other parameters, and so names it rightly."""
    if target is None or address.url.partition("?")[0] != target.url.partition("?")[0]:
        return False
    return address.title == target.title or (bool(address.text_hash) and address.text_hash == target.text_hash)


def has_data(site: Site) -> bool:
    return any(True for _ in site.indexable())


def check(site: Site) -> PageVerdict:
    found = site.once(named_by_all)
    if found is None:
        return None
    target, count, pages = found
    which = "the home page" if target == site.home_url else target
    return Finding(
        f"{count:,} of {pages:,} pages name {which} as their canonical address, which asks search engines to drop all "
        "others; let each page name its own address.",
        {"canonical": target, "pages": count, "indexable": pages},
    )


RULE = Rule(
    id="SEO-TEC-020",
    title="All pages point to one canonical",
    category="TEC",
    severity="critical",
    confidence="likely",
    scope="site",
    population="site",
    weight=45,
    effort="low",
    writable_field="canonical",
    what=f"At least {LEAST_SHARE:.0%} of the pages that may be indexed, and at least {spelled(LEAST_PAGES)}, name the "
    "same canonical address, usually the home page.",
    why="Each page with this canonical address asks search engines to show the one address instead. Search engines may "
    "drop nearly the whole website.",
    fix="Correct the template: the canonical tag must hold each page's own address, not a fixed one.",
    not_when="Versions of one page that differ only in parameters, with the same title or text, may name the same "
    "address and are not counted.",
    source="This service set the limits. Search engines' documentation calls this a common mistake.",
    site_check=check,
    whole_website=True,
    gate=GATE,
    has_data=has_data,
    cause=("canonical_address",),
)
