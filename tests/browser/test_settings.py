"""Keys and webhook endpoints as a person runs them, with scripts and without."""

from playwright.sync_api import expect

from tests.browser.service import Service, until
from tests.browser.watching import Tab


def test_a_key_for_one_website_is_created_used_and_revoked(service: Service, either: Tab) -> None:
    page = either.page
    either.open("settings/keys")
    page.get_by_label("Name").fill("Reports")
    page.check("input[value='sites:read']")
    expect(page.locator("#new input[name=site]").first).not_to_be_visible()
    page.get_by_label("Only these").check()
    page.locator("#new input[name=site]").first.check()
    page.get_by_role("button", name="Make the key").click()
    secret = page.locator(".secret").inner_text()
    assert service.ask("GET", "/sites", secret)[0] == 200
    page.get_by_role("link", name="I have it").click()
    assert secret not in page.content()
    page.get_by_role("link", name="Reports", exact=True).first.click()
    page.get_by_role("link", name="Revoke this key").click()
    page.get_by_role("button", name="Revoke it").click()
    expect(page.get_by_role("status")).to_contain_text("The key is revoked")
    assert service.ask("GET", "/sites", secret)[0] == 401
    either.check()


def test_a_webhook_endpoint_is_added_tested_and_removed(service: Service, either: Tab) -> None:
    page = either.page
    either.open("settings/webhooks")
    page.get_by_label("Address, https").fill("https://nobody.invalid/hook")
    page.check("input[value='audit.finished']")
    page.get_by_role("button", name="Add it").click()
    assert page.locator(".secret").inner_text().startswith("wos_wh_")
    page.get_by_role("link", name="I have it").click()
    page.get_by_role("button", name="Test").click()
    expect(page.get_by_role("status")).to_contain_text("A ping is on its way")

    def ended() -> bool:
        page.reload()
        return page.locator("#log").get_by_text("failed").count() > 0

    until(ended, "the ping has failed")
    page.locator("#log").get_by_role("link", name="ping").click()
    expect(page.locator("pre")).to_contain_text("A test of this endpoint")
    page.get_by_role("link", name="All deliveries").click()
    page.get_by_role("link", name="Remove this endpoint").click()
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_role("status")).to_contain_text("The endpoint is removed")
    either.check()
