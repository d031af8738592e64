"""SEO-CON-002: pages with exactly the same text."""

import re
from typing import Final

from chalicelib.domain.page.text import MIN_WORDS_TO_COMPARE
from chalicelib.rules.context import Page, Site
from chalicelib.rules.duplicates import Group, groups
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted

_SLASHES: Final = re.compile(r"(?<!:)//+")


def same_texts(site: Site) -> dict[str, Group]:
    """Group the pages that compete in search because they have the same main text. Pages with fewer than 50 words are
    in no group, because they have no fingerprint."""
    return groups(site, lambda address: address.text_hash)


def repeats_another(page: Page, site: Site) -> bool:
    """Whether the page repeats the text of another page. If it does, its faults are reported only at that other
    page."""
    group = site.once(same_texts).get(page.url)
    return group is not None and page.url != min(group.members, key=lambda url: (len(url), url))


def check(page: Page, site: Site) -> PageVerdict:
    group = site.once(same_texts).get(page.url)
    if group is None:
        return None
    others = group.others(page.url)
    advice = (
        "the addresses differ only in double slashes. Correct the links that have them, and redirect to the address "
        "without them."
        if page.url in site.once(differing_in_slashes)
        else "keep one, and redirect the others to it or name it as their canonical address."
    )
    return Finding(
        f"The main text is the same, word for word, on {counted(len(group.members) - 1, 'other page')}, such as "
        f"{others[0]}; {advice}",
        {"pages": len(group.members), "others": others, "words": page.facts.words},
    )


def differing_in_slashes(site: Site) -> frozenset[str]:
    """Return the copies whose addresses differ only in double slashes, which one wrong link gives to many addresses."""
    found = {id(group): group.members for group in site.once(same_texts).values()}
    return frozenset(url for urls in found.values() if len(set(map(_without_double, urls))) == 1 for url in urls)


def _without_double(url: str) -> str:
    path, mark, query = url.partition("?")
    return _SLASHES.sub("/", path) + mark + query


RULE = Rule(
    id="SEO-CON-002",
    title="Exact duplicate page",
    category="CON",
    severity="high",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=30,
    effort="medium",
    writable_field="canonical",
    what="Two or more pages that may be indexed have the same main text, word for word. No page names another of "
    "these pages as its canonical address.",
    why="Of several pages with the same text, search engines choose one and hide the others. Links and ranking signals "
    "are split between the pages.",
    fix="Decide which address should be found. Redirect the other addresses to it, or name it as their canonical "
    "address.",
    not_when=f"Texts below {MIN_WORDS_TO_COMPARE} words are not compared. Pages that name another canonical address do "
    "not count. The pages of one paginated series count as one. Language versions that name each other with hreflang "
    "count as one too.",
    source=f"Search engines' documentation on duplicate content. This service set the limit of {MIN_WORDS_TO_COMPARE} "
    "words.",
    page_check=check,
)
