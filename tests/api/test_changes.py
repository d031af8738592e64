"""The batches of approved changes of a website, and what became of each change."""

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.store import changes
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House


def name(number: int) -> str:
    return f"batch_{number:026d}"


@pytest.fixture
def path(house: House) -> str:
    for number in range(7):
        seed.written(house.site, name(number), count=number + 1)
    return f"/sites/{house.site.id}/changes"


def test_batches_are_listed_newest_first_with_the_states_of_their_changes(house: House, api: Client, path: str) -> None:
    told = api.get(path).json
    assert [one["batchId"] for one in told["batches"]] == [name(number) for number in reversed(range(7))]
    newest = told["batches"][0]
    assert (newest["total"], newest["counts"]["applied"], newest["counts"]["failed"]) == (7, 6, 1)
    assert (newest["kind"], newest["status"], newest["source"], newest["undoes"]) == ("fields", "done", "cms", None)
    assert newest["issueId"] == ids.issue_id(house.site.id, seed.PAGE_RULE.id) and newest["approvedBy"] == "usr_1"
    assert told["nextCursor"] is None
    assert api.get(f"/sites/{house.other_site.id}/changes").json == {"batches": [], "nextCursor": None}


def test_a_batch_shows_each_change_before_and_after(house: House, api: Client, path: str) -> None:
    told = api.get(f"{path}/{name(2)}").json
    assert (told["total"], told["offset"], told["nextOffset"]) == (3, 0, None)
    failed, applied, _ = told["changes"]
    assert (failed["state"], failed["reason"], failed["before"]) == ("failed", "The CMS refused it.", None)
    assert (applied["state"], applied["before"], applied["after"], applied["live"]) == (
        *("applied", "Before", "A title"),
        True,
    )
    assert applied["url"] == seed.url(house.site, 1)
    assert applied["pageId"] == ids.page_id(house.site.id, seed.url(house.site, 1))
    assert [one["url"] for one in api.get(f"{path}/{name(2)}?offset=2").json["changes"]] == [seed.url(house.site, 2)]


def test_an_unknown_or_expired_batch_is_not_found(house: House, api: Client, path: str) -> None:
    for unknown in ("batch_unknown", "x" * 3_000, "%00", "a%2Fb"):
        assert api.get(f"{path}/{unknown}").code == "not_found"
    clock.set_offset(clock.offset() + changes.KEPT_SECONDS)
    assert api.get(f"{path}/{name(2)}").code == "not_found"
    assert api.get(path).json["batches"] == []
    assert Client(house.new_key("sites:read")).get(path).code == "missing_scope"
