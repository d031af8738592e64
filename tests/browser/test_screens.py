"""Every screen: it is shown, also without scripts, it can be used by all, it fits, and it asks nobody else."""

import re
from typing import Any, Final, NamedTuple

import pytest

from chalicelib.web.routing import Route
from tests.browser import finding
from tests.browser.finding import AWAITED, SCREENS, SHOWN
from tests.browser.service import Service
from tests.browser.watching import HEIGHT, WIDTHS, Tab

WORDS: Final = ("main h2", "main th", "main label", "main button")
LED: Final = "all => all.map((one) => one.href || one.action)"
BETWEEN: Final = (360, 600, 768, 900, 1024, 1121, 1280)  # widths between and below those of ``WIDTHS``
FITS: Final = "() => document.documentElement.scrollWidth - innerWidth"
CUT: Final = "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.id || one.innerText)"
RULES: Final = """async (only) => {
  const told = {resultTypes: ["violations"], selectors: false, preload: false};
  const found = await axe.run(only.length ? {...told, runOnly: only} : told);
  return found.violations.map((one) => one.id + ": " + one.nodes.map((node) => node.html).slice(0, 3).join(" "));
}"""
# A dark screen differs from a light one in colours alone, as a test below makes sure.
ABOUT: Final[dict[str, list[str]]] = {"light": [], "dark": ["color-contrast", "link-in-text-block"]}
DARK: Final = re.compile(r"@media [^{]*prefers-color-scheme: dark[^{]*\{(.*?\})\s*\}", re.DOTALL)
DECLARED: Final = re.compile(r"([\w-]+)\s*:\s*([^;{}]+);")
COLOUR: Final = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})")


class Screen(NamedTuple):
    """A screen as it was opened with scripts. ``words``: the texts of each of ``WORDS``."""

    path: str
    status: int
    heading: str
    words: list[list[str]]
    tab: Tab


def words(tab: Tab) -> list[list[str]]:
    return [tab.page.locator(which).all_inner_texts() for which in WORDS]


@pytest.fixture(scope="module", params=SHOWN, ids=lambda route: route.screen)
def screen(request: pytest.FixtureRequest, crawled: dict[str, str], looking: tuple[Tab, Tab]) -> Screen:
    """Each screen once, for all tests about it."""
    route: Route = request.param
    path = next((one for one in crawled.values() if finding.route_of(one) == route), None)
    if path is None:
        pytest.fail(f"nothing leads to {route.path}", pytrace=False)
    tab, _ = looking
    tab.forget()
    status = tab.open(path).status
    return Screen(path, status, tab.heading(), words(tab), tab)


def test_each_screen_is_accessible_and_fits_every_width(
    screen: Screen, service: Service, crawled: dict[str, str], axe: str
) -> None:
    tab, wrong = screen.tab, {}
    assert screen.status == 200
    assert screen.heading
    tab.page.evaluate(axe)
    for width in WIDTHS:
        tab.page.set_viewport_size({"width": width, "height": HEIGHT})
        for scheme, rules in ABOUT.items():
            tab.page.emulate_media(color_scheme=scheme)
            if found := tab.page.evaluate(RULES, rules):
                wrong[f"{width} {scheme}"] = found
        if (beyond := tab.page.evaluate(FITS)) > 0:
            wrong[f"{width}"] = f"{beyond} pixels too wide"
        if cut := tab.page.eval_on_selector_all("main .card", CUT):
            wrong[f"cards at {width}"] = cut
    assert wrong == {}
    led = [finding.below(service, one) for one in tab.page.eval_on_selector_all(finding.LEADING, LED)]
    assert {finding.shape(one) for one in led if one is not None} <= crawled.keys()
    tab.check()


def test_no_column_is_cut_off_at_widths_of_tablets_and_small_windows(screen: Screen) -> None:
    page, wrong = screen.tab.page, {}
    for width in BETWEEN:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        beyond, cut = page.evaluate(FITS), page.eval_on_selector_all("main .card, main td", CUT)
        if beyond > 0 or cut:
            wrong[width] = (beyond, cut)
    assert wrong == {}


def test_each_screen_shows_the_same_words_without_scripts(screen: Screen, looking: tuple[Tab, Tab]) -> None:
    _, plain = looking
    plain.forget()
    assert screen.status == plain.open(screen.path).status == 200
    assert (plain.heading(), words(plain)) == (screen.heading, screen.words)
    plain.check()


def test_dark_mode_changes_only_colours() -> None:
    for sheet in (SCREENS.parent / "static").glob("*.css"):
        for block in DARK.findall(sheet.read_text(encoding="utf-8")):
            declared = DECLARED.findall(block.replace("}", ";}"))
            assert declared
            assert {name for name, _ in declared if not name.startswith("--")} <= {"color"}
            assert {value for _, value in declared if not COLOUR.fullmatch(value)} == set()


def test_every_link_to_a_screen_matches_a_route(crawled: dict[str, str]) -> None:
    nowhere = {shape for shape, path in crawled.items() if finding.route_of(path) is None}
    assert nowhere - {"static/{}"} <= AWAITED
    assert not {shape for shape in AWAITED if finding.route_of(shape.replace("{}", "x")) is not None}


def test_every_link_to_the_app_in_an_api_answer_opens_a_screen(
    linked: dict[str, str], looking: tuple[Tab, Tab], service: Service
) -> None:
    asked = looking[0].page.context.request
    made = {path: f"{service.app}/{path}".rstrip("/") for shape, path in linked.items() if shape not in AWAITED}
    assert made
    assert {path: status for path, url in made.items() if (status := asked.get(url).status) != 200} == {}


def test_after_signing_in_the_linked_screen_opens(linked: dict[str, str], service: Service, opened: Any) -> None:
    tab = opened()
    path = next(path for path in linked.values() if path and finding.route_of(path) is not None)
    tab.open(f"{path}?from=mail")
    assert tab.heading() == "Sign in"
    assert tab.page.input_value("input[name=next]") == f"/app/{path}?from=mail"
    tab.check()
