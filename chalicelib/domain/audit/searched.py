"""Search figures by page. The module finds the page to which the figures of an address belong, and computes how much
the affected pages of an issue matter."""

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Final, NamedTuple

from chalicelib.domain.audit import score as scoring
from chalicelib.domain.audit.records import AffectedPage, PageRow
from chalicelib.domain.crawl import urls
from chalicelib.domain.search.addresses import page_key
from chalicelib.domain.search.figures import Figures

Searched = Mapping[str, Figures]
NOT_SHOWN: Final = Figures()


def by_page(
    searched: Searched, host: str, known: Container[str], others: Callable[[], Iterable[str]]
) -> dict[str, Figures]:
    """Sum search figures per page of the website.

    - ``searched``: figures by normalised address.
    - ``host``: the website's host key. Addresses of other hosts are left out.

    A ``known`` address gets its own figures. Another address is matched to the first of ``others`` that differs only in
    scheme, ``www.`` or the last slash. For example, the http address of a page is matched after the website has moved
    to https. An address without a match is kept as a separate page.
    """
    found: dict[str, Figures] = {}
    spellings: dict[str, str] | None = None
    for url, figures in searched.items():
        if not urls.same_site(url, host):
            continue
        if url not in known:
            if spellings is None:
                spellings = _spellings(others())
            url = spellings.get(page_key(url), url)
        found[url] = found.get(url, NOT_SHOWN) + figures
    return found


def _spellings(known: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for url in known:
        found.setdefault(page_key(url), url)
    return found


class Weight(NamedTuple):
    """How much the affected pages matter to their website.

    - ``importance``: their share of the website's clicks in 28 days, 0 to 1. If no click is known, it is their share of
      in-links.
    - ``impressions``: their impressions in 28 days; None without search data.
    """

    importance: float
    impressions: int | None


class Weights:
    """Computes the weight of affected pages. ``rows``: all published pages. ``searched``: the result of ``by_page``;
    None without search data."""

    def __init__(self, rows: Iterable[PageRow], searched: Searched | None) -> None:
        self._searched = searched
        self._clicks = sum(figures.clicks for figures in (searched or {}).values())
        self._inlinks = {} if self._clicks else {row.id: row.inlinks for row in rows}
        self._all_inlinks = sum(self._inlinks.values())

    def of(self, affected: Iterable[AffectedPage]) -> Weight:
        clicks = impressions = inlinks = 0
        for page in affected:
            figures = (self._searched or {}).get(page.url, NOT_SHOWN)
            clicks += figures.clicks
            impressions += figures.impressions
            inlinks += self._inlinks.get(page.page_id, 0)
        share = (clicks, self._clicks) if self._clicks else (inlinks, self._all_inlinks)
        return Weight(scoring.importance(*share), None if self._searched is None else impressions)
