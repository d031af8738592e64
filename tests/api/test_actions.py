"""The actions of a website."""

import msgspec

from chalicelib.domain import ids
from chalicelib.domain.audit.causes import Cause
from chalicelib.domain.audit.score import Standing
from chalicelib.rules import registry
from chalicelib.store import issues
from chalicelib.store.transactions import commit
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House
from tests.api.files import cells_of, check_is_the_walk


def test_an_action_shows_its_priority_with_two_decimals(house: House, api: Client) -> None:
    seed.audited(house.site)
    seed.reopened(house.site)
    actions = api.get(f"/sites/{house.site.id}/actions").json["actions"]
    shown = [action["priority"] for action in actions]
    assert shown == [round(priority, 2) for priority in shown] == sorted(shown, reverse=True)
    assert any(priority != round(priority, 1) for priority in shown)


def test_an_action_lists_the_other_actions_that_have_the_same_cause(house: House, api: Client) -> None:
    seed.audited(house.site)
    seed.reopened(house.site)
    alone = api.get(f"/sites/{house.site.id}/actions").json["actions"]
    assert len(alone) == 2 and all(action["cause"] is None for action in alone)
    book = issues.load_state(house.site.id)
    assert book is not None
    for issue in book.issues:
        issue.cause = Cause("template", "product")
    book.version += 1
    commit([issues.put_state(house.site.id, book, replaces=book.version - 1)])
    actions = api.get(f"/sites/{house.site.id}/actions").json["actions"]
    score = Standing(registry.shares(book.counts, book.aside()), book.measured)
    cause = {
        "kind": "template",
        "key": "product",
        "issueIds": [action["issueId"] for action in actions],
        "gain": score.gain(*(issue.rule_id for issue in book.issues if issue.status != "resolved")) / 10,
    }
    assert cause["gain"] >= max(action["estimatedScoreGain"] for action in actions)
    assert [action["cause"] for action in actions] == [cause, cause]
    assert [action["rank"] for action in actions] == [1, 2]
    (first,) = api.get(f"/sites/{house.site.id}/actions?limit=1").json["actions"]
    assert first["cause"] == cause


def test_the_limit_parameter_returns_the_first_rows_of_the_complete_list(house: House, api: Client) -> None:
    seed.audited(house.site)
    book = seed.book(house.site, 2)
    (issue,) = (one for one in book.issues if one.rule_id == seed.PAGE_RULE.id)
    book.issues = [
        msgspec.structs.replace(issue, rule_id=rule.id, id=ids.issue_id(house.site.id, rule.id))
        for rule in registry.RULES[:30]
    ]
    commit([issues.put_state(house.site.id, book, replaces=book.version)])
    path = f"/sites/{house.site.id}/actions"
    every = api.get(f"{path}?limit=100").json["actions"]
    assert [action["rank"] for action in every] == list(range(1, 31))
    assert api.get(f"{path}?limit=7").json["actions"] == every[:7]
    middle = api.get(f"{path}?limit=7&offset=7").json
    assert (middle["actions"], middle["total"], middle["nextOffset"]) == (every[7:14], 30, 14)
    assert api.get(f"{path}?offset=23").json["nextOffset"] is None
    assert api.get(path).json["actions"] == every[:25]
    assert {api.get(f"{path}?limit={limit}").code for limit in (0, 101)} == {"bad_limit"}
    file = check_is_the_walk(api, f"{path}?limit=7", "actions", 30)
    assert len(cells_of(api.get(f"{path}?format=csv"))) == 30 and file[0]["rank"] == "1"


def _batches(house: House) -> tuple[str, list[str]]:
    """The path of a website's batches, and the ids of seven, newest first."""
    names = [f"batch_{number:026d}" for number in range(7)]
    for name in names:
        seed.written(house.site, name)
    return f"/sites/{house.site.id}/changes", names[::-1]


def test_following_cursors_returns_each_batch_of_changes_once(house: House, api: Client) -> None:
    path, names = _batches(house)
    found: list[str] = []
    query: str | None = "?limit=3"
    while query is not None:
        told = api.get(path + query).json
        found += [one["batchId"] for one in told["batches"]]
        if len(found) == 3:
            seed.written(house.site, f"batch_{8:026d}")  # what is approved meanwhile stands before the beginning
        query = None if told["nextCursor"] is None else f"?limit=3&cursor={told['nextCursor']}"
    assert found == names
    exact = api.get(path + "?limit=8").json
    assert len(exact["batches"]) == 8 and exact["nextCursor"] is None, "nothing follows"


def test_a_cursor_of_another_website_or_limit_is_refused(house: House, api: Client) -> None:
    path, _ = _batches(house)
    cursor = api.get(path + "?limit=3").json["nextCursor"]
    other = path.replace(house.site.id, house.other_site.id)
    for wrong in (f"{path}?limit=4&cursor={cursor}", f"{other}?limit=3&cursor={cursor}", f"{path}?cursor=abc"):
        assert api.get(wrong).code == "bad_cursor"
