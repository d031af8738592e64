"""The actions of a website."""

import msgspec

from chalicelib.domain import ids
from chalicelib.rules import registry
from chalicelib.store import issues
from chalicelib.store.transactions import commit
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House


def test_an_action_shows_its_priority_with_one_decimal(house: House, api: Client) -> None:
    seed.audited(house.site)
    actions = api.get(f"/sites/{house.site.id}/actions").json["actions"]
    assert actions
    assert all(action["priority"] == round(action["priority"], 1) for action in actions)


def test_limit_cuts_the_list_after_the_first_of_the_whole_order(house: House, api: Client) -> None:
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
    assert api.get(path).json["actions"] == every[:25]
    assert {api.get(f"{path}?limit={limit}").code for limit in (0, 101)} == {"bad_limit"}
