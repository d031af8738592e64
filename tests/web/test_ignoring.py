"""Issues are ignored on their screen, with a reason and until a date, found under their own filter, and taken back."""

from datetime import UTC, datetime
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.issues import Issue
from chalicelib.operations import search
from chalicelib.store import issues
from chalicelib.store.search import Moved
from tests.api import seed
from tests.api.conftest import House
from tests.web.conftest import Browser, Screen, viewer
from tests.web.screens import asked_of_the_api
from tests.web.test_issue_approval import HOSTILE


@pytest.fixture
def path(house: House) -> str:
    seed.audited(house.site)
    return f"/app/sites/{house.site.id}/issues/{ids.issue_id(house.site.id, seed.PAGE_RULE.id)}"


def sent(screen: Screen, does: str, /, **changed: Any) -> dict[str, Any]:
    """The form that does this, as it stands there, with these values."""
    for form in screen.dom.css("main form[method=post]"):
        fields = {
            str(one.attributes["name"]): one.attributes.get("value") or ""
            for one in form.css("input[name]")
            if one.attributes.get("type") != "radio" or "checked" in one.attributes
        }
        if fields.get("do") == does:
            return fields | changed
    raise AssertionError(f"no form does {does}: {screen.main}")


def issue_of(house: House) -> Issue:
    book = issues.load_state(house.site.id)
    issue = None if book is None else book.by_id(ids.issue_id(house.site.id, seed.PAGE_RULE.id))
    assert issue is not None
    return issue


def status(house: House) -> str:
    return issue_of(house).status


def day(days: float) -> str:
    return f"{datetime.fromtimestamp(clock.now() + days * 86_400, UTC):%Y-%m-%d}"


def test_an_issue_can_be_ignored_found_by_a_filter_and_unignored(house: House, browser: Browser, path: str) -> None:
    listed = f"/app/sites/{house.site.id}/issues"
    assert "Ignored" not in [one.text() for one in browser.get(listed).dom.css("main .bar a")]
    before = browser.get(path)
    done = browser.follow(browser.post(path, sent(before, "ignore", reason=f"Meant so. {HOSTILE}")))
    assert "The issue is ignored." in done.main and "by you, until somebody takes it back" in done.main
    assert "Meant so." in done.dom.css_first("#ignored").text() and not done.dom.css("img, script:not([src])")
    assert path not in browser.get(listed).text
    link = next(one for one in browser.get(listed).dom.css("main .bar a") if one.text() == "Ignored")
    found = browser.get(str(link.attributes["href"]))
    assert path in found.text and "Ignored by you: Meant so." in found.main and "1 issue ignored" in found.main
    back = browser.follow(browser.post(path, sent(done, "unignore")))
    assert "No part of the issue is ignored any more." in back.main and status(house) == "open"


def test_an_issue_ignored_until_a_date_returns_on_that_date(house: House, browser: Browser, path: str) -> None:
    until = day(10)
    browser.post(path, sent(browser.get(path), "ignore", reason="After the relaunch", until=until))
    with asked_of_the_api() as asked:
        screen = browser.get(path)
    answer = next(one.answer for one in asked if one.endpoint.operation_id == "read_issue")
    assert answer.ignored.until == f"{until}T00:00:00Z" and answer.ignored.by == house.person_id
    assert f"until {int(until[-2:])} " in screen.dom.css_first("#ignored").text()
    clock.set_offset(clock.offset() + 11 * 86_400)
    assert status(house) == "open"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"reason": ""}, "Give the reason"),
        ({"until": "31.12.2030"}, "in the form"),
        ({"until": "2020-01-01"}, "a date in the future"),
        ({"until": "9999-12-31"}, "at most five years"),
    ],
)
def test_an_error_is_explained_and_the_typed_values_are_kept(
    house: House, browser: Browser, path: str, changed: dict[str, str], said: str
) -> None:
    fields = sent(browser.get(path), "ignore", **{"reason": "Meant so", **changed})
    refused = browser.post(path, fields)
    assert refused.status == 422 and said in refused.main and status(house) == "open"
    again = sent(refused, "ignore")
    assert (again["reason"], again["until"]) == (fields["reason"], fields["until"])


def test_a_running_search_import_is_explained_and_typed_values_are_kept(
    house: House, browser: Browser, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def moved(*_: object) -> None:
        raise Moved

    before = browser.get(path)
    fields = sent(before, "ignore", reason="Meant so", what="some", page=listed(before)[:1])
    with monkeypatch.context() as patched:
        patched.setattr(search, "of_pages", moved)
        refused = browser.post(path, fields)
    assert refused.status == 409 and "search data is being replaced" in refused.main and issue_of(house).ignored is None
    assert sent(refused, "ignore")["reason"] == "Meant so"
    assert browser.post(path, fields | {"nonce": sent(refused, "ignore")["nonce"]}).status == 303


def listed(screen: Screen) -> list[str]:
    """The ids of the pages that can be ticked."""
    return [str(one.attributes["value"]) for one in screen.dom.css("#pages input[name=page][form=ignoring]")]


def test_ticked_pages_and_a_pattern_can_be_ignored_and_unignored(house: House, browser: Browser, path: str) -> None:
    before = browser.get(path)
    first, second = listed(before)
    assert "ignored already" not in before.main
    fields = sent(before, "ignore", reason="Meant so", what="some", page=[first])
    done = browser.follow(browser.post(path, fields))
    note = done.dom.css_first("#ignored").text()
    assert "Ignored on 1 page since" in note and "by you" in note and "Meant so" in note
    assert listed(done) == [second] and status(house) == "open"
    assert "The reason and the date then hold for the pages that are ignored already" in done.main
    assert "Ignored on 1 page by you: Meant so" in browser.get(f"/app/sites/{house.site.id}/issues").main
    fields = sent(done, "ignore", reason="Never", what="some", patterns=f"/page-*\n{HOSTILE.replace(' ', '')}")
    refused = browser.post(path, fields)
    assert refused.status == 422 and "such as /tag/*" in refused.main
    assert "/page-*" in refused.dom.css_first("textarea[name=patterns]").text()
    fields = sent(refused, "ignore", reason="All of them", what="some", patterns="*\u00fcber*\n/*e*")
    done = browser.follow(browser.post(path, fields))
    assert "*%C3%BCber*, /*e*, also later ones" in done.dom.css_first("#ignored").text()
    assert status(house) == "ignored" and not listed(done) and not done.dom.css("img, script:not([src])")
    assert "ignored an issue, or some of its pages" in browser.get("/app/settings/log").main
    back = browser.follow(browser.post(path, sent(done, "unignore")))
    assert "No part of the issue is ignored any more" in back.main and listed(back) == [first, second]


def test_contradictory_choices_of_pages_are_refused(house: House, browser: Browser, path: str) -> None:
    before = browser.get(path)
    ticked = listed(before)[:1]
    for changed, said in (
        ({"what": "all", "page": ticked}, "although the whole issue is chosen"),
        ({"what": "some"}, "No page is ticked"),
        ({"what": "some", "page": ["page_of_another_issue"]}, "no longer listed"),
        ({"what": "some", "patterns": "\n".join(f"/{number}/*" for number in range(11))}, "At most 10 patterns"),
    ):
        refused = browser.post(path, sent(browser.get(path), "ignore", reason="Meant so", **changed))
        assert refused.status in (409, 422) and said in refused.main and issue_of(house).ignored is None


def test_an_issue_ignored_in_two_tabs_is_ignored_once(house: House, browser: Browser, path: str) -> None:
    first, second, third = (browser.get(path) for _ in range(3))
    fields = sent(first, "ignore", reason="Meant so")
    assert [browser.post(path, fields).status for _ in range(2)] == [303, 303]
    for screen in (second, third):
        refused = browser.post(path, sent(screen, "ignore", reason="Another reason"))
        assert refused.status == 409 and "cannot be ignored" in refused.main
    kinds = [entry.kind for entry in issues.load_log(house.site.id, path.rpartition("/")[2])]
    assert kinds.count("ignored") == 1


def test_a_viewer_cannot_ignore_issues(house: House, browser: Browser, path: str) -> None:
    fields = sent(browser.get(path), "ignore", reason="Mine")
    client = viewer(house, house.site.id)
    assert not client.get(path).dom.css("main form[method=post]")
    token = client.get("/app/sessions").dom.css_first("input[name=token]").attributes["value"]
    assert client.post(path, fields | {"token": token}).status == 403 and status(house) == "open"
