"""The portfolio: filtered and sorted by its address, and empty in its own words."""

from tests.api.conftest import House
from tests.web.conftest import Browser


def test_a_filter_without_a_match_says_so(house: House, browser: Browser) -> None:
    assert "No website matches" in browser.get("/app?q=nowhere-at-all").main


def test_a_second_press_on_a_column_turns_the_order(house: House, browser: Browser) -> None:
    for sort, heard in (("-score", "descending"), ("score", "ascending")):
        head = browser.get(f"/app?sort={sort}").dom.css_first(f'th[aria-sort="{heard}"] a')
        other = "score" if sort == "-score" else "-score"
        assert head is not None
        assert f"sort={other}" in (head.attributes["href"] or "")
