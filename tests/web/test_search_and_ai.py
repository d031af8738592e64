"""Search, topics, conversions, AI visibility and readiness, speed: the API's numbers, and what is not connected."""

from datetime import timedelta

import pytest

from chalicelib.web.rendering import number, percent
from tests.api import seed
from tests.api.conftest import House
from tests.api.test_visibility import answer, prompt, prompts, stored
from tests.topics import Shown, connect, imported, today
from tests.web.conftest import Browser, viewer


def path(house: House, screen: str) -> str:
    return f"/app/sites/{house.site.id}/{screen}"


@pytest.mark.parametrize(("screen", "kind"), [("search", "search"), ("topics", "search"), ("analytics", "analytics")])
def test_a_missing_connection_says_how_to_create_it(house: House, browser: Browser, screen: str, kind: str) -> None:
    assert f"/app/sites/{house.site.id}/connections#{kind}" in browser.get(path(house, screen)).text
    shown = viewer(house, house.site.id).get(path(house, screen)).main
    assert "manage.py" not in shown and "can connect it" in shown


@pytest.mark.parametrize(("screen", "way"), [("performance", "speed run"), ("agentic", "speed run")])
def test_without_a_test_the_screen_says_how_to_start_one(house: House, browser: Browser, screen: str, way: str) -> None:
    assert f"manage.py {way} {house.site.host}" in browser.get(path(house, screen)).main


def test_queries_and_pages_show_the_numbers_of_the_api_rows(house: House, browser: Browser) -> None:
    connect(house.site)
    last = today() - timedelta(3)
    rows = [Shown("<b>boots</b>", "https://acme.example/boots", 3, 40)]
    imported(house.site, {last - timedelta(at): rows for at in range(28)})
    period = f"from={last - timedelta(27)}&to={last}"
    pairs = browser.get(f"{path(house, 'search')}?{period}&dimension=query_page")
    assert "<b>boots</b>" in pairs.main and not pairs.dom.css("main td b")
    pages = browser.get(f"{path(house, 'search')}?{period}&dimension=page")
    cells = [cell.text().strip() for cell in pages.dom.css("#rows tbody td")]
    assert cells[:4] == ["/boots", number(84), number(28 * 40), percent(3 / 40)]
    file = browser.get(f"{path(house, 'search')}?{period}&dimension=page&as=csv")
    assert file.text.lstrip("\ufeff").startswith("page,")


@pytest.mark.parametrize("sent", ["from=2026-13-01&to=2026-11-01", "from=2026-11-02&to=2026-11-01", "country=nowhere"])
def test_an_invalid_search_filter_shows_an_error_message(house: House, browser: Browser, sent: str) -> None:
    connect(house.site)
    shown = browser.get(f"{path(house, 'search')}?{sent}")
    assert shown.status == 200 and shown.dom.css("#rows .state")


def test_a_screen_of_sixteen_months_of_search_data_stays_small(house: House, browser: Browser) -> None:
    connect(house.site)
    last = today() - timedelta(3)
    shown = browser.get(f"{path(house, 'search')}?from={last - timedelta(480)}&to={last}")
    assert shown.status == 200 and len(shown.text.encode()) <= 80_000


def test_a_week_shows_which_assistants_named_and_cited_the_website(house: House, browser: Browser) -> None:
    prompts(house, prompt(1))
    week = stored(house, [answer(1, named=True), answer(1)])
    shown = browser.get(path(house, "ai-visibility"))
    assert week in shown.main and percent(0.5) in shown.main and "beta.example" in shown.main


def test_readiness_shows_the_results_of_the_last_audit(house: House, browser: Browser) -> None:
    assert "Not known yet" in browser.get(path(house, "ai-readiness")).main
    seed.settled(house.site)
    shown = browser.get(path(house, "ai-readiness"))
    assert "Not known yet" not in shown.main and "Name, address, telephone" in shown.main
