"""Pages, audits and changes: their numbers are the API's, an audit is started and cancelled, and states have words."""

from tests.api import seed
from tests.api.conftest import House
from tests.web.conftest import Browser, viewer


def test_an_audit_can_be_started_with_a_page_budget_and_cancelled(house: House, browser: Browser) -> None:
    path = f"/app/sites/{house.site.id}/audits"
    wrong = browser.submit(browser.get(path), path, pageBudget="many")
    assert wrong.status == 422 and "A page budget must be a whole number" in wrong.main
    started = browser.submit(browser.get(path), path, pageBudget="7")
    screen = browser.follow(started)
    assert "The audit is queued" in screen.main and screen.dom.css("[data-live]")
    own = started.location.partition("?")[0].removeprefix("http://localhost")
    cancelled = browser.follow(browser.submit(screen, own))
    assert "The audit was asked to stop." in cancelled.main


def test_changes_are_listed_and_can_be_compared_with_any_audit(house: House, browser: Browser) -> None:
    seed.settled(house.site)
    path = f"/app/sites/{house.site.id}/audits/{seed.AUDIT}"
    assert "may not read" in browser.get(path).dom.css_first("#difference").text()
    assert "may not read" in browser.get(f"{path}?against={seed.BEFORE}").dom.css_first("#difference").text()
    assert "may not read" not in browser.get(f"{path}?against=crawl_none").dom.css_first("#difference").text()


def test_pages_are_filtered_and_counted(house: House, browser: Browser) -> None:
    seed.settled(house.site)
    path = f"/app/sites/{house.site.id}/pages"
    assert "3 pages · 3 read by the last audit" in browser.get(path).main
    assert "3 pages match" in browser.get(f"{path}?indexable=true").main
    assert len(browser.get(path).dom.css("#list tbody tr")) == 3
    assert "No page matches" in browser.get(f"{path}?q=nowhere").main


def test_a_batch_shows_the_state_and_the_reason_of_each_page(house: House, browser: Browser) -> None:
    seed.settled(house.site)
    seed.written(house.site, "batch_2", count=3, sequence=2)
    screen = browser.get(f"/app/sites/{house.site.id}/changes/batch_2")
    assert "The CMS refused it." in screen.main and "2 live, 1 failed" in screen.main


def test_a_viewer_cannot_start_an_audit(house: House) -> None:
    screen = viewer(house, house.site.id).get(f"/app/sites/{house.site.id}/audits")
    assert screen.status == 200 and not screen.dom.css("main form[method=post]")
