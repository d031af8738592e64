"""The whole way of a redirect on the demo website and its CMS: proposed or typed, refused, approved, live, undone."""

from typing import Final

from playwright.sync_api import expect

from tests.browser.service import Service, until
from tests.browser.test_deciding import wait_for_step
from tests.browser.watching import Tab

GONE: Final = "/magazine/winter-sale-2023/"
TARGET: Final = "/magazine/"


def test_a_person_enters_approves_and_undoes_a_redirect(service: Service, either: Tab, scripts: bool) -> None:
    def reported() -> int:
        listed = service.read(f"/sites/{service.site_id}/issues")["issues"]
        return sum(issue["affectedPages"] for issue in listed if issue["ruleId"] == "SEO-TEC-004")

    tab, page = either, either.page
    until(lambda: not service.running, "no audit runs")
    before = reported()
    tab.open(f"sites/{service.site_id}/redirects")
    row = page.locator("#addresses tbody tr", has_text=GONE)
    expect(row).to_contain_text("linked by 4 pages")
    tick, button = row.locator("[name=tick]"), page.locator("#approve .dock button")
    row.locator("[name^=value-]").fill("/no-such-page")
    if not scripts:
        button.click()
        expect(page.locator("main .note.bad")).to_contain_text("some rows that you changed are not ticked")
        expect(row).to_contain_text("Not ticked")
        tick.check()
    expect(tick).to_be_checked()
    button.click()
    expect(page.locator("#addresses tbody tr", has_text=GONE)).to_contain_text("The target answers 404")
    assert all("status of 422" in said for said in tab.failed), "the browser notes the refusal, and nothing else"
    tab.failed.clear()

    row.locator("[name^=value-]").fill(TARGET)
    page.click("#approve .dock button")
    expect(page.locator("main [role=status]")).to_contain_text("Approved.")
    wait_for_step(tab, "#batch", "Live", scripts=scripts)
    until(lambda: reported() == before - 1, "the recheck has seen the redirect")
    tab.open(f"sites/{service.site_id}/redirects")
    assert row.count() == 0
    page.go_back()
    page.click("main a:text-is('Undo')")
    page.click("main .dock button.main")
    expect(page.locator("main [role=status]")).to_contain_text("The undo is queued.")
    wait_for_step(tab, "#batch", "Live", scripts=scripts)

    def is_listed() -> bool:
        tab.open(f"sites/{service.site_id}/redirects")
        return row.count() == 1

    until(is_listed, "the address is gone again")
    until(lambda: reported() == before, "the recheck has seen that it is gone")
    tab.check()


def test_enter_in_a_field_ticks_nothing_and_choose_all_ticks_filled_rows(service: Service, either: Tab) -> None:
    tab, page = either, either.page
    until(lambda: not service.running, "no audit runs")
    tab.open(f"sites/{service.site_id}/redirects")
    page.click("main button:text-is('Choose none')")
    ticks, target = page.locator("[name=tick]"), page.locator("#addresses [name^=value-]").first
    expect(ticks).not_to_have_count(1)
    ticks.first.press("Enter")
    expect(page.locator("[name=tick]:checked")).to_have_count(0)
    for field in page.locator("#addresses [name^=value-]").all():
        field.fill("")
    target.fill(TARGET)
    ticks.first.uncheck()
    target.press("Enter")
    expect(target).to_have_value(TARGET)
    expect(page.locator("[name=tick]:checked")).to_have_count(0)
    page.click("main button:text-is('Choose all')")
    expect(page.locator("[name=tick]:checked")).to_have_count(1)
    tab.check()
