"""Every screen: it is shown, also without scripts, it can be used by all, it fits, and it asks nobody else."""

from typing import Any

import pytest

from chalicelib.web.routing import Route
from tests.browser import finding
from tests.browser.finding import AWAITED, SHOWN
from tests.browser.service import Service
from tests.browser.watching import WIDTHS, Tab

every = pytest.mark.parametrize("route", SHOWN, ids=lambda route: route.screen)
FITS = "() => document.documentElement.scrollWidth - innerWidth"
RULES = """async () => (await axe.run()).violations.map(
  (found) => found.id + ": " + found.nodes.map((one) => one.html).slice(0, 3).join(" "))"""


@pytest.fixture
def path(route: Route, crawled: dict[str, str]) -> str:
    """An address of the screen."""
    for one in crawled.values():
        if finding.route_of(one) == route:
            return one
    pytest.fail(f"nothing leads to {route.path}", pytrace=False)


@every
def test_a_screen_can_be_used_by_all_and_fits(path: str, tab: Tab, axe: str) -> None:
    wrong: dict[str, Any] = {}
    assert tab.open(path).status == 200
    assert tab.heading()
    tab.page.evaluate(axe)
    for width in WIDTHS:
        tab.page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            tab.page.emulate_media(color_scheme=scheme)
            if found := tab.page.evaluate(RULES):
                wrong[f"{width} {scheme}"] = found
        if (beyond := tab.page.evaluate(FITS)) > 0:
            wrong[f"{width}"] = f"{beyond} pixels too wide"
    assert wrong == {}
    tab.check()


@every
def test_a_screen_says_the_same_without_scripts(path: str, tab: Tab, plain_tab: Tab) -> None:
    for one in (tab, plain_tab):
        assert one.open(path).status == 200
    assert plain_tab.heading() == tab.heading()
    for what in ("main h2", "main th", "main label", "main button"):
        assert plain_tab.page.locator(what).all_inner_texts() == tab.page.locator(what).all_inner_texts()
    plain_tab.check()


def test_no_address_leads_to_a_screen_that_is_not_there(crawled: dict[str, str]) -> None:
    nowhere = {shape for shape, path in crawled.items() if finding.route_of(path) is None}
    assert nowhere - {"static/{}"} <= AWAITED
    assert not {shape for shape in AWAITED if finding.route_of(shape.replace("{}", "x")) is not None}


def test_every_link_of_an_answer_opens_its_screen(linked: dict[str, str], tab: Tab) -> None:
    made = {shape: path for shape, path in linked.items() if shape not in AWAITED}
    assert made
    assert {shape: status for shape, path in made.items() if (status := tab.open(path).status) != 200} == {}


def test_a_link_opens_its_screen_after_signing_in(linked: dict[str, str], service: Service, opened: Any) -> None:
    tab = opened()
    path = next(path for path in linked.values() if path and finding.route_of(path) is not None)
    tab.open(f"{path}?from=mail")
    assert tab.heading() == "Sign in"
    assert tab.page.input_value("input[name=next]") == f"/app/{path}?from=mail"
    tab.check()
