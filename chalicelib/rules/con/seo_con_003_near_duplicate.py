"""SEO-CON-003: a page whose text is nearly the same as that of another page."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote

from chalicelib.domain.page.text import (
    HASHES_KEPT,
    LEAST_SHARED,
    MIN_WORDS_TO_COMPARE,
    REPEATED_PAGES,
    REPEATED_SHARE,
    WORDS_PER_RUN,
    fold,
    tidy,
)
from chalicelib.rules.con.seo_con_002_exact_duplicate import same_texts
from chalicelib.rules.context import Address, Page, Site
from chalicelib.rules.duplicates import OTHERS_SHOWN, text_of, unit_of
from chalicelib.rules.listings import LEAST_LINKS, LINKED_SHARE, WORDS_PER_LINK, is_listing
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.series import is_later_page
from chalicelib.rules.website_titles import shared_title
from chalicelib.rules.wording import counted, part, spelled
from chalicelib.suggestions.title_parts import without_names

_LEAST_RUNS: Final = MIN_WORDS_TO_COMPARE - WORDS_PER_RUN + 1
_QUOTED: Final = 120
_NEARLY_AS_MANY: Final = 3  # times as many links are needed to prefer a page to one with a shorter address
# The number of a release in the last part of an address: 3_20_1, v2.4.0.
_RELEASE: Final = re.compile(r"\d{1,4}(?:[._-]\d{1,4}){1,5}")
_ENDING: Final = re.compile(r"\.[a-z]{3,5}$", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+")
_INDEX_FILE: Final = re.compile(r"/(?:index|default|home)\.[a-z]{3,5}(?=$|\?)", re.IGNORECASE)


class Alike(NamedTuple):
    """Other pages with nearly the same text, most similar first, each as (Jaccard index of the texts, address).

    ``keep``: which of the other pages and this page should stay in search results.
    """

    others: tuple[tuple[float, str], ...]
    keep: str


def near_duplicates(site: Site) -> dict[str, Alike]:
    """Find the pages with nearly the same text among those that may appear in search results. Returns, by address, the
    other pages whose text is nearly the same. "Text" is a page's own text, without text that many pages repeat.

    Of several pages with exactly the same text, only one is compared.
    """
    from chalicelib.domain.page import shingles  # imports numpy

    chosen: dict[str, Address] = {}
    for address in sorted(site.indexable(), key=lambda address: (len(address.url), address.url)):
        if address.sketch and address.canonical_is_self and not address.listing and not _leads_on(address, site):
            chosen.setdefault(text_of(address), address)
    pages = sorted(chosen.values(), key=lambda address: address.url)
    samples = site.own_text.samples(pages)
    long_enough = [position for position, sample in enumerate(samples) if len(sample.hashes) >= _LEAST_RUNS]
    pages, samples = [pages[position] for position in long_enough], samples.at(long_enough)
    units = [unit_of(address, site) for address in pages]
    found: dict[str, list[tuple[float, str]]] = {}
    for one, other, share in shingles.pairs(samples):
        if units[one] != units[other] and not _are_versions(pages[one], pages[other]):
            found.setdefault(pages[one].url, []).append((-share, pages[other].url))
            found.setdefault(pages[other].url, []).append((-share, pages[one].url))
    keep = _kept(found, site)
    return {
        url: Alike(tuple((-share, other) for share, other in sorted(others)), keep[url])
        for url, others in found.items()
    }


def _leads_on(address: Address, site: Site) -> bool:
    """Whether the page is a list of links with a few words each, or a later page of a list.

    People do not search for such pages, and their entries change.
    """
    return is_later_page(address.url, site) or (address.kind.kind != "archive" and is_listing(address))


def _are_versions(one: Address, other: Address) -> bool:
    """Whether both pages are intended: versions in other languages, or notes on two releases."""
    if one.is_version_of(other):
        return True
    here, there = one.url.rpartition("/"), other.url.rpartition("/")
    if here[0] != there[0] or here[2] == there[2]:
        return False
    first, second = _RELEASE.search(here[2]), _RELEASE.search(there[2])
    if first is None or second is None:
        return False
    return _around(here[2], first) == _around(there[2], second)


def _around(name: str, release: re.Match[str]) -> tuple[str, str]:
    return name[: release.start()], name[release.end() :]


def kept_texts(site: Site) -> dict[str, str]:
    """Return for each page that this rule reports which similar page to keep in search results. Pages are given by
    their main texts: text of the reported page -> text of the page to keep.

    Texts are represented by the keys of ``text_of``.
    """
    return {
        text_of(site.addresses[url]): text_of(site.addresses[alike.keep])
        for url, alike in site.once(near_duplicates).items()
    }


def _kept(found: dict[str, list[tuple[float, str]]], site: Site) -> dict[str, str]:
    """Return the page to keep for each of these pages: the page itself, or a similar page."""
    keep: dict[str, str] = {}
    aliases = _aliases(found, site)
    ranks = {url: _rank(url, url in aliases, site) for url in found}
    for url in sorted(found, key=ranks.__getitem__):
        if url not in keep:
            free = [other for _, other in found[url] if other not in keep]
            chosen = _shortest_of_alike(url, free, ranks)
            keep[chosen] = chosen
            for _, other in found[chosen]:
                keep.setdefault(other, chosen)
    return keep


def _aliases(found: Mapping[str, Sequence[tuple[float, str]]], site: Site) -> set[str]:
    """Return the pages that a wiki shows under a second name: a similar page has their title as its address."""
    named = {url for url in found if _is_named_as_titled(url, site)}
    return {
        url
        for url, others in found.items()
        if url not in named
        and any(other in named and site.addresses[other].title == site.addresses[url].title for _, other in others)
    }


def _is_named_as_titled(url: str, site: Site) -> bool:
    """Whether the last part of the address has the words of the page's title."""
    title = without_names(site.addresses[url].title, site.once(shared_title))
    name = _ENDING.sub("", unquote(url.rstrip("/").rpartition("/")[2]))
    words = _WORD.findall(fold(title))
    return bool(words) and _WORD.findall(fold(name)) == words


def _shortest_of_alike(url: str, others: Sequence[str], ranks: Mapping[str, "Rank"]) -> str:
    """Return the page with the shortest address, from a page and similar ones that rank behind it.

    Similar pages count only if nearly as many pages link them, or if they have the same name in a folder above. Small
    differences in links say nothing, and people are given the address further up.
    """
    best = ranks[url]
    alike = [
        other
        for other in others
        if ranks[other].faults == best.faults
        and (ranks[other].fewer_links * _NEARLY_AS_MANY <= best.fewer_links or _stands_above(other, url))
    ]
    return min([url, *alike], key=lambda url: (ranks[url].characters, ranks[url]))


def _stands_above(url: str, other: str) -> bool:
    """Whether ``url`` has the same file name as ``other``, in a folder above."""
    (folder, _, name), (below, _, same) = url.rpartition("/"), other.rpartition("/")
    return bool(name) and name == same and below.startswith(folder + "/")


class Rank(NamedTuple):
    """A sort key: the page to keep comes first.

    ``faults``: whether the address has each of these faults, in this order:

    - It has parameters.
    - It is missing in the sitemap.
    - It is an index file.
    - It is only a second name of a page: a similar page has the same title, and the last part of that page's address
      consists of the title's words.
    """

    faults: tuple[bool, bool, bool, bool]
    fewer_links: int  # minus the linking pages, except those of its own folder, which link all similar pages
    characters: int
    url: str


def _rank(url: str, alias: bool, site: Site) -> Rank:
    faults = ("?" in url, url not in site.sitemap, _INDEX_FILE.search(url) is not None, alias)
    return Rank(faults, -site.links.from_elsewhere(url), len(url), url)


def check(page: Page, site: Site) -> PageVerdict:
    alike = site.once(near_duplicates).get(page.url)
    if alike is None or page.url in site.once(same_texts):
        return None  # word for word the same text is SEO-CON-002
    named = alike.keep if alike.keep != page.url else alike.others[0][1]
    index = next((index for index, url in alike.others if url == named), alike.others[0][0])
    quote = _shared_text(page, site.addresses[named])
    words = page.address.own_words
    share = _contained(index, words, site.addresses[named].own_words)
    return Finding(
        f"{_percent(share, index)} of this page's own text ({words:,} words) is also on {named}"
        f"{f', such as “{quote}”' if quote else ''}. {_advice(page, named, alike)}",
        {
            "others": [
                {"url": url, "share": _contained(index, words, site.addresses[url].own_words)}
                for index, url in alike.others[:OTHERS_SHOWN]
            ],
            "count": len(alike.others),
            "words": words,
            "keep": alike.keep,
            "shared": quote,
        },
    )


def _contained(index: float, words: int, others: int) -> float:
    """Return the share of a text that another text contains, from their Jaccard index and their numbers of words.

    The share is rounded to three digits. The message is made from the rounded share."""
    return round(min(1.0, index / (1 + index) * (words + others) / words) if words else index, 3)


def _percent(share: float, index: float) -> str:
    """Return the share in words. A text that is not completely equal is never "All"."""
    return "All" if index == 1 else f"{min(99, round(share * 1000) // 10)}%"


def lists_of_posts(url: str, alike: Alike, site: Site) -> bool:
    """Whether all of these pages are lists of posts by tag, category, author or date.

    No such list can be the canonical page of another: new posts will be added to one list and not to the other.
    """
    return all(site.addresses[one].kind.kind == "archive" for one in (url, *(other for _, other in alike.others)))


def _advice(page: Page, named: str, alike: Alike) -> str:
    url = page.url
    more = len(alike.others) - 1
    others = f" ({counted(more, 'more page is', 'more pages are')} nearly the same)" if more else ""
    if lists_of_posts(url, alike, page.site):
        return (
            f"Both pages list the same posts{others}. Set lists that nobody searches for to noindex, or give each "
            "list its own introduction."
        )
    if _have_other_subjects(page.address, page.site.addresses[named], page.site):
        kept, naming = ("this one", "the other page") if alike.keep == url else (named, "this page")
        return (
            f"The pages are named differently{others}: write on each what only this page can say. If one page is "
            f"enough, keep {kept} and name it as canonical on {naming}."
        )
    if alike.keep == url:
        return (
            f"This is the page to keep{others}: let the other page name it as canonical, or change the text of the "
            "other page."
        )
    return f"Keep {named}{others}: name it as canonical on this page, or write what only this page can say."


def _have_other_subjects(one: Address, other: Address, site: Site) -> bool:
    """Whether the titles or main headings of two pages name different subjects, such as two products or places."""
    shared = site.once(shared_title)
    titles = {fold(without_names(address.title, shared)) for address in (one, other)}
    return len(titles) > 1 or (0 != one.heading != other.heading != 0)


def _shared_text(page: Page, other: Address) -> str | None:
    """Return the beginning of the first own paragraph that both pages have."""
    theirs = set(other.paragraphs)
    own = page.site.own_text.paragraphs(page.facts, page.template)
    return next((tidy(text, _QUOTED) for text in own if hash(text) in theirs), None)


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
    what=f"This page and another page that may be indexed share at least {part(LEAST_SHARED)} of the "
    f"{spelled(WORDS_PER_RUN)}-word sequences in their own texts. The message says how much of this page's own text "
    "is also on the other page. Text that many pages of a template repeat (menus, lists, notices) is not a page's own "
    "text.",
    why="Of several pages with nearly the same text, search engines show one, not always the one you want, and hide "
    "the others. Links and visits are split between the pages.",
    fix="Pages on different subjects (two products, places or versions) need content of their own: opening hours, "
    "prices, pictures, questions of visitors. If one page is enough, decide which one people should find; the evidence "
    "names the best candidate. Name this page as canonical on the other pages. "
    "If the pages list the same posts (by tag, category, author or date), set lists that nobody searches for to "
    "noindex. Do not name one list as canonical for the others, because new posts will make the lists differ again.",
    not_when="The following pages are left out:\n"
    "- Pages with exactly the same text. SEO-CON-002 reports them.\n"
    f"- Pages with fewer than {MIN_WORDS_TO_COMPARE} words of their own text.\n"
    "- Pages that name another page as canonical.\n"
    "- The pages of one paginated series, and later pages of a list.\n"
    "- Language versions that hreflang or a language menu names.\n"
    "- Notes on two releases, if their addresses differ only in the release number.\n"
    "- Listings of program code.\n"
    f"- Pages with at least {spelled(LEAST_LINKS)} links, if the links make up {part(LINKED_SHARE)} of the page's "
    f"words, or if the page has at most {spelled(WORDS_PER_LINK)} words per link.\n\n"
    f"Text is not compared if at least {REPEATED_SHARE:.0%} of a template's pages (and at least "
    f"{spelled(REPEATED_PAGES)} pages) have it. For very long texts, the rule compares a sample of {HASHES_KEPT:,} "
    "word sequences; the result is exact to about one per cent.",
    source=f"Jaccard index of {LEAST_SHARED} on shingles of {spelled(WORDS_PER_RUN)} words, as other audit tools set "
    f"it ({LEAST_SHARED:.0%}).",
    page_check=check,
)
