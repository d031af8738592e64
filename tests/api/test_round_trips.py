"""Calls to the store that a GET makes, counted at the client: the same whatever the size of the website."""

import json
from collections import Counter

import pytest

from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.http.endpoints import Endpoint
from chalicelib.operations import accounts, websites
from tests import aws, speed
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import EVERY_SCOPE, House
from tests.api.operations import POSTS, READS, WRITES, name, target

SINGLE, LIST, WORKED_OUT = 4, 6, 12
LIVE = 5  # two of them keep the reads of a website's file one at a time: the read itself takes up to ten seconds
# Every GET has its line: what it may cost at most, and what it costs.
GETS = {
    "read_openapi": (SINGLE, 0),
    "read_plans": (SINGLE, 0),
    "read_changelog": (SINGLE, 0),
    "list_sites": (LIST, 2),
    "read_portfolio": (LIST, 3),
    "read_site": (SINGLE, 3),
    "read_scores": (SINGLE, 2),
    "read_performance": (LIST, 3),
    "list_issues": (LIST, 3),
    "read_issue": (SINGLE, 4),
    "read_issue_history": (LIST, 5),
    "list_actions": (LIST, 3),
    "list_changes": (LIST, 4),
    "read_batch": (SINGLE, 4),
    "list_pages": (LIST, 4),
    "read_page": (SINGLE, 4),
    "read_page_history": (SINGLE, 4),
    "read_page_by_address": (SINGLE, 4),
    "read_search_summary": (WORKED_OUT, 11),
    "read_search_rows": (WORKED_OUT, 7),
    "list_topics": (LIST, 5),
    "read_landing_pages": (LIST, 4),
    "list_audits": (LIST, 3),
    "read_audit": (SINGLE, 3),
    "compare_audits": (LIST, 4),
    "read_report": (LIST, 4),
    "read_gate": (LIST, 6),
    "read_readiness": (SINGLE, 3),
    "read_llms_txt": (LIVE, 5),
    "read_visibility": (LIST, 3),
    "read_visibility_gaps": (LIST, 3),
    "read_ai_crawlers": (LIVE, 5),
    "list_agentic": (LIST, 3),
    "read_run": (SINGLE, 3),
    "read_export": (SINGLE, 3),
    "read_preview": (SINGLE, 3),
    "read_preview_report": (LIST, 4),
    "compare_preview": (LIST, 6),
    "read_preview_gate": (LIST, 6),
}
# A POST: what it costs when it is done, without and with an Idempotency-Key.
POSTS_DONE = {
    "start_audit": (4, 6),
    "recheck_issue": (5, 7),
    "apply_changes": (7, 9),
    "write_llms_txt": (6, 8),
    "write_ai_crawlers": (6, 8),
    "post_alert": (5, 7),
    "start_run": (5, 7),
    "start_export": (5, 7),
    "start_preview": (5, 7),
}
PUTS_DONE = {"put_content": 4}


def test_an_expected_number_of_aws_calls_is_listed_for_every_operation() -> None:
    assert {endpoint.operation_id for endpoint in READS} == GETS.keys()
    assert {endpoint.operation_id for endpoint in POSTS} == POSTS_DONE.keys()
    assert {endpoint.operation_id for endpoint in WRITES} == POSTS_DONE.keys() | PUTS_DONE.keys()


@pytest.mark.parametrize("endpoint", READS, ids=name)
@pytest.mark.parametrize("pages", [3, 3_000])
def test_a_get_request_makes_the_expected_number_of_aws_calls(endpoint: Endpoint, house: House, pages: int) -> None:
    seed.settled(house.site, count=pages, affected=pages)
    client = Client(house.key)
    client.get("/sites")  # the hour's first request makes one call more
    with aws.counted_calls() as calls:
        assert client.get(target(endpoint, house).whole).status == 200
    budget, meant = GETS[endpoint.operation_id]
    assert calls.total() == meant <= budget, dict(calls)


def test_an_issue_with_many_changes_takes_no_additional_aws_calls(house: House) -> None:
    seed.audited(house.site, count=600, affected=600)
    seed.connected(house.site, count=600)
    client = Client(house.key)
    path = f"/sites/{house.site.id}/issues/{ids.issue_id(house.site.id, seed.PAGE_RULE.id)}"
    wanted = [{"url": seed.url(house.site, number), "value": f"Value {number}"} for number in range(500)]
    applied = client.request("POST", path.replace("issues", "actions") + "/apply", body=json.dumps({"changes": wanted}))
    assert applied.json["approved"] == 500
    with aws.counted_calls() as calls:
        last = client.get(path).json["lastChange"]
    assert [(one["url"], one["value"]) for one in last["changes"]] == [(one["url"], one["value"]) for one in wanted]
    assert calls.total() == GETS["read_issue"][1], dict(calls)


def test_an_approval_needs_one_more_aws_call_if_100_batches_wait(house: House) -> None:
    seed.audited(house.site)
    seed.connected(house.site)
    client = Client(house.key)
    client.get("/sites")  # the hour's first request makes one call more
    path = f"/sites/{house.site.id}/actions/{ids.issue_id(house.site.id, seed.PAGE_RULE.id)}/apply"

    def apply(value: str) -> Counter[str]:
        body = json.dumps({"changes": [{"url": seed.url(house.site, 0), "value": value}]})
        with aws.counted_calls() as calls:
            assert client.request("POST", path, body=body).status == 200
        calls.pop("GetQueueUrl", 0)
        return calls

    costs = [apply(f"Value {number}").total() for number in range(101)]
    # Those that wait send no message. What they are to write is read with the content, by 100 rows a call. The batch
    # that runs writes this page too, so that its two parts are read.
    assert costs[0] == POSTS_DONE["apply_changes"][False] and costs[1] == costs[0] - 1 + 2
    assert max(costs) == costs[-1] == costs[1] + 1


@pytest.mark.parametrize("endpoint", POSTS, ids=name)
@pytest.mark.parametrize("idempotent", [False, True])
def test_a_post_request_makes_the_expected_number_of_aws_calls(
    endpoint: Endpoint, house: House, idempotent: bool
) -> None:
    seed.audited(house.site)
    seed.connected(house.site)
    client, wanted = Client(house.key), target(endpoint, house)
    client.get("/sites")
    headers = {"Idempotency-Key": "once"} if idempotent else {}
    with aws.counted_calls() as calls:
        received = client.request("POST", wanted.whole, headers=headers, body=wanted.body)
    assert received.status == endpoint.status
    asked_for_address = calls.pop("GetQueueUrl", 0)  # once in a process
    assert asked_for_address <= 1
    assert calls.total() == POSTS_DONE[endpoint.operation_id][idempotent], dict(calls)


@pytest.mark.parametrize("endpoint", [endpoint for endpoint in WRITES if endpoint.method == "PUT"], ids=name)
def test_a_put_request_makes_the_expected_number_of_aws_calls(endpoint: Endpoint, house: House) -> None:
    seed.audited(house.site)
    client, wanted = Client(house.key), target(endpoint, house)
    client.get("/sites")
    with aws.counted_calls() as calls:
        assert client.request("PUT", wanted.whole, body=wanted.body).status == endpoint.status
    assert calls.total() == PUTS_DONE[endpoint.operation_id], dict(calls)


@pytest.mark.parametrize("path", ["agentic?per=200", "performance"])
def test_neither_many_tested_pages_nor_waiting_runs_add_aws_calls(path: str, house: House) -> None:
    seed.audited(house.site)
    client = Client(house.key)
    speed.stored(house.site.id, [speed.result(seed.url(house.site, number)) for number in range(500)])
    for number in range(3):
        body = json.dumps({"url": seed.url(house.site, number)})
        assert client.request("POST", f"/sites/{house.site.id}/agentic/run", body=body).status == 202
    with aws.counted_calls() as calls:
        answer = client.get(f"/sites/{house.site.id}/{path}").json
    assert answer.get("total", len(answer.get("pages", ()))) == 500
    assert calls.total() <= LIST, dict(calls)


def test_the_portfolio_of_200_websites_takes_at_most_eight_aws_calls(house: House) -> None:
    workspace = accounts.create_workspace(OPERATOR, "Big", "enterprise")
    person = accounts.add_person(OPERATOR, workspace.id, "owner@big.example", "owner")
    for number in range(200):
        websites.add(OPERATOR, workspace.id, f"https://site-{number}.example/")
    key = accounts.create_workspace_key(OPERATOR, workspace.id, person.id, EVERY_SCOPE, None).secret
    client = Client(key)
    client.get("/sites")
    with aws.counted_calls() as calls:
        body = client.get("/portfolio?per=200").json
    assert len(body["websites"]) == 200
    assert calls.total() <= 8
