"""Suggested values of several issues are reviewed together and approved as they were shown, a batch an issue."""

from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.store import changes, connections, content, websites
from chalicelib.store.transactions import commit
from tests.api import seed
from tests.api.conftest import House
from tests.web.conftest import Browser, Screen, viewer
from tests.web.test_issue_approval import (
    HOSTILE,
    NO_DESCRIPTION,
    TITLE_TOO_LONG,
    approved,
    found,
    nothing_approved,
    suggested,
)

TITLE_TWICE = "SEO-ONP-002"


def review_of(house: House, *rules: str, **query: str) -> str:
    named = [f"i-{ids.issue_id(house.site.id, rule)}=on" for rule in rules]
    sent = [f"{name}={value}" for name, value in query.items()]
    return f"/app/sites/{house.site.id}/actions/review?{'&'.join(named + sent)}"


def sent(screen: Screen, **changed: str) -> dict[str, Any]:
    form = screen.dom.css_first("main form[method=post]")
    assert form is not None, screen.main
    return {str(one.attributes["name"]): one.attributes["value"] for one in form.css("input[name]")} | changed


def action_of(screen: Screen) -> str:
    form = screen.dom.css_first("main form[method=post]")
    assert form is not None
    return str(form.attributes["action"])


@pytest.fixture
def two(house: House) -> House:
    """Two issues that suggest titles for the same two pages, and one that suggests descriptions."""
    found(house)
    suggested(house, TITLE_TWICE, "Other boots | Acme")
    suggested(house, NO_DESCRIPTION, f"What boots are. {HOSTILE}")
    return house


def batches(house: House) -> list[tuple[str | None, str, int]]:
    """Issue, field and number of changes of each batch."""
    return [(one.issue_id, one.field, one.count) for one in changes.list_all(house.site.id)]


def to_shop(house: House, count: int) -> None:
    """Connect a shop that has the first ``count`` pages instead of the CMS, whose content stays stored."""
    of_cms = content.load(house.site.id).items
    seed.connected(house.site, count=count, kind="shop")
    known = content.load(house.site.id)
    commit(content.writes(house.site.id, known, {**of_cms, **known.items}, clock.now()))
    site = websites.get(house.workspace_id, house.site.id)
    assert site is not None
    commit([connections.shown(site, site.connections.with_writer("cms", None))])


def test_pages_that_the_connected_shop_does_not_contain_are_left_out(house: House, browser: Browser) -> None:
    found(house)
    to_shop(house, 1)
    screen = browser.get(review_of(house, TITLE_TOO_LONG))
    assert "Approve 1 change" in screen.main and "Written through the shop" in screen.main
    assert "1 left out: This address is not a published content item of the shop" in screen.main
    browser.follow(browser.post(action_of(screen), sent(screen)))
    assert [address for address, _ in approved(house)] == [seed.url(house.site, 0)]


def test_selected_actions_are_approved_with_one_batch_for_each_issue(two: House, browser: Browser) -> None:
    listed = browser.get(f"/app/sites/{two.site.id}/actions")
    form = next(one for one in listed.dom.css("main form") if "review" in str(one.attributes["action"]))
    ticks = {str(one.attributes["name"]) for one in form.css("input[type=checkbox]")}
    assert ticks >= {f"i-{ids.issue_id(two.site.id, rule)}" for rule in (TITLE_TOO_LONG, NO_DESCRIPTION)}
    screen = browser.get(review_of(two, TITLE_TOO_LONG, NO_DESCRIPTION))
    assert "Approve 4 changes" in screen.main and not screen.dom.css("#conflicts, script:not([src]), img")
    assert nothing_approved()
    done = browser.follow(browser.post(action_of(screen), sent(screen)))
    assert "Each issue has one batch of changes" in done.main
    assert sorted(batches(two)) == sorted(
        [
            (ids.issue_id(two.site.id, TITLE_TOO_LONG), "title", 2),
            (ids.issue_id(two.site.id, NO_DESCRIPTION), "meta_description", 2),
        ]
    )


def test_only_one_of_two_values_for_a_page_is_approved(two: House, browser: Browser) -> None:
    screen = browser.get(review_of(two, TITLE_TOO_LONG, TITLE_TWICE))
    conflicts = screen.dom.css_first("#conflicts")
    assert conflicts is not None and len(conflicts.css("tbody tr")) == 2
    assert "Boots | Acme" in conflicts.text() and "Other boots | Acme" in conflicts.text()
    browser.post(action_of(screen), sent(screen))
    assert len(approved(two)) == len({url for url, _ in approved(two)}) == 2
    assert len(batches(two)) == 1


def test_all_suggestions_of_an_issue_can_be_approved_together(house: House, browser: Browser) -> None:
    path = found(house, count=75)
    seed.connected(house.site, count=75, fields=("title",))
    link = next(one for one in browser.get(path).dom.css("main a") if one.text() == "Review all as suggested")
    screen = browser.get(str(link.attributes["href"]))
    assert "Approve 75 changes" in screen.main and "All 75 values are approved" in screen.main
    assert len(screen.dom.css("#values tbody tr")) == 50
    more = browser.get(str(screen.dom.css_first("a[rel=next]").attributes["href"]))
    assert len(more.dom.css("#values tbody tr")) == 25 and sent(more)["digest"] == sent(screen)["digest"]
    followed = browser.follow(browser.post(action_of(more), sent(more)))
    assert "Approved. The values are written" in followed.main and len(approved(house)) == 75
    again = browser.get(urlsplit(str(link.attributes["href"])).geturl())
    assert "75 left out: The value was approved before." in again.main and not again.dom.css("main form[method=post]")


def test_only_pages_with_the_chosen_template_are_approved(
    house: House, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = seed.rows(house.site, 3)
    named = [msgspec.structs.replace(row, template=name) for row, name in zip(rows, ("post", "<b>"), strict=False)]
    monkeypatch.setattr(seed, "rows", lambda *_: [*named, rows[2]])
    found(house, count=3)
    shown = browser.get(review_of(house, TITLE_TOO_LONG))
    offered = [str(one.attributes["value"]) for one in shown.dom.css("select[name=template] option")]
    assert offered == ["", "<b>", "post"] and "Approve 3 changes" in shown.main
    screen = browser.get(review_of(house, TITLE_TOO_LONG, template="post"))
    assert "Approve 1 change" in screen.main
    browser.post(action_of(screen), sent(screen))
    assert approved(house) == [(seed.url(house.site, 0), "Boots | Acme")]
    none = browser.get(review_of(house, TITLE_TOO_LONG, template="none-of-this-name"))
    assert "Nothing can be written" in none.main and not none.dom.css("main form[method=post]")


def test_a_suggestion_that_changed_after_the_preview_is_not_approved(house: House, browser: Browser) -> None:
    found(house)
    screen = browser.get(review_of(house, TITLE_TOO_LONG))
    suggested(house, TITLE_TOO_LONG, "Newer boots | Acme")
    refused = browser.post(action_of(screen), sent(screen))
    assert refused.status == 409 and "have changed since they were shown" in refused.main and nothing_approved()
    assert "Newer boots" in refused.main and sent(refused)["digest"] != sent(screen)["digest"]
    forged = browser.post(action_of(screen), sent(refused, digest="0" * 32))
    assert forged.status == 409 and nothing_approved()


def test_a_double_click_and_a_second_tab_approve_once(two: House, browser: Browser) -> None:
    path = review_of(two, TITLE_TOO_LONG, NO_DESCRIPTION)
    first, second = browser.get(path), browser.get(path)
    fields = sent(first)
    assert [browser.post(action_of(first), fields).status for _ in range(2)] == [303, 303]
    assert browser.post(action_of(second), sent(second)).status == 409
    assert len(batches(two)) == 2 and len(approved(two)) == 4


def test_values_that_cannot_be_written_are_left_out_with_a_reason(house: House, browser: Browser) -> None:
    found(house, value="x" * 301)
    assert "2 left out: The suggested value cannot be written" in browser.get(review_of(house, TITLE_TOO_LONG)).main
    seed.connected(house.site, fields=("canonical",))
    assert "cannot write titles" in browser.get(review_of(house, TITLE_TOO_LONG)).main


def test_too_few_too_many_or_unknown_issues_are_reported(two: House, browser: Browser) -> None:
    assert "Tick at least one action" in browser.get(review_of(two)).main
    many = "&".join(f"i-iss_{number}=on" for number in range(11))
    assert "At most 10 issues" in browser.get(f"{review_of(two)}{many}").main
    assert browser.get(f"{review_of(two)}i-iss_none=on").status == 404
    assert browser.get(f"{review_of(two)}i-{'x' * 500}=on").status == 200


def test_a_viewer_cannot_review_or_approve(two: House, browser: Browser) -> None:
    path = review_of(two, TITLE_TOO_LONG)
    fields = sent(browser.get(path))
    client = viewer(two, two.site.id)
    screen = client.get(path)
    assert "Boots | Acme" in screen.main and not screen.dom.css("main form[method=post]")
    assert not client.get(f"/app/sites/{two.site.id}/actions").dom.css("input[type=checkbox]")
    token = client.get("/app/sessions").dom.css_first("input[name=token]").attributes["value"]
    assert client.post(path, fields | {"token": token}).status == 403 and nothing_approved()
