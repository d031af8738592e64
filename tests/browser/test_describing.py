"""Pictures of the demo website are described: seen beside their field, written, found on the live page, taken back."""

from typing import Any

from playwright.sync_api import expect

from tests.browser.service import Service, until
from tests.browser.test_deciding import wait_for_step
from tests.browser.watching import Tab

RULE = "SEO-IMG-003"  # the text is the name of a file: two images of the demo website
FOX = 'A red fox & "friends" in the snow'


def issue_of(service: Service) -> dict[str, Any]:
    issues = service.read(f"/sites/{service.site_id}/issues?status=open,reopened")["issues"]
    found: dict[str, Any] = next(one for one in issues if one["ruleId"] == RULE)
    return found


def test_typing_selects_a_row_and_deleting_the_text_deselects_it(service: Service, tab: Tab) -> None:
    page = tab.page
    until(lambda: not service.running, "no audit runs")
    tab.open(f"sites/{service.site_id}/issues/{issue_of(service)['id']}/images")
    row = page.locator("#images tbody tr").first
    tick, text, decorates = (row.locator(one) for one in ("[name=tick]", "textarea", "[name=decorates]"))
    offered, button = text.input_value(), page.locator("main .dock button.main")
    page.click("main button:text-is('Choose none')")
    text.fill(FOX)
    expect(tick).to_be_checked()
    expect(button).to_have_text("Approve 1 change")
    text.fill(offered)
    expect(tick).not_to_be_checked()
    expect(button).to_have_text("Approve 0 changes")
    decorates.check()
    expect(tick).to_be_checked()
    decorates.uncheck()
    expect(tick).not_to_be_checked()

    tick.check()
    text.fill(FOX)
    text.fill("")
    expect(tick).to_be_checked()
    text.fill(FOX)
    tick.uncheck()
    button.click()
    expect(page.locator("main .note.bad")).to_contain_text("Nothing is ticked.")
    assert all("status of 422" in said for said in tab.failed)


def test_a_person_writes_and_undoes_text_alternatives(service: Service, either: Tab, scripts: bool) -> None:
    tab, page, site = either, either.page, f"/sites/{service.site_id}"
    until(lambda: not service.running, "no audit runs")
    issue = issue_of(service)

    tab.open(f"sites/{service.site_id}/issues/{issue['id']}")
    page.click("main .bar a:text-is('Describe the pictures')")
    assert tab.heading() == "Text alternatives"
    pictures = page.locator("#images img")
    expect(pictures).to_have_count(2)
    pictures.last.scroll_into_view_if_needed()
    until(lambda: pictures.last.evaluate("one => one.complete && one.naturalWidth > 0"), "the picture is seen")
    assert len(tab.pictures) == 2
    assert {referrer for _, referrer in tab.pictures} == {None}

    page.locator("#images textarea").first.fill(FOX)
    page.locator("#images input[name=decorates]").last.check()
    if not scripts:
        page.click("main button:text-is('Choose all')")
    expect(page.locator("#images input[name=tick]:checked")).to_have_count(2)
    page.click("main .dock button.main")
    expect(page.locator("main [role=status]")).to_contain_text("Approved.")
    wait_for_step(tab, "#batch", "Live", scripts=scripts)
    until(lambda: service.read(f"{site}/issues/{issue['id']}")["status"] == "resolved", "the issue is resolved")
    changes = service.read(f"{site}/issues/{issue['id']}")["lastChange"]["changes"]
    assert {(one["field"], one["value"], one["liveValue"], one["live"]) for one in changes} == {
        ("alt", FOX, FOX, True),
        ("alt", "", "", True),
    }
    assert all(one["key"].endswith(" 1") for one in changes)

    page.reload()
    page.click("main .does a:text-is('Undo'), main .bar a:text-is('Undo')")
    page.click("main .dock button.main")
    wait_for_step(tab, "#batch", "Live", scripts=scripts)
    until(lambda: service.read(f"{site}/issues/{issue['id']}")["status"] == "reopened", "the issue is found again")
    assert len({url for url, _ in tab.pictures}) == 2, "no other screen shows pictures"
    tab.check()
