"""The websites of a workspace: pages, order, filters, weekly scores."""

import dataclasses
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from msgspec import structs

from chalicelib import clock
from chalicelib.domain.accounts import keys as key_format
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts
from chalicelib.operations import websites as websites_
from chalicelib.store import items, keys, websites
from chalicelib.store.shapes import SITE_SUMMARY
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import EVERY_SCOPE, House
from tests.api.summaries import searched, store_summary, today


def test_the_portfolio_is_paged(house: House, api: Client) -> None:
    first = api.get("/portfolio?per=1").json
    second = api.get("/portfolio?per=1&page=2").json
    third = api.get("/portfolio?per=1&page=3").json
    assert [len(page["websites"]) for page in (first, second, third)] == [1, 1, 0]
    assert [page["hasMore"] for page in (first, second, third)] == [True, False, False]
    assert (first["total"], first["page"], first["per"]) == (2, 1, 1)
    assert first["websites"][0]["name"] == "blog"
    assert first["searchPeriod"] is None


def test_a_page_of_the_portfolio_has_50_websites_by_default(api: Client) -> None:
    assert api.get("/portfolio").json["per"] == 50


def test_the_fields_of_a_portfolio_website_have_the_documented_order(house: House, api: Client) -> None:
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


def test_weekly_scores_cover_thirteen_weeks_and_missing_weeks_are_null(house: House, api: Client) -> None:
    weeks = {ago: 700 + ago for ago in (0, 1, 3, 12, 13, 20)}
    store_summary(house, _summary(700, weeks))
    body = api.get("/portfolio").json
    shown = {one["id"]: one["weeklyScores"] for one in body["websites"]}
    assert shown[house.site.id] == [71.2, *[None] * 8, 70.3, None, 70.1, 70.0]
    assert shown[house.other_site.id] == [None] * 13
    monday = today() - timedelta(today().weekday())
    assert body["weeks"] == [(monday - timedelta(weeks=ago)).isoformat() for ago in reversed(range(13))]
    history = api.get(f"/sites/{house.site.id}/scores").json["history"]
    assert {one["week"]: one["site"] for one in history} == {
        week: score for week, score in zip(body["weeks"], shown[house.site.id], strict=True) if score is not None
    }


def test_weekly_scores_of_another_score_version_are_null(house: House, api: Client) -> None:
    summary = _summary(700, {0: 700, 1: 650, 2: 640})
    summary.history[0].version = "0"
    store_summary(house, summary)
    assert api.get(f"/sites/{house.site.id}").json["weeklyScores"][-3:] == [None, 65.0, 70.0]


def test_a_score_from_midnight_on_monday_counts_for_the_week_that_begins_then(house: House, api: Client) -> None:
    summary = _summary(700, {0: 700})
    monday = _monday()
    for seconds, place in ((monday, -1), (monday - 1, -2)):
        summary.history = [structs.replace(summary.history[0], computed_at=seconds)]
        store_summary(house, summary)
        scores = api.get(f"/sites/{house.site.id}").json["weeklyScores"]
        assert scores[place] == 70.0 and scores.count(None) == 12


def _monday() -> float:
    return datetime.combine(today() - timedelta(today().weekday()), time.min, UTC).timestamp()


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
            store_summary(of_site, audited if number != 7 else _summary(None, {}))
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
def test_a_portfolio_is_sorted_by_the_chosen_column_and_then_by_name(many: Client, sort: str, descending: bool) -> None:
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
def test_following_pages_or_cursors_returns_each_website_of_the_portfolio_once(many: Client, asked: str) -> None:
    # What a filter leaves is sorted as the whole is: every order is walked once.
    for sort in (sign + name for name in (("name", "score") if asked else ("name", *OF_SORT)) for sign in ("", "-")):
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


def test_the_portfolio_can_be_filtered_by_state_name_or_address(many: Client) -> None:
    def names(asked: str) -> set[str]:
        return {one["name"] for one in _whole(many, asked)}

    assert names("state=paused") == {NAMES[2], NAMES[8]}
    assert names("state=active") == set(NAMES) - names("state=paused")
    assert names("state=running") == {NAMES[5]} and names("state=running&q=zoo") == set()
    assert names("state=unaudited") == {NAMES[0], NAMES[4], NAMES[8]}
    assert names("q=%C3%84PFEL") == {"äpfel"} and names("q=s01.MANY") == {"äpfel"}
    assert names("q=nowhere") == set() and many.get("/portfolio?q=nowhere").json["nextCursor"] is None


def test_a_cursor_skips_no_website_when_scores_change(many: Client) -> None:
    """The website with the highest score drops to the end. It is listed twice, and no other website is skipped."""
    whole = _whole(many, "sort=-score")
    first = many.get("/portfolio?sort=-score&per=3").json
    top = websites.get(_workspace(many), whole[0]["id"])
    assert top is not None
    store_summary(House(top.workspace_id, "", top, top, ""), _summary(1, {}))
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


def test_a_cursor_of_another_portfolio_query_is_refused(house: House, many: Client, api: Client) -> None:
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


def test_the_portfolio_can_be_sorted_by_search_data_only_with_the_search_scope(house: House) -> None:
    client = Client(house.new_key("sites:read"))
    for sort in ("clicks", "-clicks", "impressions"):
        refused = client.get(f"/portfolio?sort={sort}")
        assert (refused.status, refused.code, refused.json["error"]["scope"]) == (403, "missing_scope", "search:read")
    assert client.get("/portfolio?sort=score").status == 200


def test_a_key_for_one_website_gets_a_portfolio_of_only_that_website(house: House) -> None:
    client = Client(house.new_key("sites:read", sites=(house.site.id,)))
    for asked in ("sort=score", "state=unaudited", "q=e"):
        body = client.get(f"/portfolio?{asked}").json
        assert (body["total"], [one["id"] for one in body["websites"]]) == (1, [house.site.id])


@pytest.mark.parametrize("kind", [None, "audit", "recheck"])
@pytest.mark.parametrize("version", [2, 3])
def test_website_summaries_stored_by_older_versions_are_shown_correctly(
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
