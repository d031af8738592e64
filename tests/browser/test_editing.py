"""Rules for crawlers on the demo website and its CMS: chosen, seen as a difference, approved, live, taken back."""

from typing import Any

from playwright.sync_api import expect

from tests.browser.service import Service, until
from tests.browser.watching import Tab


def test_a_person_reviews_crawler_rules_before_publishing_them(service: Service, either: Tab, scripts: bool) -> None:
    tab, page, site = either, either.page, f"/sites/{service.site_id}"

    def rule() -> Any:
        found = service.read(f"{site}/geo/ai-crawlers")
        return next(one for one in found["crawlers"] if one["bot"] == "PetalBot")

    assert rule()["rule"] is None and rule()["allowed"]
    tab.open(f"sites/{service.site_id}/ai-readiness")
    page.click("main a:text-is('Edit the rules')")
    page.select_option("[name='rule-PetalBot']", "deny")
    page.click("main .dock button")
    expect(page.locator("#preview .new", has_text="User-agent: PetalBot")).to_be_visible()
    assert rule()["rule"] is None, "nothing is written before it was seen"
    page.click("#preview button.main")
    assert tab.heading() == "AI crawler rules"
    until(lambda: rule()["matches"] is True, "the rule is live")
    assert rule()["allowed"] is False
    if not scripts:
        page.reload()
    expect(page.locator("main")).to_contain_text("1 live")

    page.reload()
    page.click("main a:text-is('Undo')")
    page.click("main .dock button.main")
    until(lambda: (rule()["rule"], rule()["allowed"]) == (None, True), "the rule is taken back")
    tab.check()
