"""Agentic browsing: results, their summary, re-runs and the budget."""

import json
from typing import Any

from chalicelib import clock
from chalicelib.domain.agentic import Check
from chalicelib.operations.jobs import QUEUES
from chalicelib.store import jobs
from chalicelib.store import speed as store
from chalicelib.store.transactions import commit
from tests import aws, speed
from tests.api import seed
from tests.api.client import Client, Received
from tests.api.conftest import House

DAY = 86_400.0


def start(house: House, **body: Any) -> Received:
    client = Client(house.key)
    return client.request("POST", f"/sites/{house.site.id}/agentic/run", body=json.dumps(body))


def listed(house: House, query: str = "") -> Any:
    return Client(house.key).get(f"/sites/{house.site.id}/agentic{query}").json


# -- results --------------------------------------------------------------------------------------------


def test_without_test_results_the_list_is_empty_and_the_summary_is_null(house: House) -> None:
    body = listed(house)
    assert (body["total"], body["results"], body["running"], body["hasMore"]) == (0, [], [], False)
    assert body["summary"] == {"mobile": None, "desktop": None}
    assert body["budget"] == {"perDay": 25, "usedToday": 0, "left": 25, "nextFreeAt": None}


def test_a_result_shows_each_check_with_its_title_state_and_details(house: House) -> None:
    speed.stored(house.site.id, [speed.result(house.site.url)])
    (found,) = listed(house)["results"]
    assert (found["passed"], found["applicable"], found["template"]) == (1, 2, "home")
    tree, layout, llms = found["checks"]
    assert tree == {
        "id": "agent-accessibility-tree",
        "title": "Accessibility tree is not well-formed",
        "state": "fail",
        "value": None,
        "detail": "Agents read it.",
        "items": [{"selector": "main > button", "snippet": "<button>", "message": "Buttons have no name"}],
    }
    assert layout == {
        "id": "cumulative-layout-shift",
        "title": "Cumulative Layout Shift",
        "state": "pass",
        "value": "0.02",
    }
    # What Lighthouse could not judge says nothing of the page, and why.
    assert (llms["state"], llms["detail"]) == ("na", "It could not be fetched.") and "items" not in llms


def test_the_newest_test_comes_first_and_the_summary_covers_all_pages(house: House) -> None:
    now = clock.now()
    passing = {"agent-accessibility-tree": Check("pass", 1.0, title="Accessibility tree is well-formed")}
    results = [speed.result(seed.url(house.site, number), at=now - number) for number in range(5)]
    results.append(speed.result(seed.url(house.site, 9), at=now - 9, checks=passing))
    results.append(speed.result(seed.url(house.site, 9), "desktop", at=now + 1))
    results.append(speed.result(seed.url(house.site, 10), at=now + 5, checks={}))  # no such category: not measured
    speed.stored(house.site.id, results)
    pages = [listed(house, f"?per=3&page={page}") for page in (1, 2, 3, 4)]
    order = [(one["url"], one["strategy"]) for page in pages for one in page["results"]]
    assert order == [(seed.url(house.site, 9), "desktop")] + [
        (seed.url(house.site, number), "mobile") for number in (0, 1, 2, 3, 4, 9)
    ]
    assert [page["hasMore"] for page in pages] == [True, True, False, False]
    assert {page["total"] for page in pages} == {7}
    assert [page["nextOffset"] for page in pages] == [3, 6, None, None]
    middle = listed(house, "?per=3&offset=2")
    assert (middle["results"], middle["page"]) == (pages[0]["results"][2:] + pages[1]["results"][:2], 1)
    assert all(page["summary"] == pages[0]["summary"] for page in pages)
    mobile = pages[0]["summary"]["mobile"]
    assert (mobile["pages"], mobile["passed"], mobile["applicable"]) == (6, 6, 11)
    tree = mobile["checks"][0]
    assert (tree["pass"], tree["fail"], tree["state"], len(tree["items"])) == (1, 5, "fail", 1)
    assert pages[0]["summary"]["desktop"]["pages"] == 1
    only = listed(house, "?strategy=desktop")
    assert (only["total"], only["summary"]) == (1, pages[0]["summary"])


# -- re-runs --------------------------------------------------------------------------------------------


def test_a_started_run_is_queued_and_uses_one_test_of_the_budget(house: House) -> None:
    url = f"{house.site.url}Boots/../boots#top"
    received = start(house, url=url)
    assert received.status == 202
    body = received.json
    assert (body["queued"], body["status"], body["strategy"]) == (True, "queued", "mobile")
    assert body["url"] == f"{house.site.url}boots"
    assert body["budget"] == {"perDay": 25, "usedToday": 1, "left": 24, "nextFreeAt": None}
    assert received.headers["location"] == body["poll"] and int(received.headers["retry-after"]) > 0
    (message,) = aws.messages(QUEUES["agentic_run"])
    assert message["jobId"] == body["jobId"]
    run = Client(house.key).get(body["poll"].partition("/api/v1")[2]).json
    assert (run["status"], run["startedAt"], run["finishedAt"], run["result"], run["error"]) == (
        "queued",
        None,
        None,
        None,
        None,
    )
    shown = listed(house)
    assert shown["running"] == [
        {name: run[name] for name in ("jobId", "url", "strategy", "status", "queuedAt")},
    ]
    assert shown["budget"]["usedToday"] == 1


def test_a_second_run_for_the_same_address_and_device_is_refused_while_one_waits(house: House) -> None:
    assert start(house, url=house.site.url).status == 202
    again = start(house, url=house.site.url)
    assert (again.status, again.code) == (409, "already_queued")
    assert start(house, url=house.site.url, strategy="desktop").status == 202
    assert listed(house)["budget"]["usedToday"] == 2


def test_at_most_three_runs_can_wait(house: House) -> None:
    assert [start(house, url=seed.url(house.site, number)).status for number in range(4)] == [202, 202, 202, 429]
    assert start(house, url=seed.url(house.site, 4)).code == "too_many_runs"
    assert len(listed(house)["running"]) == 3 and len(aws.messages("agentic")) == 3


def test_a_run_over_budget_is_refused_with_the_time_when_a_test_is_possible_again(house: House) -> None:
    site_id = house.site.id
    commit([store.put_state(site_id, store.load_state(site_id).taken(25, clock.now()))])
    refused = start(house, url=house.site.url)
    assert (refused.status, refused.code) == (429, "budget_used")
    budget = listed(house)["budget"]
    assert (budget["left"], budget["usedToday"]) == (0, 25)
    assert refused.json["error"]["retryAt"] == budget["nextFreeAt"] and budget["nextFreeAt"].endswith("T00:00:00Z")
    assert 0 < int(refused.headers["retry-after"]) <= DAY
    assert aws.messages("agentic") == [] and list(jobs.list_all(site_id)) == []
    clock.set_offset(clock.offset() + DAY)
    assert start(house, url=house.site.url).status == 202


def test_an_address_of_another_host_and_an_invalid_address_get_different_errors(house: House) -> None:
    for wrong in ("", "boots", "/boots", "ftp://acme.example/", "https://", "javascript:alert(1)", "https://a b/"):
        assert start(house, url=wrong).code == "bad_url", wrong
    assert start(house, url="https://acme.example" + "/a" * 1_100).code == "bad_url"
    for other in ("https://elsewhere.example/", "https://blog.acme.example/", "http://169.254.169.254/"):
        assert start(house, url=other).code == "other_host", other
    assert start(house, url=house.site.url, strategy="tablet").code == "bad_strategy"
    assert start(house, url=5).code == "bad_url"
    assert start(house, strategy="mobile").code == "bad_body"
    assert start(house, url="http://www.acme.example/a").status == 202  # www. and the scheme are the same website
    assert listed(house)["budget"]["usedToday"] == 1


def test_an_older_run_keeps_its_result_after_a_newer_test_of_the_page(house: House) -> None:
    seed.audited(house.site)
    speed.stored(house.site.id, [speed.result(house.site.url, checks={"llms-txt": Check("pass", 1.0)})])
    run = Client(house.key).get(f"/sites/{house.site.id}/agentic/runs/{seed.RUN}").json
    assert (run["status"], run["result"]["passed"], run["result"]["applicable"]) == ("done", 1, 2)
    assert run["startedAt"] < run["finishedAt"]


def test_a_run_of_another_website_or_a_job_of_another_kind_is_not_found(house: House) -> None:
    seed.audited(house.site)
    client = Client(house.key)
    assert client.get(f"/sites/{house.other_site.id}/agentic/runs/{seed.RUN}").status == 404
    jobs.create(seed.run(house.site).begun_again(clock.now()))
    for job_id in ("job_unknown", "field_data", "x" * 3_000):
        assert client.get(f"/sites/{house.site.id}/agentic/runs/{job_id}").status == 404
