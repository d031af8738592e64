"""A website's overview: what moved its score, what one change mends, and search against the days before."""

import re
from datetime import date, timedelta

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain.audit.causes import Cause
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.periods import ending
from chalicelib.domain.search.recent import RecentDays
from chalicelib.domain.search.totals import DayTotals, TypeTotals
from chalicelib.http.inside import Asker
from chalicelib.store import connections, crawls, issues, items, keys, websites
from chalicelib.store.shapes import SITE_SUMMARY
from chalicelib.store.transactions import commit
from tests import stored_search
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House
from tests.web.conftest import Browser, Screen
from tests.web.screens import asked_of_the_api
from tests.web.test_limits import HARM, assert_harmless


def overview(house: House, browser: Browser) -> Screen:
    screen = browser.get(f"/app/sites/{house.site.id}")
    assert screen.status == 200, screen.main
    return screen


def rows(screen: Screen, part: str) -> list[list[str]]:
    """The cells of the tables of a part."""
    return [
        [" ".join(str(cell.text()).split()) for cell in row.css("th, td")] for row in screen.dom.css(f"{part} tbody tr")
    ]


def words(screen: Screen, part: str) -> str:
    found = screen.dom.css_first(part)
    assert found is not None
    return " ".join(str(found.text(separator=" ")).split())


def scored(house: House, *scores: tuple[int, int, str]) -> None:
    """Leave these scores: weeks that they lie back, tenths and version."""
    now = clock.now()
    state = seed.summary(3, 1)
    before = state.history[0]
    state.history = [
        type(before)(tenths, tenths, None, version, now - weeks * 7 * seed.DAY, f"crawl_{weeks}")
        for weeks, tenths, version in scores
    ]
    items.update(
        "sites",
        *keys.website(house.site.workspace_id, house.site.id),
        "SET #summary = :summary",
        names={"#summary": "summary"},
        values={":summary": SITE_SUMMARY.pack(state)},
    )


def searched(house: House, clicks: int = 3, missing: int | None = None) -> None:
    """Leave 60 days of search, of which the later 28 brought twice as much. ``missing``: a day that is not known."""
    current = websites.get(house.site.workspace_id, house.site.id)
    assert current is not None
    last = stored_search.today() - timedelta(3)
    totals = [
        DayTotals(f"{last - timedelta(back)}", TypeTotals(Figures(size, 10 * size, 20 * size)))
        for back in range(60)
        for size in [clicks * (2 if back < 28 else 1)]
        if back != missing
    ]
    stored_search.connect(house.site)
    stored_search.put_totals(house.site, reversed(totals), ending(last, 60))
    current = websites.get(house.site.workspace_id, house.site.id)
    assert current is not None
    commit([connections.shown(current, current.connections, RecentDays.of(totals, last))])


def shared(house: House, kind: str, key: str) -> None:
    """Both issues of the seed are open and have one cause."""
    seed.reopened(house.site)
    book = issues.load_state(house.site.id)
    assert book is not None
    for issue in book.issues:
        issue.cause = Cause.of(kind, key)  # type: ignore[arg-type]
    book.version += 1
    commit([issues.put_state(house.site.id, book, replaces=book.version - 1)])


def test_the_score_chart_marks_audits_and_written_changes(house: House, browser: Browser) -> None:
    seed.audited(house.site)
    seed.written(house.site)
    seed.written(house.site, "batch_undo", kind="undo", sequence=2, undoes=seed.BATCH)
    (*_, last) = rows(overview(house, browser), "#scores .numbers")
    assert last[0].endswith("· Audit · Titles taken back · Titles written"), last
    assert last[1] == "81.4"


def test_a_change_that_is_not_yet_written_has_no_mark_in_the_chart(house: House, browser: Browser) -> None:
    seed.audited(house.site)
    seed.written(house.site, ended_at=None, status="applying")
    assert "Titles" not in words(overview(house, browser), "#scores")


def test_a_week_without_a_score_breaks_the_line(house: House, browser: Browser) -> None:
    seed.audited(house.site)
    scored(house, (3, 700, "1"), (1, 720, "1"), (0, 730, "1"))
    screen = overview(house, browser)
    assert [row[1] for row in rows(screen, "#scores .numbers")] == ["70.0", "–", "72.0", "73.0"]
    assert len(screen.dom.css("#scores polyline")) == 1


def test_scores_of_two_versions_are_not_connected_by_a_line(house: House, browser: Browser) -> None:
    seed.audited(house.site)
    scored(house, (2, 700, "1"), (1, 710, "1"), (0, 500, "2"))
    found = rows(overview(house, browser), "#scores .numbers")
    assert [row[1] for row in found] == ["70.0", "71.0", "–", "50.0"]
    assert "in a new way" in found[2][0]


def test_a_single_score_gives_no_chart(house: House, browser: Browser) -> None:
    seed.audited(house.site)
    scored(house, (0, 730, "1"))
    screen = overview(house, browser)
    assert not screen.dom.css("#scores svg.chart") and not screen.dom.css("#scores .numbers")


def test_changes_since_the_previous_audit_match_the_api(house: House, browser: Browser) -> None:
    seed.settled(house.site)
    read = [msgspec.structs.replace(row, facts_crawl=seed.AUDIT) for row in seed.rows(house.site, 9)]
    seed.keep(house.site, "crawl_01KB9Z6A7B8C9D0E1F2G3H4J5K", read[2:], 0, issues=[])
    made = "crawl_01KBAZ6A7B8C9D0E1F2G3H4J5K"
    seed.keep(house.site, made, read[:5], 2)
    state = seed.summary(5, 1)
    assert state.last_audit is not None
    state.last_audit = type(state.last_audit)(made, clock.now() - 5, 5, None, None)
    items.update(
        "sites",
        *keys.website(house.site.workspace_id, house.site.id),
        "SET #summary = :summary",
        names={"#summary": "summary"},
        values={":summary": SITE_SUMMARY.pack(state)},
    )
    told = Client(house.key).get(f"/sites/{house.site.id}/audits/{made}/diff").json
    counts, moved = told["issues"], told["pages"]
    assert counts["new"] and (moved["appeared"]["count"], moved["left"]["count"]) == (2, 4)
    said = words(overview(house, browser), "#since")
    assert f"{counts['new']} new · {counts['reopened']} reopened · {counts['resolved']} resolved" in said
    assert "2 added · 4 removed" in said
    assert all(one["title"] in said for one in counts["issues"] if one["change"] == "new")


def test_watching_an_audit_requests_only_its_state(house: House, browser: Browser) -> None:
    seed.audited(house.site)
    address = f"/app/sites/{house.site.id}"
    with asked_of_the_api() as asked:
        whole = browser.get(f"{address}?live=1")
    everything = {one.endpoint.operation_id for one in asked}
    assert "compare_audits" in everything and not whole.dom.css("[data-live]")
    assert "live=1" not in whole.text and whole.main == overview(house, browser).main
    browser.submit(whole, address)
    with asked_of_the_api() as asked:
        followed = browser.get(f"{address}?live=1")
    assert {one.endpoint.operation_id for one in asked} == {"read_site", "list_audits"}
    live = followed.dom.css_first("#audits[data-live]")
    assert live is not None and live.html == overview(house, browser).dom.css_first("#audits").html  # type: ignore[union-attr]


def test_all_parts_of_a_watched_screen_are_shown_after_the_audit_has_ended(
    house: House, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed.audited(house.site)
    browser.submit(overview(house, browser), f"/app/sites/{house.site.id}")
    inner = Asker.ask

    def ask(self: Asker, endpoint: object, *given: object) -> object:
        answer = inner(self, endpoint, *given)  # type: ignore[arg-type]
        ended = getattr(endpoint, "operation_id", "") == "list_audits"  # since the website was read
        return msgspec.structs.replace(answer, active=None) if ended else answer

    monkeypatch.setattr(Asker, "ask", ask)
    screen = browser.get(f"/app/sites/{house.site.id}?live=1")
    assert screen.dom.css_first("#since dl") is not None and screen.dom.css("#scores svg.chart")


def test_without_a_previous_audit_no_comparison_is_shown(house: House, browser: Browser) -> None:
    seed.audited(house.site)
    assert overview(house, browser).dom.css_first("#since") is not None
    items.delete("crawls", *keys.kept_header(house.site.id, seed.BEFORE))
    assert overview(house, browser).dom.css_first("#since") is None


def test_without_an_audit_no_comparison_is_requested(house: House, browser: Browser) -> None:
    screen = overview(house, browser)
    assert screen.dom.css_first("#since") is None and "No score yet" in screen.main


def test_a_failing_comparison_does_not_affect_the_rest_of_the_screen(
    house: House, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed.audited(house.site)
    inner = Asker.ask

    def ask(self: Asker, endpoint: object, *given: object) -> object:
        if getattr(endpoint, "operation_id", "") in ("compare_audits", "list_changes", "list_audits"):
            raise RuntimeError("a fault")
        return inner(self, endpoint, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Asker, "ask", ask)
    screen = overview(house, browser)
    assert "This part could not be loaded." in words(screen, "#since")
    assert screen.dom.css("#scores svg.chart") and rows(screen, "#actions")


def test_a_failed_first_audit_is_not_announced_as_upcoming(house: House, browser: Browser) -> None:
    assert "The first audit reads the website" in overview(house, browser).main
    commit([crawls.put_new(seed.header(house.site, status="failed", coverage=None, error="It does not answer."))])
    screen = overview(house, browser)
    assert "It does not answer." in screen.main and "Check the address under Settings" in screen.main
    assert "The first audit" not in screen.main


def test_actions_show_their_pages_and_their_expected_gain(house: House, browser: Browser) -> None:
    seed.audited(house.site, count=5, affected=4)
    assert [row[2] for row in rows(overview(house, browser), "#actions")] == ["4"]
    shared(house, "template", "product")
    told = Client(house.key).get(f"/sites/{house.site.id}/actions").json["actions"]
    heading, *listed = rows(overview(house, browser), "#actions")
    assert heading == [f"One change fixes 2 actions, +{told[0]['cause']['gain']:.1f}: template product"]
    assert [row[2] for row in listed] == [str(one["affectedPages"]) for one in told]


@pytest.mark.parametrize("kind", ["layout", "scripts", "slash", "header"])
def test_every_kind_of_cause_has_its_text(house: House, browser: Browser, kind: str) -> None:
    seed.audited(house.site)
    shared(house, kind, HARM)
    for path in ("", "/actions"):
        screen = browser.get(f"/app/sites/{house.site.id}{path}")
        assert screen.status == 200 and "One change fixes" in screen.main
        assert_harmless(screen)


def test_clicks_and_impressions_are_compared_with_the_28_days_before(house: House, browser: Browser) -> None:
    searched(house)
    screen = overview(house, browser)
    said = words(screen, "#search")
    assert "Clicks 168 ▲ 84 more" in said and "Impressions 1,680 ▲ 840 more" in said
    found = rows(screen, "#search")
    first = stored_search.today() - timedelta(30)
    assert len(found) == 56 and found[0] == [f"{first.day} {first:%b}", "6", "3"] and found[-1][1:] == ["60", "30"]


def test_an_unknown_day_is_not_shown_as_zero(house: House, browser: Browser) -> None:
    searched(house, missing=0)
    screen = overview(house, browser)
    said = words(screen, "#search")
    assert "Clicks – " in said and "more" not in said
    assert rows(screen, "#search")[27][1] == "–"


def test_pages_read_are_counted_of_addresses_and_the_score_of_pages(house: House, browser: Browser) -> None:
    """An audit finds addresses that are no pages, so "100% of the known pages" beside "3 of 4" looked wrong."""
    seed.audited(house.site)
    commit([crawls.put_new(seed.header(house.site, "crawl_01KA0Z6A7B8C9D0E1F2G3H4J"))])
    screen = overview(house, browser)
    counted = [cells[1] for cells in rows(screen, "#audits")]
    assert "3 of 4 addresses" in counted and all(cell.endswith(" addresses") for cell in counted)
    assert re.search(r"Based on \d+% of the pages that crawlers may read", words(screen, "#scores"))
    shown = browser.get(f"/app/sites/{house.site.id}/audits/crawl_01KA0Z6A7B8C9D0E1F2G3H4J").main
    assert "3 of 4 addresses" in shown and "The other addresses redirect" in shown


def test_the_list_of_audits_shows_only_the_latest_five(house: House, browser: Browser) -> None:
    seed.audited(house.site)
    for number in range(8):
        commit([crawls.put_new(seed.header(house.site, f"crawl_01KA{number}Z6A7B8C9D0E1F2G3H4J"))])
    assert len(rows(overview(house, browser), "#audits")) == 5


def test_the_score_chart_shows_the_monday_of_each_week(house: House, browser: Browser) -> None:
    seed.audited(house.site)
    told = Client(house.key).get(f"/sites/{house.site.id}/scores").json["history"]
    found = rows(overview(house, browser), "#scores .numbers")
    for one in told:
        week = date.fromisoformat(one["week"])
        assert any(row[0].startswith(f"{week.day} {week:%b}") and row[1] == f"{one['site']}" for row in found)
