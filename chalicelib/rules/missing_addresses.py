"""Finds addresses that no longer exist, and the page to which each should redirect.

Only addresses that pages link to or that search shows are listed.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from chalicelib.domain.audit.records import AffectedPage, PageRow
from chalicelib.domain.audit.searched import NOT_SHOWN, Searched
from chalicelib.domain.changes.missing_addresses import Missing, Offered
from chalicelib.domain.changes.redirecting import GONE
from chalicelib.domain.crawl.urls import same_site
from chalicelib.suggestions import redirects
from chalicelib.suggestions.redirects import MOST_TEXTS, Gone

LISTED_BY: Final = "SEO-TEC-004"  # the rule that lists linked addresses which answer 4xx
LINKED_BY: Final = "SEO-LNK-001"  # the rule that lists the pages with such links
MOST: Final = 1_000  # addresses, the most valuable first
MOST_LINKING: Final = 5  # linking pages that are named for each address


def missing(
    rows: Iterable[PageRow],
    listed: Iterable[AffectedPage],
    linking: Iterable[AffectedPage],
    searched: Searched | None,
    host: str,
) -> list[Missing]:
    """Return the missing addresses, the most valuable first: by clicks, then links, then impressions.

    - ``rows``: rows of the published pages.
    - ``listed``: the addresses that answer 4xx although pages link to them. The rule ``LISTED_BY`` lists them.
    - ``linking``: the pages with links to such addresses. The rule ``LINKED_BY`` lists them.
    - ``searched``: search figures of each page, None without search data.
    - ``host``: the website's host key.
    """
    evidence = {page.url: page.evidence for page in listed}
    links = _links(linking)
    found = []
    for row in rows:
        if row.status not in GONE or not same_site(row.url, host):
            continue
        figures = (searched or {}).get(row.url, NOT_SHOWN)
        pages, texts = links.get(row.url, ((), ()))
        said = evidence.get(row.url, {})
        count = max(row.inlinks, _count(said.get("linkingPages")), len(pages))
        if not count and not figures.impressions:
            continue
        named = list(dict.fromkeys([*_texts(said.get("linkedFrom")), *pages]))[:MOST_LINKING]
        shown = (figures.clicks, figures.impressions)
        found.append(Missing(row.url, row.status, count, named, texts, *shown, row.last_crawled))
    found.sort(key=lambda one: (-one.clicks, -one.links, -one.impressions, one.url))
    return found[:MOST]


def offered(
    wanted: Sequence[Missing],
    rows: Iterable[PageRow],
    queries: Mapping[str, Sequence[str]],
    home: str,
    known: Iterable[Offered] = (),
) -> list[Offered]:
    """Return each missing address with the page to which it should redirect, if there is such a page.

    - ``wanted``: missing addresses, the most valuable first.
    - ``queries``: the search queries that found each address.
    - ``home``: the home page's address.
    - ``known``: earlier proposals. A proposal is kept as long as its page may be the target of a redirect.
    """
    fit = {row.url: row.title for row in rows if row.status == 200 and row.indexable and not row.redirects}
    fit.pop(home, None)
    kept = {one.missing.url: one for one in known if one.target is None or one.target in fit}
    gone = [Gone(one.url, one.texts, queries.get(one.url, ())) for one in wanted if one.url not in kept]
    found = redirects.proposals(gone, (redirects.Page(url, title) for url, title in fit.items())) if gone else {}
    return [
        msgspec.structs.replace(kept[one.url], missing=one)
        if one.url in kept
        else Offered(one, *found.get(one.url, ()))
        for one in wanted
    ]


def _links(linking: Iterable[AffectedPage]) -> Mapping[str, tuple[Sequence[str], Sequence[str]]]:
    """Return the linking pages and the texts of the links, for each linked address that does not work."""
    pages: dict[str, list[str]] = defaultdict(list)
    texts: dict[str, dict[str, int]] = defaultdict(dict)
    for page in linking:
        targets = page.evidence.get("targets")
        for target in targets if isinstance(targets, list) else ():
            url = target.get("url") if isinstance(target, Mapping) else None
            if not isinstance(url, str):
                continue
            if len(pages[url]) < MOST_LINKING:
                pages[url].append(page.url)
            text = target.get("text")
            if isinstance(text, str) and text:
                texts[url][text] = texts[url].get(text, 0) + 1
    return {
        url: (found, sorted(texts[url], key=lambda text: (-texts[url][text], text))[:MOST_TEXTS])
        for url, found in pages.items()
    }


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
