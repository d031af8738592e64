"""Keyword tasks over HTTP: they stand in the list of actions and in their own detail, and nowhere among the issues."""

import json
from datetime import timedelta
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.operations import keyword_tasks
from chalicelib.store import issues
from chalicelib.store.transactions import commit
from chalicelib.workers import imports
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House
from tests.topics import Shown, connect, imported, today


@pytest.fixture
def judged(house: House) -> House:
    """A website whose first page is found for its own words, and hardly clicked."""
    seed.audited(house.site)
    seed.connected(house.site)
    connect(house.site)
    last = today() - timedelta(3)
    rows = [
        Shown("first page", seed.url(house.site, 0), 0, 30, 2.0),
        Shown("boots", seed.url(house.site, 1), 2, 10, 3.0),
    ]
    imported(house.site, {last - timedelta(number): rows for number in range(28)})
    job, begins = keyword_tasks.begin(house.site.id, house.site.workspace_id, clock.now())
    commit([begins])
    imports.handle({"siteId": house.site.id, "jobId": job.id, "kind": job.kind}, None)
    return house


def task_id(house: House, rule_id: str = "KW-001") -> str:
    return ids.issue_id(house.site.id, rule_id)


def actions(house: House) -> dict[str, dict[str, Any]]:
    found = Client(house.key).get(f"/sites/{house.site.id}/actions?limit=100").json["actions"]
    assert [one["rank"] for one in found] == list(range(1, len(found) + 1))
    assert [one["priority"] for one in found] == sorted((one["priority"] for one in found), reverse=True)
    return {one["issueId"]: one for one in found}


def test_keyword_tasks_are_listed_as_actions_without_an_estimated_gain(judged: House) -> None:
    task = actions(judged)[task_id(judged)]
    assert (task["title"], task["severity"], task["effort"]) == ("Low click rate for the position", "medium", "low")
    assert task["estimatedScoreGain"] is None
    assert task["priority"] == pytest.approx(0.8 * 1.7, abs=0.2)
    assert task["writableField"] == "title"
    assert task["importance"] == 0.0
    rules = [one for one in actions(judged).values() if one["estimatedScoreGain"] is not None]
    assert len(rules) == 1


def test_keyword_tasks_are_not_listed_as_issues(judged: House) -> None:
    client = Client(judged.key)
    every = "open,reopened,in_progress,recheck_queued,resolved,ignored"
    listed = client.get(f"/sites/{judged.site.id}/issues?status={every}").json["issues"]
    assert not [one for one in listed if one["ruleId"].startswith("KW-")]
    (website,) = [one for one in client.get("/portfolio").json["websites"] if one["id"] == judged.site.id]
    assert website["issues"]["open"] == 1
    assert website["actions"]["open"] == len(actions(judged))


def test_the_detail_of_a_keyword_task_shows_queries_and_a_suggestion(judged: House) -> None:
    detail = Client(judged.key).get(f"/sites/{judged.site.id}/issues/{task_id(judged)}").json
    assert (detail["ruleId"], detail["category"], detail["confidence"]) == ("KW-001", "KW", "likely")
    (page,) = detail["pages"]
    assert page["evidence"]["queries"][0]["query"] == "first page"
    assert "Write a title" in detail["fix"]
    (suggestion,) = detail["suggestions"]
    assert (suggestion["current"], suggestion["suggested"]) == ("Page 0", "The first page: Page 0") or (
        suggestion["suggested"] == "First page: Page 0"
    )
    assert suggestion["writable"]
    assert suggestion["description"] == {
        "current": "The first page",
        "suggested": None,
        "suggestedFrom": None,
        "suggestedNote": "The description already has the words of the query. It lacks a reason to click.",
    }


def test_a_keyword_task_cannot_be_rechecked(judged: House) -> None:
    received = Client(judged.key).request("POST", f"/sites/{judged.site.id}/issues/{task_id(judged)}/recheck")
    assert (received.status, received.json["error"]["code"]) == (422, "cannot_recheck")


def test_a_change_of_a_keyword_task_can_be_approved(judged: House) -> None:
    body = {"changes": [{"url": seed.url(judged.site, 0), "value": "First page: what to wear"}]}
    path = f"/sites/{judged.site.id}/actions/{task_id(judged)}/apply"
    received = Client(judged.key).request("POST", path, body=json.dumps(body))
    assert (received.status, received.json["approved"]) == (200, 1)
    book = issues.load_state(judged.site.id)
    assert book is not None
    task = book.by_id(task_id(judged))
    assert task is not None and task.status == "in_progress"
    refused = Client(judged.key).request(
        "POST", path.replace(task_id(judged), task_id(judged, "KW-010")), body=json.dumps(body)
    )
    assert refused.json["error"]["code"] in ("not_found", "field_not_supported")


def test_an_audit_does_not_change_keyword_tasks(judged: House) -> None:
    book = issues.load_state(judged.site.id)
    assert book is not None
    kept = {issue.rule_id: issue for issue in book.issues if issue.rule_id.startswith("KW-")}
    assert kept
    seed_book = seed.book(judged.site, 2)
    from chalicelib.domain.audit.issues import merge

    merged, moved = merge(book, [], issue_ids={}, crawl_id="crawl_next", now=clock.now(), stored={})
    assert {issue.rule_id: issue for issue in merged if issue.rule_id.startswith("KW-")} == kept
    assert moved == [] and seed_book.counts == book.counts
