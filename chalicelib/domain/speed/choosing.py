"""Which pages are tested each week: the home page, and one of each template."""

from collections.abc import Iterable, Mapping
from typing import Final

from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.speed.agentic import Strategy

MOST_PAGES: Final = 20

Test = tuple[str, Strategy]


def weekly_tests(
    home_url: str, rows: Iterable[PageRow], *, most: int, clicks: Mapping[str, int] | None = None
) -> list[Test]:
    """What to test, the most important first: the home page on a phone and on a desktop, then of each template the page
    with most clicks (without search data, the one that most pages link) on a phone. 20 pages and ``most``
    tests at most.

    ``rows``: of the published pages. Those without a template count as one.
    """
    best: dict[str | None, tuple[int, int, str]] = {}
    for row in rows:
        if row.url == home_url or row.status != 200 or not row.indexable:
            continue
        found = ((clicks or {}).get(row.url, 0), row.inlinks, row.url)
        kept = best.get(row.template)
        if kept is None or _order(found) < _order(kept):
            best[row.template] = found
    pages = [url for _, _, url in sorted(best.values(), key=_order)][: MOST_PAGES - 1]
    tests: list[Test] = [(home_url, "mobile"), (home_url, "desktop"), *((url, "mobile") for url in pages)]
    return tests[: max(0, most)]


def _order(page: tuple[int, int, str]) -> tuple[int, int, str]:
    clicks, inlinks, url = page
    return -clicks, -inlinks, url
