"""SEO-CON-003: a page whose text is nearly that of another."""

from typing import NamedTuple

from chalicelib.domain.page.text import HASHES_KEPT, LEAST_SHARED, MIN_WORDS_TO_COMPARE, WORDS_PER_RUN
from chalicelib.rules.con.seo_con_002_exact_duplicate import same_texts
from chalicelib.rules.context import Page, Site
from chalicelib.rules.duplicates import OTHERS_SHOWN, unit_of
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, part, spelled


class Alike(NamedTuple):
    """Other pages that say nearly the same, most alike first: (share of the text in common, address)."""

    others: tuple[tuple[float, str], ...]


def near_duplicates(site: Site) -> dict[str, Alike]:
    """Competing pages with nearly the same text, by address. Pages with exactly the same text stand for each other."""
    from chalicelib.domain.page import shingles  # brings numpy along

    chosen: dict[object, str] = {}
    for address in sorted(site.indexable(), key=lambda address: (len(address.url), address.url)):
        if address.sketch and address.canonical_is_self:
            chosen.setdefault(address.text_hash or address.url, address.url)
    pages = sorted(chosen.values())
    units = [unit_of(site.addresses[url], site) for url in pages]
    found: dict[str, list[tuple[float, str]]] = {}
    for one, other, share in shingles.pairs([site.addresses[url].sketch for url in pages]):
        if units[one] != units[other]:
            found.setdefault(pages[one], []).append((-share, pages[other]))
            found.setdefault(pages[other], []).append((-share, pages[one]))
    return {url: Alike(tuple((-share, other) for share, other in sorted(others))) for url, others in found.items()}


def check(page: Page, site: Site) -> PageVerdict:
    alike = site.once(near_duplicates).get(page.url)
    if alike is None or page.url in site.once(same_texts):
        return None  # the same text word for word is SEO-CON-002
    share, other = alike.others[0]
    more = len(alike.others) - 1
    others = f", and nearly that of {counted(more, 'more page')}" if more else ""
    return Finding(
        f"{min(99, int(share * 100))}% of the text is that of {other}{others}. Make one page of them and redirect the "
        "other, name one as canonical, or write what only this page can say.",
        {
            "others": [{"url": url, "share": round(part, 3)} for part, url in alike.others[:OTHERS_SHOWN]],
            "count": len(alike.others),
            "words": page.facts.words,
        },
    )


RULE = Rule(
    id="SEO-CON-003",
    title="Near-duplicate page",
    category="CON",
    severity="medium",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=10,
    effort="high",
    writable_field="canonical",
    what=f"The main text shares at least {part(LEAST_SHARED)} of its runs of {spelled(WORDS_PER_RUN)} words with the "
    "main text of another page that may be indexed.",
    why="Search engines show one of such pages and leave the others out, and not always the one you want. Links and "
    "visits are split between them.",
    fix="Merge the pages and redirect the weaker one, or name one as canonical for all. Pages for places or variants "
    "need something of their own: opening hours, prices, pictures, questions that people ask there.",
    not_when="Pages with exactly the same text are reported by SEO-CON-002. Texts of fewer than "
    f"{MIN_WORDS_TO_COMPARE} words, pages that name another one as canonical, the pages of one paginated series and "
    f"language versions that name each other are left out. Of very long texts a sample of {HASHES_KEPT:,} runs is "
    "compared, which is exact to about one per cent.",
    source=f"Jaccard index of {LEAST_SHARED} on shingles of {spelled(WORDS_PER_RUN)} words, as other audit tools set "
    f"it ({LEAST_SHARED:.0%}).",
    page_check=check,
)
