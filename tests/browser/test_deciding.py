"""The whole way of a fix on the demo website and its CMS: found, reviewed, edited, approved, live, resolved, undone."""

import re
from typing import Any

from playwright.sync_api import expect

from tests.browser.service import Service, until
from tests.browser.watching import MILLISECONDS, Tab

EDITED_FIELDS = ("title", "meta_description")
ON_A_SCREEN = 10  # suggestions
DONE = re.compile("done")


def issue_to_resolve(service: Service) -> dict[str, Any]:
    """An open issue of a few pages that suggested texts resolve."""
    site = f"/sites/{service.site_id}"
    for listed in service.read(f"{site}/issues?status=open,reopened")["issues"]:
        issue: dict[str, Any] = service.read(f"{site}/issues/{listed['id']}")
        found = issue.get("suggestions") or []
        writable = [one for one in found if one["writable"] and one["suggested"]]
        few = 0 < len(writable) == issue["affectedPages"] <= ON_A_SCREEN
        if few and issue["writableField"] in EDITED_FIELDS:
            return issue
    raise AssertionError("no issue of the demo website can be resolved by its suggestions")


def wait_for_step(tab: Tab, where: str, name: str, *, scripts: bool) -> None:
    """Wait until the screen shows a step as done: by itself with scripts, else by loading it again."""
    step = tab.page.locator(f"{where} .steps li", has_text=name)
    if scripts:
        expect(step).to_have_class(DONE, timeout=MILLISECONDS)
        return

    def is_done() -> bool:
        tab.page.reload()
        return DONE.search(step.get_attribute("class") or "") is not None

    until(is_done, f"the step {name}")


def test_a_person_edits_approves_and_undoes_a_fix(service: Service, either: Tab, scripts: bool) -> None:
    tab, page, site = either, either.page, f"/sites/{service.site_id}"
    until(lambda: not service.running, "no audit runs")
    issue = issue_to_resolve(service)
    suggested = issue["suggestions"][0]["suggested"]
    own = f"{suggested[:-1]}!"

    tab.open(f"sites/{service.site_id}/issues?q={issue['ruleId']}")
    page.click(f"#issues a.title[href$='{issue['id']}']")
    assert tab.heading() == issue["title"]
    page.fill(f"[name='value-{issue['suggestions'][0]['pageId']}']", own)
    page.click("#approve .dock button")
    expect(page.locator("main [role=status]")).to_contain_text("Approved.")
    wait_for_step(tab, "#changes", "Resolved", scripts=scripts)
    resolved = service.read(f"{site}/issues/{issue['id']}")
    assert resolved["status"] == "resolved" and resolved["lastRecheck"]["present"] == 0
    assert own in [change["value"] for change in resolved["lastChange"]["changes"] if change["live"]]

    page.click("#changes a:text-is('Undo')")
    count = len(issue["suggestions"])
    expect(page.locator("#foreseen")).to_contain_text(f"{count} of {count} change")
    page.click("main .dock button.main")
    expect(page.locator("main [role=status]")).to_contain_text("The undo is queued.")
    wait_for_step(tab, "#batch", "Live", scripts=scripts)
    until(lambda: service.read(f"{site}/issues/{issue['id']}")["status"] == "reopened", "the issue is found again")
    page.click("main .does a:text-is('The issue')")
    assert "Reopened" in page.inner_text("main .bar")
    before = {one["url"]: one["current"] for one in issue["suggestions"]}
    again = service.read(f"{site}/issues/{issue['id']}")
    assert {one["url"]: one["current"] for one in again["suggestions"]} == before
    tab.check()
