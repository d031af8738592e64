"""Websites, portfolio, summary, score history, performance."""

import dataclasses
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
from msgspec import structs

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts import keys as key_format
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.summary import RuleLoss
from chalicelib.domain.connections import Progress, Source
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.recent import RecentDays
from chalicelib.domain.search.totals import DayTotals, TypeTotals
from chalicelib.domain.speed.field import FieldRecord
from chalicelib.domain.speed.records import Collected, FieldBook
from chalicelib.operations import accounts, audits
from chalicelib.operations import websites as websites_
from chalicelib.store import connections, items, kept_audits, keys, websites
from chalicelib.store import speed as store
from chalicelib.store.shapes import SITE_SUMMARY
from chalicelib.store.transactions import commit
from tests import speed
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import EVERY_SCOPE, House


def test_the_list_holds_every_website_sorted_by_name_without_regard_to_letter_case(house: House, api: Client) -> None:
    body = api.get("/sites").json
    assert (body["total"], body["nextOffset"], body["truncated"]) == (2, None, False)
    assert api.get("/sites?offset=1").json["websites"] == body["websites"][1:]
    assert [website["name"] for website in body["websites"]] == ["blog", "Main"]
    assert body["websites"][1] == {
        "id": house.site.id,
        "name": "Main",
        "host": "acme.example",
        "url": "https://acme.example/",
        "platform": "unknown",
        "status": "active",
        "link": f"https://app.example.com/sites/{house.site.id}",
    }


def test_a_website_key_sees_only_its_website(house: House) -> None:
    client = Client(house.new_key("sites:read", sites=(house.site.id,)))
    assert [website["id"] for website in client.get("/sites").json["websites"]] == [house.site.id]
    portfolio = client.get("/portfolio").json
    assert portfolio["total"] == 1
    assert [website["id"] for website in portfolio["websites"]] == [house.site.id]


def test_before_the_first_audit_what_is_unknown_is_null_and_never_zero(house: House, api: Client) -> None:
    body = api.get(f"/sites/{house.site.id}").json
    for name in ("score", "previousAudit", "lastWeek", "lastAudit"):
        assert body[name] is None
    assert body["issues"] == {"open": None, "critical": None, "newThisWeek": None}
    assert body["actions"] == {"open": None, "waiting": None}
    assert body["change"] == {"sincePreviousAudit": None, "sinceLastWeek": None}
    assert body["running"] is False
    assert body["nextScheduledAuditAt"].endswith("Z")
    assert body["cms"]["connected"] is False
    assert {connection["kind"] for connection in body["connections"]} == {"cms", "shop", "search", "analytics"}


def test_the_summary_shows_what_the_last_audit_left(house: House, api: Client) -> None:
    seed.audited(house.site)
    body = api.get(f"/sites/{house.site.id}").json
    assert (body["score"]["site"], body["score"]["health"], body["score"]["aeo"]) == (81.4, 83.0, 76.6)
    assert body["score"]["coverage"] == 98.1
    assert body["score"]["categories"] == [{"category": "ONP", "score": 74.2, "weight": 18.0, "openIssues": 1}]
    assert body["change"]["sincePreviousAudit"] == {"site": 2.5, "health": 2.9, "aeo": 1.3}
    assert body["change"]["sinceLastWeek"] == {"site": 2.5, "health": 2.9, "aeo": 1.3}
    assert body["lastWeek"]["site"] == 78.9
    assert body["issues"] == {"open": 2, "critical": 1, "newThisWeek": 1}
    assert body["actions"] == {"open": 2, "waiting": 1}
    assert body["lastAudit"]["coverage"] == {"sitemapUrls": 4, "sitemapCrawled": 3, "percent": 75.0}
    assert body["staleInputs"] == []


def test_an_audit_that_understood_little_is_told_first(house: House, api: Client) -> None:
    assert api.get(f"/sites/{house.other_site.id}").json["notice"] is None
    seed.audited(house.site)
    told = "Little of this website could be judged: no address answered with an HTML page."
    summary = structs.replace(seed.summary(3, 1), notice=told)
    items.update(
        "sites",
        *keys.website(house.workspace_id, house.site.id),
        "SET #summary = :summary",
        names={"#summary": "summary"},
        values={":summary": SITE_SUMMARY.pack(summary)},
    )
    listed = {one["id"]: one for one in api.get("/portfolio").json["websites"]}
    for body in (api.get(f"/sites/{house.site.id}").json, listed[house.site.id]):
        assert body["notice"] == told
        assert list(body).index("notice") < list(body).index("score")


def test_what_is_new_or_waiting_is_judged_at_the_time_of_reading(house: House, api: Client) -> None:
    seed.audited(house.site)
    clock.set_offset(12 * seed.DAY)
    body = api.get(f"/sites/{house.site.id}").json
    assert body["issues"]["newThisWeek"] == 0
    assert body["actions"]["waiting"] == 2


def test_scores_of_two_versions_are_not_compared(house: House, api: Client) -> None:
    seed.audited(house.site)
    summary = seed.summary(3, 1)
    assert summary.previous_audit is not None
    summary.previous_audit = structs.replace(summary.previous_audit, version="0")
    _store_summary(house, summary)
    body = api.get(f"/sites/{house.site.id}").json
    assert body["previousAudit"]["version"] == "0"
    assert body["change"]["sincePreviousAudit"] is None
    assert body["change"]["sinceLastWeek"] is not None


def test_a_score_without_aeo_has_no_difference_in_aeo(house: House, api: Client) -> None:
    summary = seed.summary(3, 1)
    assert summary.score is not None
    summary.score.entry.aeo = None
    _store_summary(house, summary)
    body = api.get(f"/sites/{house.site.id}").json
    assert body["score"]["aeo"] is None
    assert body["change"]["sincePreviousAudit"] == {"site": 2.5, "health": 2.9, "aeo": None}


def test_running_says_whether_an_audit_is_running(house: House, api: Client) -> None:
    seed.running(house.site)
    seed.running(house.other_site, "crawl_recheck", kind="recheck")
    by_id = {website["id"]: website["running"] for website in api.get("/portfolio").json["websites"]}
    assert by_id == {house.site.id: True, house.other_site.id: False}


def test_search_stands_in_a_website_only_for_keys_that_may_read_it(house: House, api: Client) -> None:
    assert api.get("/portfolio").json["websites"][0]["search"] == {"connected": False}
    client = Client(house.new_key("sites:read"))
    assert "search" not in client.get("/portfolio").json["websites"][0]
    assert "search" not in client.get(f"/sites/{house.site.id}").json


def searched(house: House, days: int, clicks: int = 1, **connection: Any) -> None:
    """The website is connected to its search data, and so many days of it are known, with so many clicks each."""
    website = websites.get(house.workspace_id, house.site.id)
    assert website is not None
    final = _today() - timedelta(3)
    source = Source(kind="search", name="sc-domain:acme.example", account="a@b", connected_at=clock.now(), **connection)
    totals = [
        DayTotals((final - timedelta(number)).isoformat(), TypeTotals(Figures(clicks, 10 * clicks, 20)))
        for number in range(days)
    ]
    known = RecentDays.of(totals, final) if days else None
    commit([connections.shown(website, website.connections.with_source("search", source), known)])


def _today() -> date:
    return clock.utc(clock.now()).date()


def test_search_data_is_compared_with_the_28_days_before(house: House, api: Client) -> None:
    searched(house, 60)
    body = api.get("/portfolio").json
    last = _today() - timedelta(3)
    period = {"from": (last - timedelta(27)).isoformat(), "to": last.isoformat()}
    before = {"from": (last - timedelta(55)).isoformat(), "to": (last - timedelta(28)).isoformat()}
    assert body["searchPeriod"] == {**period, "previousFrom": before["from"], "previousTo": before["to"]}
    shown = {
        "connected": True,
        "period": period,
        "previousPeriod": before,
        "clicks": 28,
        "impressions": 280,
        "previousClicks": 28,
        "previousImpressions": 280,
    }
    assert next(one for one in body["websites"] if one["id"] == house.site.id)["search"] == shown
    assert api.get(f"/sites/{house.site.id}").json["search"] == shown
    blind = Client(house.new_key("sites:read")).get("/portfolio").json
    assert blind["searchPeriod"] is None and "search" not in blind["websites"][1]


@pytest.mark.parametrize(
    ("days", "clicks", "before"), [(0, None, None), (27, None, None), (30, 28, None), (56, 28, 28)]
)
def test_days_that_are_not_known_yet_make_no_zeros(
    days: int, clicks: int | None, before: int | None, house: House, api: Client
) -> None:
    searched(house, days)
    found = api.get(f"/sites/{house.site.id}").json["search"]
    assert (found["connected"], found["clicks"], found["previousClicks"]) == (True, clicks, before)


def test_old_search_data_compares_whole_periods_and_is_named_as_old(house: House, api: Client) -> None:
    searched(house, 60)
    last = _today() - timedelta(3)
    clock.set_offset(11 * seed.DAY)
    assert api.get(f"/sites/{house.site.id}").json["staleInputs"] == []
    clock.set_offset(12 * seed.DAY)
    body = api.get(f"/sites/{house.site.id}").json
    assert body["staleInputs"] == ["search"]
    assert body["search"]["period"]["to"] == last.isoformat() and body["search"]["previousClicks"] == 28
    portfolio = api.get("/portfolio").json
    shown = next(one["search"] for one in portfolio["websites"] if one["id"] == house.site.id)
    named = portfolio["searchPeriod"]
    assert {"from": named["from"], "to": named["to"]} == shown["period"] == body["search"]["period"]
    assert {"from": named["previousFrom"], "to": named["previousTo"]} == shown["previousPeriod"]


def test_how_far_an_import_is_and_why_it_waits_is_told(house: House, api: Client) -> None:
    at = clock.now() - 3 * seed.DAY
    searched(house, 60, progress=Progress(12, 488), waiting="No quota.", imported_at=at, imported_rows=5)
    found = next(one for one in api.get(f"/sites/{house.site.id}").json["connections"] if one["kind"] == "search")
    assert (found["connected"], found["rowsLastImport"], found["staleDays"], found["error"]) == (
        True,
        5,
        3,
        "No quota.",
    )
    assert found["importing"] == {"daysDone": 12, "days": 488}


def test_the_portfolio_is_cut_into_pages(house: House, api: Client) -> None:
    first = api.get("/portfolio?per=1").json
    second = api.get("/portfolio?per=1&page=2").json
    third = api.get("/portfolio?per=1&page=3").json
    assert [len(page["websites"]) for page in (first, second, third)] == [1, 1, 0]
    assert [page["hasMore"] for page in (first, second, third)] == [True, False, False]
    assert (first["total"], first["page"], first["per"]) == (2, 1, 1)
    assert first["websites"][0]["name"] == "blog"
    assert first["searchPeriod"] is None


def test_the_portfolio_has_fifty_websites_on_a_page_when_nothing_is_asked(api: Client) -> None:
    assert api.get("/portfolio").json["per"] == 50


def test_score_history_is_oldest_first_and_leaves_weeks_without_an_audit_out(house: House, api: Client) -> None:
    assert api.get(f"/sites/{house.site.id}/scores").json == {"current": None, "history": []}
    seed.audited(house.site)
    body = api.get(f"/sites/{house.site.id}/scores").json
    assert body["current"]["site"] == 81.4
    assert [entry["site"] for entry in body["history"]] == [78.9, 81.4]
    assert body["history"][1]["auditId"] == seed.AUDIT


def test_the_score_says_what_each_rule_costs(house: House, api: Client) -> None:
    summary = seed.summary(3, 1)
    assert summary.score is not None
    summary.score.losses = [RuleLoss("SEO-ONP-001", 124), RuleLoss("SEO-LNK-001", 62)]
    _store_summary(house, summary)
    current = api.get(f"/sites/{house.site.id}/scores").json["current"]
    assert current["losses"] == [
        {"ruleId": "SEO-ONP-001", "issueId": ids.issue_id(house.site.id, "SEO-ONP-001"), "points": 12.4},
        {"ruleId": "SEO-LNK-001", "issueId": ids.issue_id(house.site.id, "SEO-LNK-001"), "points": 6.2},
    ]
    assert round(sum(loss["points"] for loss in current["losses"]), 1) == round(100 - current["site"], 1)
    assert "losses" not in api.get(f"/sites/{house.site.id}").json["score"]


def test_a_score_of_the_version_before_was_not_split(house: House, api: Client) -> None:
    seed.audited(house.site)
    current = api.get(f"/sites/{house.site.id}/scores").json["current"]
    assert (current["version"], current["losses"]) == ("1", None)


def test_score_history_ends_thirteen_weeks_ago(house: House, api: Client) -> None:
    seed.audited(house.site)
    clock.set_offset(14 * 7 * seed.DAY)
    body = api.get(f"/sites/{house.site.id}/scores").json
    assert body["current"]["site"] == 81.4
    assert body["history"] == []


def test_performance_is_empty_and_says_so_until_there_is_a_speed_test(house: House, api: Client) -> None:
    body = api.get(f"/sites/{house.site.id}/performance").json
    assert body["site"] == {"phone": None, "desktop": None}
    assert body["pages"] == []
    assert body["budget"] == {"perDay": 25, "usedToday": 0, "left": 25, "nextFreeAt": None}
    assert body["note"]


def test_performance_tells_the_lab_beside_visitors_and_whose_value_findings_go_by(house: House, api: Client) -> None:
    now, url = clock.now(), seed.url(house.site, 0)
    collected = Collected(FieldRecord(True, None, 2_700.0, 150.0, 0.05, "2026-11-19"), now - 60)
    speed.stored(
        house.site.id,
        [
            speed.result(url, at=now - 20, runs=3, lcp_ms=4_000.0, template="product"),
            speed.result(url, "desktop", at=now - 10, runs=1, lcp_ms=1_100.0, template="product"),
            speed.result(seed.url(house.site, 1), at=now - 30, runs=2, lcp_ms=900.0),
        ],
    )
    commit([store.put_field(house.site.id, store.load_field(house.site.id), FieldBook(phone=collected))])
    commit([store.put_state(house.site.id, store.load_state(house.site.id).taken(4, now))])
    body = api.get(f"/sites/{house.site.id}/performance").json
    assert body["site"]["desktop"] is None
    assert {name: body["site"]["phone"][name] for name in ("available", "lcpMs", "periodEnd", "reason")} == {
        "available": True,
        "lcpMs": 2_700.0,
        "periodEnd": "2026-11-19",
        "reason": None,
    }
    first, second = body["pages"]
    assert (first["url"], first["template"], first["lighthouseVersion"]) == (url, "product", speed.VERSION)
    assert first["lab"] == {"lcpMs": 4_000.0, "cls": 0.02, "runs": 3, "desktopLcpMs": 1_100.0}
    field = {"scope": "site", "lcpMs": 2_700.0, "inpMs": 150.0, "cls": 0.05, "periodEnd": "2026-11-19"}
    assert first["field"] == second["field"] == field
    assert first["findingsUse"] == {"lcp": "field_site", "cls": "lab", "inp": None}, "a lab measures no INP"
    assert second["findingsUse"] == {"lcp": None, "cls": None, "inp": None}  # two runs are no median
    assert second["lab"] == {"lcpMs": 900.0, "cls": 0.02, "runs": 2, "desktopLcpMs": None}
    assert body["budget"] == {"perDay": 25, "usedToday": 4, "left": 21, "nextFreeAt": None}
    assert body["note"].startswith("1 page has fewer than three runs")
    rest = api.get(f"/sites/{house.site.id}/performance?offset=1").json
    assert (rest["pages"], rest["total"], rest["nextOffset"]) == ([second], 2, None)
    assert rest["note"] == body["note"]


def test_speed_is_a_stale_input_when_nothing_was_tested_for_two_weeks(house: House, api: Client) -> None:
    path = f"/sites/{house.site.id}"
    speed.stored(house.site.id, [speed.result(house.site.url, at=clock.now() - 13.9 * seed.DAY)])
    assert api.get(path).json["staleInputs"] == []
    clock.set_offset(clock.offset() + 0.2 * seed.DAY)
    assert api.get(path).json["staleInputs"] == ["speed"]
    speed.stored(house.site.id, [speed.result(house.site.url)])
    assert api.get(path).json["staleInputs"] == []


def test_analytics_is_a_stale_input_when_what_it_told_ended_two_weeks_ago(house: House, api: Client) -> None:
    path, now = f"/sites/{house.site.id}", clock.now()
    seed.audited(house.site)
    seed.measured(house.site)
    assert api.get(path).json["staleInputs"] == [], "a property that was never read is not old"
    website = websites.get(house.workspace_id, house.site.id)
    assert website is not None and website.connections.analytics is not None
    source = website.connections.analytics.imported(120, now)
    commit([connections.shown(website, website.connections.with_source("analytics", source))])
    midnight = now - now % seed.DAY
    clock.set_offset(clock.offset() + midnight + 12 * seed.DAY - now - 60)
    assert api.get(path).json["staleInputs"] == []
    clock.set_offset(clock.offset() + 120)
    body = api.get(path).json
    assert body["staleInputs"] == ["analytics"] and body["score"]["confidence"] == "high"
    (shown,) = [one for one in body["connections"] if one["kind"] == "analytics"]
    assert (shown["connected"], shown["rowsLastImport"], shown["error"]) == (True, 120, None)
    assert shown["staleDays"] == int((clock.now() - now) // seed.DAY) and shown["lastImportAt"] is not None


def test_a_paused_website_has_no_next_audit(house: House, api: Client) -> None:
    items.update("sites", *keys.website(house.workspace_id, house.site.id), "REMOVE nextAuditAt, dueShard")
    assert api.get(f"/sites/{house.site.id}").json["nextScheduledAuditAt"] is None
    assert api.get(f"/sites/{house.site.id}/audits").json["nextScheduledAt"] is None


def _store_summary(house: House, summary: object) -> None:
    items.update(
        "sites",
        *keys.website(house.workspace_id, house.site.id),
        "SET summary = :summary",
        values={":summary": SITE_SUMMARY.pack(summary)},
    )


def test_the_numbers_of_the_answers_are_json_numbers(house: House, api: Client) -> None:
    audits.start(
        websites.get(house.workspace_id, house.site.id) or house.site,
        500,
        page_budget=None,
        person_id=None,
        through_api=False,
        now=clock.now(),
    )
    audit = api.get(f"/sites/{house.site.id}/audits").json["audits"][0]
    assert type(audit["pageBudget"]) is int
    assert type(audit["timeLimitMinutes"]) is int


def test_a_website_of_the_portfolio_has_its_members_in_the_order_of_the_description(house: House, api: Client) -> None:
    seed.audited(house.site)
    for body in (api.get("/portfolio").json["websites"][0], api.get(f"/sites/{house.site.id}").json):
        names = list(body)
        assert names[names.index("nextScheduledAuditAt") + 1 :][:2] == ["search", "link"]


def _summary(site_tenths: int | None, weeks: dict[int, int], issues: int = 0, critical: int = 0, pages: int = 1) -> Any:
    """What an audit left: a score now, and scores of so many weeks ago (at the same time of the week)."""
    summary, now = seed.summary(3, 1), clock.now()
    assert summary.score is not None and summary.last_audit is not None
    entry = summary.score.entry
    history = [structs.replace(entry, site=site, computed_at=now - 7 * ago * seed.DAY) for ago, site in weeks.items()]
    summary.history = sorted(history, key=lambda one: one.computed_at)
    summary.score = None if site_tenths is None else structs.replace(summary.score)
    if summary.score is not None:
        summary.score.entry = structs.replace(entry, site=site_tenths)
    summary.issue_first_seen, summary.critical_issues = [now] * issues, critical
    summary.action_first_seen = [now - 20 * seed.DAY] * issues
    summary.last_audit = structs.replace(summary.last_audit, pages_crawled=pages)
    return summary


def test_weekly_scores_are_those_of_thirteen_weeks_with_unknown_ones_null(house: House, api: Client) -> None:
    weeks = {ago: 700 + ago for ago in (0, 1, 3, 12, 13, 20)}
    _store_summary(house, _summary(700, weeks))
    body = api.get("/portfolio").json
    shown = {one["id"]: one["weeklyScores"] for one in body["websites"]}
    assert shown[house.site.id] == [71.2, *[None] * 8, 70.3, None, 70.1, 70.0]
    assert shown[house.other_site.id] == [None] * 13
    monday = _today() - timedelta(_today().weekday())
    assert body["weeks"] == [(monday - timedelta(weeks=ago)).isoformat() for ago in reversed(range(13))]
    history = api.get(f"/sites/{house.site.id}/scores").json["history"]
    assert {one["week"]: one["site"] for one in history} == {
        week: score for week, score in zip(body["weeks"], shown[house.site.id], strict=True) if score is not None
    }


def test_weekly_scores_of_another_version_are_left_out(house: House, api: Client) -> None:
    summary = _summary(700, {0: 700, 1: 650, 2: 640})
    summary.history[0].version = "0"
    _store_summary(house, summary)
    assert api.get(f"/sites/{house.site.id}").json["weeklyScores"][-3:] == [None, 65.0, 70.0]


def test_a_score_at_midnight_on_monday_belongs_to_the_week_that_begins(house: House, api: Client) -> None:
    summary = _summary(700, {0: 700})
    monday = _monday()
    for seconds, place in ((monday, -1), (monday - 1, -2)):
        summary.history = [structs.replace(summary.history[0], computed_at=seconds)]
        _store_summary(house, summary)
        scores = api.get(f"/sites/{house.site.id}").json["weeklyScores"]
        assert scores[place] == 70.0 and scores.count(None) == 12


def _monday() -> float:
    return datetime.combine(_today() - timedelta(_today().weekday()), time.min, UTC).timestamp()


@pytest.fixture
def many(store: None) -> Client:
    """A client of twelve websites: two paused, one running, three never audited, some with equal values."""
    workspace = accounts.create_workspace(OPERATOR, "Many", "enterprise")
    person = accounts.add_person(OPERATOR, workspace.id, "owner@many.example", "owner")
    house = House(workspace.id, person.id, None, None, "")  # type: ignore[arg-type]  # of its own websites
    for number in range(12):
        site = websites_.add(OPERATOR, workspace.id, f"https://s{number:02d}.many.example/", name=NAMES[number])
        of_site = dataclasses.replace(house, site=site)
        if number % 4:
            audited = _summary(500 + number % 5 * 90, {0: 500, 1: 500 + number}, number % 3, number % 2, 10 * number)
            _store_summary(of_site, audited if number != 7 else _summary(None, {}))
        if number % 3 == 1:
            searched(of_site, 60 if number != 10 else 5, clicks=number // 2)
        if number in (2, 8):
            websites_.pause(OPERATOR, site.id)
        if number == 5:
            seed.running(site)
    return Client(house.new_key(*EVERY_SCOPE))


NAMES = [*("Zoo", "äpfel", "Apfel", "apfel", "😀" * 100, "Öl"), *(f"Website {number}" for number in range(6))]


def _whole(client: Client, asked: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"/portfolio?per=200&{asked}").json["websites"]
    return found


OF_SORT: dict[str, Any] = {
    "score": lambda one: one["score"] and one["score"]["site"],
    "change": lambda one: one["change"]["sinceLastWeek"] and one["change"]["sinceLastWeek"]["site"],
    "open_issues": lambda one: one["issues"]["open"],
    "critical_issues": lambda one: one["issues"]["critical"],
    "waiting_actions": lambda one: one["actions"]["waiting"],
    "clicks": lambda one: one["search"].get("clicks"),
    "impressions": lambda one: one["search"].get("impressions"),
    "pages": lambda one: one["lastAudit"] and one["lastAudit"]["pagesCrawled"],
}


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("sort", OF_SORT)
def test_the_portfolio_is_sorted_by_a_value_and_then_by_name(many: Client, sort: str, descending: bool) -> None:
    by_name = _whole(many, "")
    value, sign = OF_SORT[sort], -1 if descending else 1
    known = [one for one in by_name if value(one) is not None]
    assert known and len(known) < len(by_name) and len({value(one) for one in known}) > 1
    expected = sorted(known, key=lambda one: sign * value(one)) + [one for one in by_name if value(one) is None]
    assert _whole(many, f"sort={'-' if descending else ''}{sort}") == expected


def test_the_portfolio_is_sorted_by_name_forwards_and_backwards(many: Client) -> None:
    by_name = [one["name"] for one in _whole(many, "sort=name")]
    assert by_name == [one["name"] for one in _whole(many, "")]
    assert [one["name"] for one in _whole(many, "sort=-name")] == by_name[::-1]


@pytest.mark.parametrize("asked", ["", "q=E", "state=active", "state=unaudited"])
def test_pages_and_cursors_of_a_portfolio_lead_through_the_whole(many: Client, asked: str) -> None:
    for sort in (sign + name for name in ("name", *OF_SORT) for sign in ("", "-")):
        whole = _whole(many, f"sort={sort}&{asked}")
        walked, paged, cursor = [], [], ""
        for page in range(1, len(whole) + 1):
            body = many.get(f"/portfolio?per=2&sort={sort}&{asked}{cursor}").json
            assert (body["total"], body["page"], body["hasMore"]) == (len(whole), page, body["nextCursor"] is not None)
            walked += body["websites"]
            paged += many.get(f"/portfolio?per=2&sort={sort}&{asked}&page={page}").json["websites"]
            if body["nextCursor"] is None:
                break
            cursor = f"&cursor={body['nextCursor']}"
        assert walked == paged == whole and len(whole) > 2


def test_the_portfolio_is_filtered_by_state_and_by_part_of_name_or_address(many: Client) -> None:
    def names(asked: str) -> set[str]:
        return {one["name"] for one in _whole(many, asked)}

    assert names("state=paused") == {NAMES[2], NAMES[8]}
    assert names("state=active") == set(NAMES) - names("state=paused")
    assert names("state=running") == {NAMES[5]} and names("state=running&q=zoo") == set()
    assert names("state=unaudited") == {NAMES[0], NAMES[4], NAMES[8]}
    assert names("q=%C3%84PFEL") == {"äpfel"} and names("q=s01.MANY") == {"äpfel"}
    assert names("q=nowhere") == set() and many.get("/portfolio?q=nowhere").json["nextCursor"] is None


def test_a_cursor_goes_on_behind_what_was_shown_where_values_changed(many: Client) -> None:
    """The website whose score was highest falls behind: nobody is left out, and it comes once more."""
    whole = _whole(many, "sort=-score")
    first = many.get("/portfolio?sort=-score&per=3").json
    top = websites.get(_workspace(many), whole[0]["id"])
    assert top is not None
    _store_summary(House(top.workspace_id, "", top, top, ""), _summary(1, {}))
    rest = many.get(f"/portfolio?sort=-score&per=3&cursor={first['nextCursor']}").json
    assert [one["id"] for one in rest["websites"]] == [one["id"] for one in whole[3:6]]
    websites_.remove(OPERATOR, rest["websites"][-1]["id"])
    after = many.get(f"/portfolio?sort=-score&per=200&cursor={rest['nextCursor']}")
    assert after.code == "bad_cursor"  # `per` is another
    after = many.get(f"/portfolio?sort=-score&per=3&cursor={rest['nextCursor']}")
    scored = [one["id"] for one in whole[6:] if one["score"]]
    assert [one["id"] for one in after.json["websites"]] == [*scored, top.id][:3]


def _workspace(client: Client) -> str:
    assert client.key is not None
    parts = key_format.parse(client.key)
    assert parts is not None
    row = items.get("accounts", *keys.key_secret(parts.sha256))
    assert row is not None
    return str(row["workspaceId"])


def test_a_cursor_of_another_portfolio_is_refused(many: Client, house: House, api: Client) -> None:
    cursor = many.get("/portfolio?per=2&sort=score").json["nextCursor"]
    for asked in (
        "per=3&sort=score",
        "per=2&sort=-score",
        "per=2",
        "per=2&sort=score&q=e",
        "per=2&sort=score&state=active",
    ):
        assert many.get(f"/portfolio?{asked}&cursor={cursor}").code == "bad_cursor"
    assert many.get(f"/portfolio?per=2&sort=score&cursor={cursor[:-1]}").code == "bad_cursor"
    assert api.get(f"/portfolio?per=2&sort=score&cursor={cursor}").code == "bad_cursor"  # of another workspace
    both = many.get(f"/portfolio?per=2&sort=score&page=2&cursor={cursor}")
    assert (both.code, both.json["error"]["param"]) == ("bad_cursor", "cursor")
    for wrong in ("sort=", "sort=Score", "sort=--score", "state=Active", "state=active,paused"):
        assert many.get(f"/portfolio?{wrong}").code == f"bad_{wrong.partition('=')[0]}"


def test_only_keys_that_may_read_search_sort_by_it(house: House) -> None:
    client = Client(house.new_key("sites:read"))
    for sort in ("clicks", "-clicks", "impressions"):
        refused = client.get(f"/portfolio?sort={sort}")
        assert (refused.status, refused.code, refused.json["error"]["scope"]) == (403, "missing_scope", "search:read")
    assert client.get("/portfolio?sort=score").status == 200


def test_a_website_key_sorts_and_counts_only_its_websites(house: House) -> None:
    client = Client(house.new_key("sites:read", sites=(house.site.id,)))
    for asked in ("sort=score", "state=unaudited", "q=e"):
        body = client.get(f"/portfolio?{asked}").json
        assert (body["total"], [one["id"] for one in body["websites"]]) == (1, [house.site.id])


@pytest.mark.parametrize("kind", [None, "audit", "recheck"])
@pytest.mark.parametrize("version", [2, 3])
def test_the_portfolio_shows_of_a_website_what_the_website_shows_whichever_version_wrote_it(
    version: int, kind: str | None, house: House, api: Client
) -> None:
    searched(house, 60)
    seed.audited(house.site)
    if kind is not None:
        seed.running(house.site, kind=kind)
    summary = bytes([version]) + SITE_SUMMARY.pack(seed.summary(3, 1))[1:]
    items.update(
        "sites",
        *keys.website(house.workspace_id, house.site.id),
        "SET #summary = :summary REMOVE #next, #due, #starts",
        names={"#summary": "summary", "#next": "nextAuditAt", "#due": "dueShard", "#starts": "apiStarts"},
        values={":summary": summary},
    )
    listed = {one["id"]: one for one in api.get("/portfolio").json["websites"]}
    for site in (house.site, house.other_site):  # the other was never audited
        alone = api.get(f"/sites/{site.id}").json
        assert {name: alone[name] for name in listed[site.id]} == listed[site.id]
    assert listed[house.site.id]["score"]["site"] == 81.4
    assert listed[house.site.id]["running"] is (kind == "audit")


def test_the_scores_of_audits_rechecks_and_alerts_are_told_where_they_are_asked_for(house: House, api: Client) -> None:
    seed.audited(house.site)
    path = f"/sites/{house.site.id}/scores"
    assert "audits" not in api.get(path).json
    score = seed.summary(3, 1).history[0]
    later = structs.replace(score, site=900, aeo=None, computed_at=clock.now() + 5, version="2")
    commit(kept_audits.rescored(house.site.id, "crawl_recheck", "recheck", later))
    assert kept_audits.rescored(house.site.id, "crawl_alert", "alert", None) == []
    seed.keep(house.site, "crawl_unscored", [], 0, score=None)
    told = api.get(f"{path}?detail=audits").json["audits"]
    assert [(one["crawlId"], one["kind"]) for one in told] == [
        ("crawl_recheck", "recheck"),
        (seed.AUDIT, "audit"),
        (seed.BEFORE, "audit"),
    ]
    assert (told[0]["site"], told[0]["aeo"], told[0]["version"]) == (90.0, None, "2")
    other = f"/sites/{house.other_site.id}/scores?detail=audits"
    assert api.get(other).json == {"current": None, "history": [], "audits": []}
    assert api.get(f"{path}?detail=weeks").code == "bad_detail"
