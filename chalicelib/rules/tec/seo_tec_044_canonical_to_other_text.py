"""SEO-TEC-044: a page whose canonical address is another page of the website with a different text."""

from typing import Final

from chalicelib.domain.page.text import MIN_WORDS_TO_COMPARE, WORDS_PER_RUN
from chalicelib.rules.context import Address, Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.series import is_later_page, series_of
from chalicelib.rules.tec.seo_tec_014_017_canonical_target import fault_of
from chalicelib.rules.tec.seo_tec_020_one_canonical import named_by_all
from chalicelib.rules.wording import counted, spelled

MOST_SHARED: Final = 0.1  # share of all three-word sequences of both pages
_LEAST_RUNS: Final = MIN_WORDS_TO_COMPARE - WORDS_PER_RUN + 1


def other_texts(site: Site) -> dict[str, float]:
    """Return the pages whose canonical page has a different text. For each, the value is the share of text that both
    pages have in common."""
    pairs = [(address, site.addresses[address.canonical or ""]) for address in _naming_others(site)]
    if not pairs:  # the case of most websites
        return {}
    from chalicelib.domain.page import shingles  # imports numpy

    compared = list({address.url: address for pair in pairs for address in pair}.values())
    samples = dict(zip((address.url for address in compared), site.own_text.samples(compared), strict=True))
    found: dict[str, float] = {}
    for address, target in pairs:
        one, other = samples[address.url], samples[target.url]
        if min(len(one.hashes), len(other.hashes)) >= _LEAST_RUNS:
            share = shingles.shared(one, other)
            if share <= MOST_SHARED:
                found[address.url] = share
    return found


def _naming_others(site: Site) -> list[Address]:
    """Return the pages whose canonical page has another path, title and heading.

    Only pages are included whose text can be compared with that of the canonical page.
    """
    found = []
    for address in site.indexable():
        target = site.addresses.get(address.canonical or "")
        if target is None or not target.readable or address.canonical_is_self or not (address.sketch and target.sketch):
            continue
        named_alike = address.heading == target.heading or address.title == target.title
        if not named_alike and address.url.partition("?")[0] != target.url.partition("?")[0]:
            found.append(address)
    return sorted(found, key=lambda address: address.url)


def check(page: Page, site: Site) -> PageVerdict:
    target = page.canonical
    if target is None or page.canonical_is_self or fault_of(page, site) is not None:
        return None  # SEO-TEC-014 to 017 report faults of the target itself
    all_name = site.once(named_by_all)
    if all_name is not None and all_name[0] == target:
        return NOT_APPLICABLE  # SEO-TEC-020 reports that
    first = site.addresses.get(target)
    is_first = is_later_page(page.url, site) and series_of(page.url, site) == target
    if is_first and first is not None and first.readable and first.text_hash != page.facts.text_hash:
        return Finding(
            f"This is a later page of a list, and names the first one ({target}) as its canonical address. Search "
            f"engines therefore ignore the entries that only this page lists. Name {page.url} itself.",
            {"canonical": target, "kind": "later_page", "shared": None},
        )
    share = site.once(other_texts).get(page.url)
    if share is None:
        return None
    assert first is not None
    return Finding(
        f"The canonical address {target} has another text ({counted(first.own_words, 'word')}, hardly any of them on "
        "this page). Search engines show it instead of this page, although it cannot replace this page. Name "
        f"{page.url} itself.",
        {"canonical": target, "kind": "other_text", "shared": round(share, 3)},
    )


RULE = Rule(
    id="SEO-TEC-044",
    title="Canonical address leads to a page with a different text",
    category="TEC",
    severity="high",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=15,
    effort="low",
    writable_field="canonical",
    what="The page names another page of the website as canonical, and that page has another title, another main "
    f"heading and another text. The texts share at most {MOST_SHARED:.0%} of their sequences of "
    f"{spelled(WORDS_PER_RUN)} words. Or the page is a later page of a list and names the first page.",
    why="The page asks search engines to show the other page instead. If they do, nobody can find this page's content "
    "or the entries that it lists.",
    fix="Let the page name its own address. Usually a template writes a fixed address, or the address of the folder.",
    advice={
        "later_page": "Let each page of the list name its own address.",
        "other_text": "Let the page name its own address.",
    },
    not_when="Addresses that differ only in their parameters, and texts too short to compare, are not judged. If the "
    "target is broken, redirects or is not indexable, SEO-TEC-014 to SEO-TEC-017 report it. If nearly all pages name "
    "the same address, SEO-TEC-020 reports it.",
    source="Search engines' documentation on canonical addresses and pagination. This service set the limit of "
    f"{MOST_SHARED:.0%}.",
    page_check=check,
    cause=("template",),
)
