"""The portfolio: filtered and sorted by its address, and empty in its own words."""

import pytest

from chalicelib.api import portfolio
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House
from tests.web.conftest import Browser


def test_a_filter_without_matches_says_so(house: House, browser: Browser) -> None:
    assert "No website matches" in browser.get("/app?q=nowhere-at-all").main


def test_a_second_click_on_a_column_reverses_the_order(house: House, browser: Browser) -> None:
    for sort, heard in (("-score", "descending"), ("score", "ascending")):
        head = browser.get(f"/app?sort={sort}").dom.css_first(f'th[aria-sort="{heard}"] a')
        other = "score" if sort == "-score" else "-score"
        assert head is not None
        assert f"sort={other}" in (head.attributes["href"] or "")


@pytest.mark.parametrize("sort", portfolio.SORTS)
def test_every_sort_order_of_the_api_is_a_column(house: House, browser: Browser, sort: str) -> None:
    seed.settled(house.site)
    screen = browser.get(f"/app?sort={sort}")
    heard = screen.dom.css_first("th[aria-sort]")
    assert heard is not None
    assert heard.attributes["aria-sort"] == ("descending" if sort.startswith("-") else "ascending")
    listed = {row["id"]: row for row in Client(house.key).get(f"/portfolio?sort={sort}").json["websites"]}
    shown = [one.attributes["href"].rpartition("/")[2] for one in screen.dom.css("#websites a.title")]  # type: ignore[union-attr]
    assert shown == list(listed)
    column = heard.text().strip()
    for row, site in zip(screen.dom.css("#websites tbody tr"), listed.values(), strict=True):
        cell = row.css_first(f'td[data-label="{column}"]')
        known = {"Pages": site["lastAudit"] and f"{site['lastAudit']['pagesCrawled']:,}"}
        assert cell is not None or column == "Website"
        assert column not in known or (cell is not None and cell.text().strip() == (known[column] or "–"))
