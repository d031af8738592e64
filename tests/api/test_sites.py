"""Websites, summary, score history, performance."""

from datetime import timedelta
from urllib.parse import urlencode

import pytest
from msgspec import structs

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.summary import RuleLoss
from chalicelib.domain.connections import Progress
from chalicelib.domain.speed.field import FieldRecord
from chalicelib.domain.speed.records import Collected, FieldBook
from chalicelib.operations import audits
from chalicelib.store import connections, items, kept_audits, keys, websites
from chalicelib.store import speed as store
from chalicelib.store.shapes import SITE_SUMMARY
from chalicelib.store.transactions import commit
from tests import speed
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House
from tests.api.summaries import searched, store_summary, today


def test_the_list_sorts_websites_by_name_ignoring_case(house: House, api: Client) -> None:
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


def test_values_before_the_first_audit_are_null_and_not_zero(house: House, api: Client) -> None:
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


def test_the_summary_shows_the_results_of_the_last_audit(house: House, api: Client) -> None:
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


def test_a_website_of_which_the_audit_could_judge_little_has_a_notice(house: House, api: Client) -> None:
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


def test_issues_that_are_new_this_week_are_counted_from_the_time_of_the_request(house: House, api: Client) -> None:
    seed.audited(house.site)
    clock.set_offset(12 * seed.DAY)
    body = api.get(f"/sites/{house.site.id}").json
    assert body["issues"]["newThisWeek"] == 0
    assert body["actions"]["waiting"] == 2


def test_scores_of_two_score_versions_are_not_compared(house: House, api: Client) -> None:
    seed.audited(house.site)
    summary = seed.summary(3, 1)
    assert summary.previous_audit is not None
    summary.previous_audit = structs.replace(summary.previous_audit, version="0")
    store_summary(house, summary)
    body = api.get(f"/sites/{house.site.id}").json
    assert body["previousAudit"]["version"] == "0"
    assert body["change"]["sincePreviousAudit"] is None
    assert body["change"]["sinceLastWeek"] is not None


def test_without_an_aeo_score_there_is_no_aeo_difference(house: House, api: Client) -> None:
    summary = seed.summary(3, 1)
    assert summary.score is not None
    summary.score.entry.aeo = None
    store_summary(house, summary)
    body = api.get(f"/sites/{house.site.id}").json
    assert body["score"]["aeo"] is None
    assert body["change"]["sincePreviousAudit"] == {"site": 2.5, "health": 2.9, "aeo": None}


def test_the_field_running_says_whether_an_audit_is_running(house: House, api: Client) -> None:
    seed.running(house.site)
    seed.running(house.other_site, "crawl_recheck", kind="recheck")
    by_id = {website["id"]: website["running"] for website in api.get("/portfolio").json["websites"]}
    assert by_id == {house.site.id: True, house.other_site.id: False}


def test_search_data_is_shown_only_to_keys_with_the_search_scope(house: House, api: Client) -> None:
    assert api.get("/portfolio").json["websites"][0]["search"] == {"connected": False}
    client = Client(house.new_key("sites:read"))
    assert "search" not in client.get("/portfolio").json["websites"][0]
    assert "search" not in client.get(f"/sites/{house.site.id}").json


def test_search_data_is_compared_with_the_previous_28_days(house: House, api: Client) -> None:
    searched(house, 60)
    body = api.get("/portfolio").json
    last = today() - timedelta(3)
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
def test_search_values_of_incomplete_periods_are_null(
    days: int, clicks: int | None, before: int | None, house: House, api: Client
) -> None:
    searched(house, days)
    found = api.get(f"/sites/{house.site.id}").json["search"]
    assert (found["connected"], found["clicks"], found["previousClicks"]) == (True, clicks, before)


def test_outdated_search_data_is_listed_as_stale(house: House, api: Client) -> None:
    searched(house, 60)
    last = today() - timedelta(3)
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


def test_the_import_status_shows_its_progress_and_why_it_waits(house: House, api: Client) -> None:
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


def test_the_score_history_is_sorted_oldest_first_without_empty_weeks(house: House, api: Client) -> None:
    assert api.get(f"/sites/{house.site.id}/scores").json == {"current": None, "history": []}
    seed.audited(house.site)
    body = api.get(f"/sites/{house.site.id}/scores").json
    assert body["current"]["site"] == 81.4
    assert [entry["site"] for entry in body["history"]] == [78.9, 81.4]
    assert body["history"][1]["auditId"] == seed.AUDIT


def test_the_score_shows_what_each_rule_costs(house: House, api: Client) -> None:
    summary = seed.summary(3, 1)
    assert summary.score is not None
    summary.score.losses = [RuleLoss("SEO-ONP-001", 124), RuleLoss("SEO-LNK-001", 62)]
    store_summary(house, summary)
    current = api.get(f"/sites/{house.site.id}/scores").json["current"]
    assert current["losses"] == [
        {"ruleId": "SEO-ONP-001", "issueId": ids.issue_id(house.site.id, "SEO-ONP-001"), "points": 12.4},
        {"ruleId": "SEO-LNK-001", "issueId": ids.issue_id(house.site.id, "SEO-LNK-001"), "points": 6.2},
    ]
    assert round(sum(loss["points"] for loss in current["losses"]), 1) == round(100 - current["site"], 1)
    assert "losses" not in api.get(f"/sites/{house.site.id}").json["score"]


def test_a_score_stored_by_an_older_version_lists_no_lost_points(house: House, api: Client) -> None:
    seed.audited(house.site)
    current = api.get(f"/sites/{house.site.id}/scores").json["current"]
    assert (current["version"], current["losses"]) == ("1", None)


def test_the_score_history_covers_thirteen_weeks(house: House, api: Client) -> None:
    seed.audited(house.site)
    clock.set_offset(14 * 7 * seed.DAY)
    body = api.get(f"/sites/{house.site.id}/scores").json
    assert body["current"]["site"] == 81.4
    assert body["history"] == []


def test_performance_is_empty_with_a_note_before_the_first_speed_test(house: House, api: Client) -> None:
    body = api.get(f"/sites/{house.site.id}/performance").json
    assert body["site"] == {"phone": None, "desktop": None}
    assert body["pages"] == []
    assert body["budget"] == {"perDay": 25, "usedToday": 0, "left": 25, "nextFreeAt": None}
    assert body["note"]


def test_performance_shows_lab_and_field_values_and_the_source_of_findings(house: House, api: Client) -> None:
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
    assert body["note"].startswith("1 page has fewer than three current runs")
    rest = api.get(f"/sites/{house.site.id}/performance?offset=1").json
    assert (rest["pages"], rest["total"], rest["nextOffset"]) == ([second], 2, None)
    assert rest["note"] == body["note"]
    few = api.get(f"/sites/{house.site.id}/performance?limit=1").json
    assert (few["pages"], few["total"], few["nextOffset"], few["note"]) == ([first], 2, 1, body["note"])
    past = api.get(f"/sites/{house.site.id}/performance?limit=1&offset=2").json
    assert (past["pages"], past["nextOffset"]) == ([], None)


def test_the_performance_of_one_page_is_found_by_its_address(house: House, api: Client) -> None:
    urls = [seed.url(house.site, number) for number in range(40)]
    speed.stored(house.site.id, [speed.result(url, runs=3) for url in urls])
    path = f"/sites/{house.site.id}/performance"
    every = {page["url"]: page for page in api.get(path).json["pages"]}
    for url in urls:
        one = api.get(f"{path}?{urlencode({'url': url})}").json
        assert (one["pages"], one["total"], one["nextOffset"], one["note"][:5]) == ([every[url]], 1, None, "Data "), url
    untested = api.get(f"{path}?url=https://other.example/").json
    assert (untested["pages"], untested["note"]) == ([], "No speed test of this page has been stored yet.")
    refused = api.get(f"{path}?url=/about")
    assert (refused.status, refused.json["error"]["code"], refused.json["error"]["param"]) == (400, "bad_url", "url")


def test_speed_is_stale_two_weeks_after_the_last_test(house: House, api: Client) -> None:
    path = f"/sites/{house.site.id}"
    speed.stored(house.site.id, [speed.result(house.site.url, at=clock.now() - 13.9 * seed.DAY)])
    assert api.get(path).json["staleInputs"] == []
    clock.set_offset(clock.offset() + 0.2 * seed.DAY)
    assert api.get(path).json["staleInputs"] == ["speed"]
    speed.stored(house.site.id, [speed.result(house.site.url)])
    assert api.get(path).json["staleInputs"] == []


def test_analytics_is_stale_two_weeks_after_its_last_day(house: House, api: Client) -> None:
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


def test_scores_and_counts_are_json_numbers(house: House, api: Client) -> None:
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


def test_only_audit_scores_are_listed_unless_all_scores_are_requested(house: House, api: Client) -> None:
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
