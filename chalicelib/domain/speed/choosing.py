"""Chooses the pages to test each week: pages that were found slow, the home page, and one page of each template."""

from collections.abc import Iterable, Mapping
from typing import Final

from chalicelib.domain.agentic import Strategy
from chalicelib.domain.audit.records import PageRow

MOST_PAGES: Final = 20

Test = tuple[str, Strategy]


def weekly_tests(
    home_url: str,
    rows: Iterable[PageRow],
    *,
    most: int,
    clicks: Mapping[str, int] | None = None,
    listed: Mapping[str, float] | None = None,
) -> list[Test]:
    """Choose the tests to make, the most important first: at most 20 pages and ``most`` tests.

    1. Pages with a finding about speed. The pages whose last test is the oldest come first.
    2. The home page, on a phone and on a desktop. The budget always has room for the home page.
    3. The page with most clicks of each template, on a phone. Without search data, it is the page with most in-links.
       Pages without a template count as one template.

    - ``rows``: the rows of the published pages.
    - ``listed``: the pages with a finding about speed: address -> time of the page's last test.
    """
    best: dict[str | None, tuple[int, int, str]] = {}
    again: list[tuple[float, str]] = []
    for row in rows:
        if row.url == home_url or row.status != 200 or not row.indexable:
            continue
        if listed is not None and row.url in listed:
            again.append((listed[row.url], row.url))
        found = ((clicks or {}).get(row.url, 0), row.inlinks, row.url)
        kept = best.get(row.template)
        if kept is None or _order(found) < _order(kept):
            best[row.template] = found
    of_home: list[Test] = [(home_url, "mobile"), (home_url, "desktop")]
    room = min(MOST_PAGES - 1, max(0, most - len(of_home)))
    first = [url for _, url in sorted(again)][:room]
    of_templates = [url for _, _, url in sorted(best.values(), key=_order)]
    others = [url for url in of_templates if url not in first][: MOST_PAGES - 1 - len(first)]
    tests: list[Test] = [*_phones(first), *of_home, *_phones(others)]
    return tests[: max(0, most)]


def _phones(urls: Iterable[str]) -> list[Test]:
    return [(url, "mobile") for url in urls]


def _order(page: tuple[int, int, str]) -> tuple[int, int, str]:
    clicks, inlinks, url = page
    return -clicks, -inlinks, url
