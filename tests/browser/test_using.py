"""The app by the keyboard alone, without scripts, and while an audit runs."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.endless import Endless, endless
from tests.browser.service import Service, until
from tests.browser.watching import Tab

FOCUSED = "document.activeElement.textContent.trim()"
# A timer that has not fired yet is how the next look at what runs would begin.
_TIMERS = """
window.waiting = new Set();
const set = window.setTimeout, clear = window.clearTimeout;
window.setTimeout = (run, after) => {
  const timer = set(() => { waiting.delete(timer); run(); }, after);
  waiting.add(timer);
  return timer;
};
window.clearTimeout = (timer) => { waiting.delete(timer); clear(timer); };
"""


def test_keyboard_users_reach_the_content_the_navigation_and_a_website(service: Service, tab: Tab) -> None:
    page = tab.page
    tab.open("")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "Skip to content"
    assert page.locator(".skip").bounding_box()["y"] >= 0, "it is seen when it has the focus"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#websites a.title')"):
            break
    page.keyboard.press("Enter")
    page.wait_for_url(f"{service.app}/sites/*")
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUSED))
        if seen[-1] == "Sign out":
            break
    named = page.locator("nav a, nav button").all_text_contents()
    assert seen[1:] == [name.strip() for name in named]
    tab.check()


def test_a_form_works_without_scripts(service: Service, plain_tab: Tab) -> None:
    until(lambda: not service.running, "no audit runs")
    plain_tab.open(f"sites/{service.site_id}")
    plain_tab.page.click("main form[method=post] button")
    expect(plain_tab.page.get_by_role("status")).to_contain_text("The audit is queued")
    assert service.running


@pytest.fixture
def website(service: Service) -> Iterator[tuple[Endless, str]]:
    """A website whose audit goes on until the test ends it, and its id."""
    with endless() as found:
        site_id = service.add_website(found.url)
        yield found, site_id
        found.end()
        until(lambda: not service.is_running(site_id), "the audit has ended")
        service.remove_website(site_id)


def test_a_screen_with_running_work_refreshes_until_it_ends(
    service: Service, tab: Tab, website: tuple[Endless, str]
) -> None:
    until(lambda: not service.running, "no other audit runs")
    site, site_id = website
    tabs = [tab, Tab(tab.page.context, service)]
    status, started = service.ask("POST", f"/sites/{site_id}/audits")
    assert status == 202, started
    # The list of websites shows an audit from the moment when a worker has taken it.
    until(lambda: service.read(f"/sites/{site_id}/audits?limit=1")["active"]["status"] == "running", "the audit runs")
    asked: list[list[str]] = [[], []]
    before = []
    places = (("", "#websites"), (f"sites/{site_id}", "#audits"))
    for one, (path, part), requests in zip(tabs, places, asked, strict=True):
        one.page.add_init_script(_TIMERS)
        one.open(path)
        assert one.page.locator(f"{part}[data-live]").count() == 1
        one.page.evaluate("window.same = true")
        one.page.on("request", lambda request, requests=requests: requests.append(request.url))
        before.append(one.page.inner_text(part))
    assert service.is_running(site_id)
    site.end()
    for one, (_, part), requests, text in zip(tabs, places, asked, before, strict=True):
        one.page.wait_for_selector("[data-live]", state="detached")
        assert one.page.evaluate("window.same"), "nothing was loaded anew"
        assert one.page.inner_text(part) != text
        assert requests
        assert set(requests) == {f"{one.page.url}?live=1"}
        assert one.page.evaluate("waiting.size") == 0, "nobody asks again"
        one.check()
    assert not service.is_running(site_id)
