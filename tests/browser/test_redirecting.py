"""The whole way of a redirect on the demo website and its CMS: proposed or typed, refused, approved, live, undone."""

import urllib.error
import urllib.request
from http.client import HTTPResponse
from typing import Any, Final

import pytest
from playwright.sync_api import expect

from tests.browser.service import Service, until
from tests.browser.test_deciding import wait_for_step
from tests.browser.watching import Tab

GONE: Final = "/magazine/winter-sale-2023/"
TARGET: Final = "/magazine/"


class _Unfollowed(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def answered(service: Service) -> tuple[int, str | None]:
    """What the demo website answers there: the status, and where it leads."""
    home = service.read(f"/sites/{service.site_id}")["url"].rstrip("/")
    opener = urllib.request.build_opener(_Unfollowed)
    try:
        answer: HTTPResponse = opener.open(home + GONE, timeout=20)
    except urllib.error.HTTPError as error:
        return error.code, (error.headers.get("Location") or "").removeprefix(home) or None
    return answer.status, None


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_redirect_is_typed_refused_approved_live_and_undone(
    service: Service, tab: Tab, plain_tab: Tab, scripts: bool
) -> None:
    tab = tab if scripts else plain_tab
    page = tab.page
    until(lambda: not service.running, "no audit runs")
    assert answered(service) == (404, None)
    tab.open(f"sites/{service.site_id}/redirects")
    row = page.locator("#addresses tbody tr", has_text=GONE)
    expect(row).to_contain_text("linked by 4 pages")
    row.locator("[name=tick]").check()
    row.locator("[name^=value-]").fill("/no-such-page")
    page.click("#approve .dock button")
    expect(page.locator("#addresses tbody tr", has_text=GONE)).to_contain_text("The target answers 404")

    row.locator("[name^=value-]").fill(TARGET)
    page.click("#approve .dock button")
    expect(page.locator("main [role=status]")).to_contain_text("Approved.")
    wait_for_step(tab, "#batch", "Live", scripts=scripts)
    assert answered(service) == (301, TARGET)
    page.click("main a:text-is('Undo')")
    page.click("main .dock button.main")
    expect(page.locator("main [role=status]")).to_contain_text("The undo is queued.")
    wait_for_step(tab, "#batch", "Live", scripts=scripts)
    assert answered(service) == (404, None)
    site = f"/sites/{service.site_id}"

    def is_found_again() -> bool:
        found = service.read(f"{site}/issues?status=open,reopened&limit=200")["issues"]
        return any(one["ruleId"] == "SEO-TEC-004" for one in found)

    until(is_found_again, "the issue is found again")
    tab.check()
