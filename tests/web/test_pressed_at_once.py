"""Two presses at the same moment, of one form or of two, by one person or two, have one effect on every screen."""

from collections.abc import Mapping
from typing import Any, Final

import pytest

from chalicelib.domain import ids
from chalicelib.store import changes, crawls, issues
from chalicelib.web import routing
from chalicelib.web.forms import Form
from chalicelib.web.page import Page
from chalicelib.web.replies import Redirect, Reply
from chalicelib.web.routing import Route
from tests.api import seed
from tests.api.conftest import House
from tests.operations.test_issues import just_before_the_write
from tests.web import test_alt_texts as alt_texts
from tests.web import test_issue_approval as approval
from tests.web.conftest import Browser, Screen, signed_in, viewer
from tests.web.test_every_screen import path_of
from tests.web.test_ignoring import sent as ignoring
from tests.web.test_viewers import ACTING, stored, token_of

ACTS = [route for route in routing.ROUTES if hasattr(route.module, "act")]
ONCE = [route for route in ACTS if getattr(route.module, "ONCE", True) and not route.from_anywhere]
# The other screens, each with the test that presses it again.
AGAIN: Final = {
    "sign_in": "tests/web/test_sign_in.py::test_opening_a_sign_in_link_does_not_use_it",
    "sign_out": "tests/web/test_pressed_at_once.py::test_sending_a_repeatable_form_a_second_time_changes_nothing",
    "workspaces": "tests/web/test_pressed_at_once.py::test_sending_a_repeatable_form_a_second_time_changes_nothing",
    "notices": "tests/web/test_pressed_at_once.py::test_sending_a_repeatable_form_a_second_time_changes_nothing",
    "notices_off": "tests/web/test_notices.py::test_a_mail_program_can_unsubscribe_with_one_request",
    "report_confirm": "tests/web/test_report_mails.py::test_an_address_added_by_a_member_must_confirm",
    "report_off": "tests/web/test_report_mails.py::test_one_click_unsubscribing_from_reports_has_no_other_effect",
    "google_callback": "tests/web/test_google.py::test_a_form_or_a_google_code_that_is_sent_twice_takes_effect_once",
}


def named(route: Route) -> str:
    return route.screen


@pytest.fixture
def settled(house: House) -> House:
    seed.settled(house.site)
    return house


def test_every_screen_with_a_form_is_tested_for_double_clicks_and_clicks_of_viewers() -> None:
    assert {route.screen for route in ACTS} == {route.screen for route in ONCE} | AGAIN.keys()
    assert AGAIN.keys().isdisjoint(route.screen for route in ONCE)
    for test in AGAIN.values():
        file, _, name = test.partition("::")
        with open(file) as text:
            assert f"def {name}(" in text.read(), test
    refused = {route.screen for route in ACTS if not (route.anyone or route.viewers_act)}
    assert refused == {route.screen for route in ACTING}, "a viewer tries all others in test_viewers.py"


@pytest.mark.parametrize("route", ONCE, ids=named)
def test_a_form_sent_twice_at_the_same_time_acts_once(
    route: Route, settled: House, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = path_of(route, settled)
    form = {"token": token_of(browser), "nonce": "a" * 32}
    second: list[Screen] = []
    acts: list[Mapping[str, Any]] = []

    def act(page: Page, given: Form) -> Reply:
        acts.append(given.fields)
        if len(acts) == 1:  # the first is still being done
            second.append(browser.post(path, form))
        return Redirect(page.here(done="so"))

    monkeypatch.setattr(route.module, "act", act)
    first = browser.post(path, form)
    third = browser.post(path, form)
    assert len(acts) == 1
    assert (first.status, second[0].status, third.status) == (303, 409, 303)
    assert third.location == first.location
    other = browser.post(path, form | {"more": "x"})
    assert other.status in (409, 422) and len(acts) == 1, "a form with another content is another form"


def without_versions() -> dict[str, Any]:
    """Everything in the tables, but how often it was written."""
    return {key: {name: one for name, one in row.items() if name != "version"} for key, row in stored().items()}


@pytest.mark.parametrize("screen", ["notices", "workspaces", "sign_out"])
def test_sending_a_repeatable_form_a_second_time_changes_nothing(screen: str, settled: House, browser: Browser) -> None:
    path = path_of(next(route for route in ACTS if route.screen == screen), settled)
    fields = {"token": token_of(browser), "when": "daily", "workspace": settled.workspace_id}
    cookies = dict(browser.cookies)
    first = browser.post(path, fields)
    assert first.status == 303
    after = without_versions()
    browser.cookies = cookies  # a second press is sent with what the first was
    second = browser.post(path, fields)
    assert second.status == 303 and without_versions() == after
    assert screen == "sign_out" or second.location == first.location


# -- two forms, of two tabs or two people ----------------------------------------------------------------


@pytest.fixture
def colleague(house: House) -> Browser:
    return signed_in(house)


def pressed_by_both(one: Browser, other: Browser, path: str, forms: tuple[dict[str, Any], dict[str, Any]]) -> list[int]:
    """Press in two browsers: the second press is done when the first is about to be written."""
    answers: list[int] = []
    with just_before_the_write(lambda: answers.append(other.post(path, forms[1]).status)):
        answers.append(one.post(path, forms[0]).status)
    return sorted(answers)


def log_of(house: House, issue_id: str) -> list[str]:
    return [entry.kind for entry in issues.load_log(house.site.id, issue_id)]


@pytest.mark.parametrize("some", [False, True])
def test_an_issue_ignored_by_two_people_at_the_same_time_is_ignored_once(
    house: House, browser: Browser, colleague: Browser, some: bool
) -> None:
    path = approval.found(house)
    issue_id = path.rpartition("/")[2]
    chosen = {"what": "some", "page": [ids.page_id(house.site.id, seed.url(house.site, 0))]} if some else {}
    one, other = (
        ignoring(who.get(path), "ignore", reason="Meant so.") | {"patterns": ""} | chosen
        for who in (browser, colleague)
    )
    answers = pressed_by_both(browser, colleague, path, (one, other))
    assert answers == ([303, 303] if some else [303, 409])
    book = issues.load_state(house.site.id)
    issue = None if book is None else book.by_id(issue_id)
    assert issue is not None and issue.ignored is not None
    assert (issue.status, issue.affected_pages) == (("open", 1) if some else ("ignored", 2))
    assert issue.ignored.scope is None or len(issue.ignored.scope.pages) == 1
    assert log_of(house, issue_id).count("ignored") == (2 if some else 1), "the reason of the later press holds"


def test_only_one_recheck_starts_if_two_people_request_it_at_the_same_time(
    house: House, browser: Browser, colleague: Browser
) -> None:
    path = approval.found(house)
    forms = [{"token": token_of(who), "nonce": nonce * 32} for who, nonce in ((browser, "a"), (colleague, "b"))]
    assert pressed_by_both(browser, colleague, path, (forms[0], forms[1])) == [303, 409]
    waiting = crawls.oldest_waiting_recheck(house.site.id)
    book = issues.load_state(house.site.id)
    issue = None if book is None else book.by_id(path.rpartition("/")[2])
    assert waiting is not None and issue is not None and issue.pending_recheck == waiting.id
    assert len(list(crawls._newest_rechecks(house.site.id))) == 1


@pytest.mark.parametrize("what", ["suggestions", "images"])
def test_values_approved_by_two_people_at_the_same_time_make_one_batch(
    house: House, browser: Browser, colleague: Browser, what: str
) -> None:
    if what == "images":
        path = alt_texts.found(house)
        one, other = (alt_texts.sent(who.get(path)) for who in (browser, colleague))
    else:
        path = approval.found(house)
        one, other = (approval.sent(who.get(path)) for who in (browser, colleague))
    assert pressed_by_both(browser, colleague, path, (one, other)) == [303, 303]
    (batch,) = changes.list_all(house.site.id)
    issue_id = path.split("/issues/")[1].partition("/")[0]
    assert (batch.issue_id, log_of(house, issue_id)) == (issue_id, ["changed"])


@pytest.mark.parametrize("do", ["ignore", "unignore", "approve", "recheck"])
def test_a_viewer_cannot_use_any_form_of_an_issue(house: House, browser: Browser, do: str) -> None:
    path = approval.found(house)
    forms = {
        "ignore": ignoring(browser.get(path), "ignore", reason="Meant so."),
        "unignore": {"do": "unignore", "nonce": "a" * 32},
        "approve": approval.sent(browser.get(path)),
        "recheck": {"do": "recheck", "nonce": "a" * 32},
    }
    if do == "unignore":
        browser.post(path, forms["ignore"])
    client = viewer(house, house.site.id)
    fields = forms[do] | {"token": token_of(client)}
    before = stored()
    assert client.post(path, fields).status == 403
    assert stored() == before
