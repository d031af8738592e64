"""The order and alignment of parts on phones, and beside each other on wide screens."""

from playwright.sync_api import Locator

from tests.browser.service import Service, until
from tests.browser.watching import HEIGHT, WIDTHS, Tab

# Where a text begins: a block's box begins further left, under a box that floats.
_LEFT = (
    "one => { const range = document.createRange(); range.selectNodeContents(one); return range.getClientRects()[0].x }"
)


def at(tab: Tab, width: int, path: str) -> None:
    tab.page.set_viewport_size({"width": width, "height": HEIGHT})
    tab.open(path)


def top(part: Locator) -> float:
    box = part.bounding_box()
    assert box is not None
    return box["y"]


def test_the_lines_about_a_redirect_are_aligned_at_their_left_edge(service: Service, tab: Tab) -> None:
    until(lambda: not service.running, "no audit runs")
    for width in WIDTHS:
        at(tab, width, f"sites/{service.site_id}/redirects")
        cell = tab.page.locator("#addresses tbody tr").first.locator("td:nth-child(2)")
        left = cell.locator("a.mono").evaluate(_LEFT)
        lines = cell.locator("> .faint").all()
        assert len(lines) == 2
        assert {round(line.evaluate(_LEFT)) for line in lines} == {round(left)}


def test_on_a_phone_an_issue_is_explained_above_its_pages(service: Service, tab: Tab) -> None:
    until(lambda: not service.running, "no audit runs")
    issues = service.read(f"/sites/{service.site_id}/issues?status=open,reopened")["issues"]
    issue = next(one for one in issues if one["affectedPages"] > 1)
    wide, narrow = WIDTHS
    what, rest, fix = (
        tab.page.locator(f"main {part}") for part in (".why", ".why + *", ".card:has(h2:text-is('How to fix it'))")
    )
    at(tab, wide, f"sites/{service.site_id}/issues/{issue['id']}")
    assert top(what) == top(rest)
    assert top(fix) - top(what) < what.bounding_box()["height"] + 20, "the next card follows without a gap"
    at(tab, narrow, f"sites/{service.site_id}/issues/{issue['id']}")
    assert top(what) < top(rest) < top(fix)
    tab.check()


def test_a_table_that_is_wider_than_its_card_can_be_scrolled(service: Service, tab: Tab) -> None:
    at(tab, 1024, "")
    card = tab.page.locator("#websites")
    card.locator("tbody td.num").first.evaluate("one => one.style.minWidth = '2000px'")
    assert card.evaluate("one => one.scrollWidth > one.clientWidth")
    assert card.evaluate("one => getComputedStyle(one).overflowX") == "auto"
    assert tab.page.evaluate("document.documentElement.scrollWidth") == 1024
    tab.check()
