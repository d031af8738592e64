"""Audits started and followed through the API."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from chalicelib import clock
from chalicelib.store import crawls, items, keys
from chalicelib.store.transactions import commit
from tests import aws
from tests.api import seed
from tests.api.client import Client, Received
from tests.api.conftest import House
from tests.api.files import check_is_the_walk


@pytest.fixture
def path(house: House) -> str:
    return f"/sites/{house.site.id}/audits"


def _end(house: House) -> None:
    """Free the website's place, as the end of an audit does."""
    items.update("sites", *keys.website(house.workspace_id, house.site.id), "REMOVE place")


def test_starting_an_audit_queues_it_and_returns_its_address(house: House, api: Client, path: str) -> None:
    started = api.post(path)
    assert started.status == 202
    body = started.json
    assert (body["queued"], body["status"], body["pageBudget"], body["planLimit"]) == (True, "queued", 500, 500)
    assert (body["timeLimitMinutes"], body["startsLeftToday"]) == (30, 2)
    assert started.headers["location"] == body["poll"]
    assert started.headers["retry-after"] == "60"
    assert body["poll"] == f"http://localhost/api/v1{path}/{body['auditId']}"
    assert aws.messages("crawl")[0]["crawlId"] == body["auditId"]
    followed = api.get(f"{path}/{body['auditId']}").json
    assert (followed["status"], followed["stage"], followed["startedBy"]) == ("queued", "queued", "person")
    assert followed["issuesFound"] is None


def test_the_request_id_is_passed_to_the_queued_job(api: Client, path: str) -> None:
    started = api.post(path)
    assert aws.messages("crawl")[0]["requestId"] == started.headers["x-request-id"]


def test_a_page_budget_can_be_set(api: Client, path: str) -> None:
    assert api.post(path, {"pageBudget": 100}).json["pageBudget"] == 100


def test_a_json_number_without_a_fraction_counts_as_an_integer(api: Client, path: str) -> None:
    started = api.request("POST", path, headers={"Content-Type": "application/json"}, body='{"pageBudget": 5.0}')
    assert started.json["pageBudget"] == 5
    assert type(started.json["pageBudget"]) is int


@pytest.mark.parametrize("budget", [0, -1, 1.5, "5", True, None, [5], {"n": 5}])
def test_a_page_budget_that_is_not_a_positive_integer_is_refused(api: Client, path: str, budget: object) -> None:
    refused = api.post(path, {"pageBudget": budget})
    assert (refused.status, refused.code) == (400, "bad_page_budget")
    assert refused.json["error"]["param"] == "pageBudget"


def test_a_budget_above_the_plan_is_refused_with_the_plans_limit(api: Client, path: str) -> None:
    refused = api.post(path, {"pageBudget": 501})
    assert (refused.status, refused.code) == (400, "over_plan_limit")
    assert refused.json["error"]["planLimit"] == 500


def test_a_second_audit_is_refused_and_the_error_names_the_running_one(api: Client, path: str) -> None:
    first = api.post(path).json
    refused = api.post(path)
    assert (refused.status, refused.code) == (409, "already_running")
    error = refused.json["error"]
    assert (error["auditId"], error["kind"], error["status"]) == (first["auditId"], "audit", "queued")
    assert error["poll"] == first["poll"]


def test_two_simultaneous_starts_queue_one_audit_and_both_return_it(house: House, path: str) -> None:
    for _ in range(5):
        together = Barrier(2)

        def start(_: int, together: Barrier = together) -> Received:
            client = Client(house.key)
            together.wait()
            return client.post(path)

        with ThreadPoolExecutor(2) as pool:
            answers = sorted(pool.map(start, range(2)), key=lambda answer: answer.status)
        assert [answer.status for answer in answers] == [202, 409]
        started, error = answers[0].json, answers[1].json["error"]
        assert error["code"] == "already_running"
        assert (error["auditId"], error["kind"], error["status"]) == (started["auditId"], "audit", "queued")
        assert error["poll"] == started["poll"]
        items.update("sites", *keys.website(house.workspace_id, house.site.id), "REMOVE place, apiStarts")


def test_the_error_for_a_second_audit_gives_the_id_of_a_running_recheck(house: House, api: Client, path: str) -> None:
    seed.running(house.site, "crawl_recheck", kind="recheck")
    error = api.post(path).json["error"]
    assert (error["kind"], error["status"]) == ("recheck", "running")
    assert api.get(f"{path}/{error['auditId']}").json["kind"] == "recheck"
    assert api.get(path).json["active"] is None


def test_three_audits_a_day_can_be_started_through_the_api(house: House, api: Client, path: str) -> None:
    for left in (2, 1, 0):
        assert api.post(path).json["startsLeftToday"] == left
        _end(house)
    assert api.get(path).json["apiStarts"] == {"perDay": 3, "usedToday": 3, "left": 0}
    refused = api.post(path)
    assert (refused.status, refused.code) == (429, "too_many_audits")
    assert 86_000 < int(refused.headers["retry-after"]) <= 86_400
    assert refused.json["error"]["retryAt"].endswith("Z")
    clock.set_offset(86_400.5)
    assert api.post(path).status == 202


def test_a_retried_start_counts_once_against_the_daily_limit(api: Client, path: str) -> None:
    first = api.post(path, Idempotency_Key="a-1")
    again = api.post(path, Idempotency_Key="a-1")
    assert (again.status, again.json) == (202, first.json)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["location"] == first.headers["location"]
    assert api.get(path).json["apiStarts"]["usedToday"] == 1


def test_the_list_shows_the_newest_audits_first_and_the_active_audit(house: House, api: Client, path: str) -> None:
    seed.audited(house.site)
    assert api.get(path).json["active"] is None
    started = api.post(path).json
    body = api.get(path).json
    assert [audit["id"] for audit in body["audits"]] == sorted((started["auditId"], seed.AUDIT), reverse=True)
    assert body["active"]["id"] == started["auditId"]
    assert body["pageBudget"] == {"default": 500, "planLimit": 500, "websiteSetting": None}
    assert len(api.get(f"{path}?limit=1").json["audits"]) == 1


def test_the_running_audit_is_shown_even_if_it_is_beyond_the_list_limit(house: House, api: Client, path: str) -> None:
    seed.running(house.site, "crawl_00_earlier")
    seed.audited(house.site)
    body = api.get(f"{path}?limit=1").json
    assert [audit["id"] for audit in body["audits"]] == [seed.AUDIT]
    assert body["active"]["id"] == "crawl_00_earlier"


def test_an_audit_shows_its_coverage_and_whether_it_is_partial(house: House, api: Client, path: str) -> None:
    seed.audited(house.site)
    body = api.get(f"{path}/{seed.AUDIT}").json
    assert body["coverage"] == {"sitemapUrls": 4, "sitemapCrawled": 3, "percent": 75.0}
    assert body["partialReason"] is None
    assert body["link"] == f"https://app.example.com/sites/{house.site.id}/audits/{seed.AUDIT}"


def test_an_audit_that_does_not_exist_is_not_found(house: House, api: Client, path: str) -> None:
    seed.audited(house.site)
    for audit_id in ("crawl_unknown", "c" * 2_000, "..%2f"):
        assert api.get(f"{path}/{audit_id}").code == "not_found"
    other = f"/sites/{house.other_site.id}/audits/{seed.AUDIT}"
    assert api.get(other).code == "not_found"


def test_the_list_of_audits_shows_which_audit_or_recheck_blocks_a_new_audit(
    house: House, api: Client, path: str
) -> None:
    assert api.get(path).json["busy"] is None
    seed.running(house.site, "crawl_recheck", kind="recheck")
    listed = api.get(path).json
    refused = api.post(path).json["error"]
    assert listed["active"] is None
    assert listed["busy"] == {name: refused[name] for name in ("auditId", "kind", "status", "poll")}
    assert api.get(listed["busy"]["poll"].partition("/api/v1")[2]).json["id"] == "crawl_recheck"


def test_a_queued_audit_also_blocks_a_new_audit(api: Client, path: str) -> None:
    started = api.post(path).json
    busy = api.get(path).json["busy"]
    assert (busy["auditId"], busy["kind"], busy["status"]) == (started["auditId"], "audit", "queued")
    assert busy["poll"] == started["poll"]


def _ended_audits(house: House, count: int) -> list[str]:
    """Ids of audits, oldest first; each has as many notes as it is old."""
    found = [f"crawl_{number:026d}" for number in range(count)]
    for number, crawl_id in enumerate(found):
        notes = ["=1+1", 'Two; or, "three".'][: number % 3]
        commit([crawls.put_new(seed.header(house.site, crawl_id, notes=notes))])
    return found


def test_older_audits_are_read_with_an_offset(house: House, api: Client, path: str) -> None:
    audits = _ended_audits(house, 30)[::-1]
    first = api.get(path).json
    assert ([one["id"] for one in first["audits"]], first["offset"], first["nextOffset"]) == (audits[:5], 0, 5)
    last = api.get(f"{path}?limit=25&offset=5").json
    assert ([one["id"] for one in last["audits"]], last["nextOffset"]) == (audits[5:], None)
    behind = api.get(f"{path}?offset=30").json
    assert (behind["audits"], behind["offset"], behind["nextOffset"]) == ([], 30, None)
    assert api.get(f"{path}?offset=10001").code == "bad_offset"


def test_the_csv_of_audits_equals_the_paged_list(house: House, api: Client, path: str) -> None:
    _ended_audits(house, 30)
    file = check_is_the_walk(api, f"{path}?limit=4", "audits", 30)
    assert [row["id"] for row in file][-1] == f"crawl_{0:026d}" and file[0]["cappedByPlan"] == "false"
    assert api.get(f"{path}?format=csv").status == 200


def test_audits_can_be_compared_in_both_directions(house: House, api: Client, path: str) -> None:
    seed.audited(house.site)
    there = api.get(f"{path}/{seed.AUDIT}/diff").json
    assert api.get(f"{path}/{seed.AUDIT}/diff?against={seed.BEFORE}").json == there
    back = api.get(f"{path}/{seed.BEFORE}/diff?against={seed.AUDIT}").json
    assert there["pages"]["appeared"]["count"] == 1
    assert (back["pages"]["appeared"], back["pages"]["left"]) == (there["pages"]["left"], there["pages"]["appeared"])
    same = api.get(f"{path}/{seed.AUDIT}/diff?against={seed.AUDIT}").json
    assert same["issues"]["issues"] == [] and same["pages"]["changed"]["count"] == 0
