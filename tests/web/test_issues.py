"""Actions, issues and one issue: their numbers are the API's, and a check again is queued once."""

from collections.abc import Callable

import msgspec
import pytest

from chalicelib.domain import ids
from chalicelib.store import issues
from chalicelib.store.transactions import commit
from chalicelib.web.screens.issue import Piece, struck
from tests.api import largest, seed
from tests.api.client import Client
from tests.api.conftest import House
from tests.web.conftest import Browser


def issue_path(house: House) -> str:
    return f"/app/sites/{house.site.id}/issues/{ids.issue_id(house.site.id, seed.PAGE_RULE.id)}"


def test_actions_and_issues_link_to_the_issue(house: House, browser: Browser) -> None:
    seed.settled(house.site)
    for screen in ("actions", "issues"):
        shown = browser.get(f"/app/sites/{house.site.id}/{screen}")
        assert [one.attributes["href"] for one in shown.dom.css("main a.title")] == [issue_path(house)]
        assert seed.PAGE_RULE.title in shown.main


@pytest.mark.parametrize("screen", ["", "/actions", "/issues"])
def test_a_row_of_actions_or_issues_begins_with_the_title(house: House, browser: Browser, screen: str) -> None:
    seed.settled(house.site)
    shown = browser.get(f"/app/sites/{house.site.id}{screen}")
    titled = [row for row in shown.dom.css("#actions tbody tr, #issues tbody tr") if row.css("a.title")]
    assert titled
    for row in titled:
        assert row.css_first("td").css("a.title"), "phones and screen readers show the cells in their order"


@pytest.mark.parametrize("screen", ["actions", "issues", "pages", "redirects"])
def test_before_the_first_audit_a_list_leads_to_the_audits(house: House, browser: Browser, screen: str) -> None:
    shown = browser.get(f"/app/sites/{house.site.id}/{screen}")
    (way,) = shown.dom.css("main a.button")
    assert way.attributes["href"] == f"/app/sites/{house.site.id}/audits"
    assert not [number for number in shown.main.split() if number == "0"], "what is not known is no zero"


def test_an_open_issue_shows_how_much_the_score_would_rise(house: House, browser: Browser) -> None:
    seed.audited(house.site)
    told = Client(house.key).get(f"/sites/{house.site.id}/actions").json["actions"]
    (gain,) = [one["estimatedScoreGain"] for one in told if issue_path(house).endswith(one["issueId"])]
    assert gain > 0
    shown = browser.get(issue_path(house)).dom.css_first("main .bar")
    assert shown is not None and f"+{gain:.1f} score" in shown.text()


def test_issues_can_be_filtered_by_the_query_string(house: House, browser: Browser) -> None:
    seed.settled(house.site)
    path = f"/app/sites/{house.site.id}/issues"
    assert seed.SITE_RULE.title in browser.get(f"{path}?status=resolved").main
    assert "Nothing matches" in browser.get(f"{path}?q=nowhere").main


def test_issues_can_be_filtered_by_template_with_counts(house: House, browser: Browser) -> None:
    seed.settled(house.site)
    book = issues.load_state(house.site.id)
    assert book is not None
    book.issues[0].template = "Product <b>"
    commit([issues.put_state(house.site.id, msgspec.structs.replace(book, version=book.version + 1), replaces=1)])
    path = f"/app/sites/{house.site.id}/issues"
    counts = Client(house.key).get(f"/sites/{house.site.id}/issues").json["counts"]
    assert counts["template"] == {"Product <b>": 1}

    def offered(asked: str) -> list[str]:
        return [one.text() for one in browser.get(f"{path}?{asked}").dom.css("select[name=template] option")]

    assert offered("") == offered("template=Product+%3Cb%3E") == ["All", "Product <b> (1)"]
    assert offered("template=Gone") == ["All", "Gone (0)", "Product <b> (1)"], "what was asked for stays chosen"
    assert "Nothing matches" in browser.get(f"{path}?template=Gone").main


def test_a_recheck_is_queued_and_no_longer_offered(house: House, browser: Browser) -> None:
    seed.settled(house.site)
    path = issue_path(house)
    screen = browser.follow(browser.submit(browser.get(path), path))
    assert "The check is queued." in screen.main
    assert not screen.dom.css("main form[method=post]")
    book = issues.load_state(house.site.id)
    assert book is not None and book.issues[0].status == "recheck_queued"


def test_words_missing_from_a_suggestion_are_struck_out() -> None:
    assert struck("A long title | Acme", "A title | Acme") == [
        Piece("A", gone=False),
        Piece("long", gone=True),
        Piece("title | Acme", gone=False),
    ]
    assert struck(None, "New") == []


@pytest.mark.parametrize("make", [largest.issue, largest.issue_list, largest.action_list], ids=lambda one: one.__name__)
def test_screens_with_the_largest_lists_stay_small(
    house: House, browser: Browser, make: Callable[[House], str]
) -> None:
    path = make(house).partition("?")[0]
    screen = browser.get("/app" + path[path.index("/sites/") :])
    assert screen.status == 200
    assert len(screen.text.encode()) <= 80_000
