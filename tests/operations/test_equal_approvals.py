"""Approvals of the same values, at once and one after the other, by whomever: each value is written once."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from chalicelib.domain.changes.batch import Batch
from chalicelib.operations.errors import Refused
from chalicelib.store import client, keys
from tests.changes import House, open_house

ISSUES = ("SEO-ONP-001", "SEO-ONP-005")  # both ask for titles


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


def at_once(count: int, ask: Callable[[], Batch]) -> list[Batch | str]:
    """What so many threads are answered that ask at the same moment: a batch, or the code of a refusal."""
    start = threading.Barrier(count)

    def answer() -> Batch | str:
        start.wait()
        try:
            return ask()
        except Refused as refused:
            return refused.code

    with ThreadPoolExecutor(count) as pool:
        return [done.result() for done in [pool.submit(answer) for _ in range(count)]]


WISHES: dict[str, Callable[[House], Batch]] = {
    "fields": lambda house: house.apply({"/a": "All about A", "/b": "All about B"}),
    "llms.txt": lambda house: house.publish("# The shop\n"),
    "crawler rules": lambda house: house.rule(GPTBot="deny", CCBot="allow"),
}


@pytest.mark.parametrize("count", [8, 20])
@pytest.mark.parametrize("what", WISHES)
def test_equal_approvals_made_at_the_same_time_create_one_batch(house: House, what: str, count: int) -> None:
    answers = at_once(count, lambda: WISHES[what](house))
    assert {one.id if isinstance(one, Batch) else one for one in answers} == {house.batches()[0][0].id}
    assert len(house.batches()) == 1
    house.work()
    (batch, changes), written = house.batches()[0], len(house.cms.writes)
    assert {change.status for change in changes} == {"applied"}
    assert written == batch.count
    house.undo(batch)
    house.work()
    assert [house.held(path) for path in ("/a", "/b")] == [None, None]
    assert house.cms.value("", "llmsTxt") is None and house.cms.value("", "robotsBlock") is None


@pytest.mark.parametrize("what", WISHES)
def test_repeated_approvals_during_the_write_create_no_second_batch(house: House, what: str) -> None:
    """Ten threads repeat the approval before, during and after the write. Each gets the batch or a refusal."""
    batch = WISHES[what](house)
    done = threading.Event()

    def ask_again() -> set[str]:
        told = set()
        while not done.is_set():
            try:
                told.add(WISHES[what](house).id)
            except Refused as refused:
                told.add(refused.code)
        return told

    with ThreadPoolExecutor(10) as pool:
        asking = [pool.submit(ask_again) for _ in range(10)]
        try:
            house.write()
        finally:
            done.set()
    told = set().union(*(one.result() for one in asking))
    assert told <= {batch.id, "no_changes", "no_change"}
    assert [one.id for one, _ in house.batches()] == [batch.id]
    assert len(house.cms.writes) == batch.count


def test_an_equal_approval_after_a_failure_or_an_undo_is_a_new_batch(house: House) -> None:
    house.cms.misbehave("refuse")
    refused = house.apply({"/a": "All about A"})
    house.write()
    house.cms.misbehave("none")
    again = house.apply({"/a": "All about A"})
    house.write()
    assert (house.statuses(refused), house.statuses(again)) == ({"/a": "refused"}, {"/a": "applied"})
    undo = house.undo(again)
    once_more = house.apply({"/a": "All about A"})  # while the undo waits
    assert len({refused.id, again.id, undo.id, once_more.id}) == 4
    house.write()
    assert house.held("/a") == "All about A"
    assert house.statuses(once_more) == {"/a": "applied"}


def test_approving_a_value_again_is_refused_if_it_was_written_but_is_not_live(house: House) -> None:
    house.cms.misbehave("hide_writes")
    batch = house.apply({"/a": "All about A"})
    text = house.publish("# The shop\n")
    house.write()
    assert house.statuses(batch) == {"/a": "not_live"} and house.last("llms_txt").status == "not_live"
    for wish, code in (
        (lambda: house.apply({"/a": "All about A"}), "no_changes"),
        (lambda: house.publish("# The shop\n"), "no_change"),
    ):
        with pytest.raises(Refused) as refused:
            wish()
        assert refused.value.code == code
    assert [one.id for one, _ in house.batches()] == [batch.id, text.id]


def test_a_file_approved_again_while_its_batch_ends_creates_no_second_batch(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BatchGetItem reads its items in any order, and other writers may write between two of them."""
    first = house.publish("# The shop\n")
    read, torn = client.dynamodb().batch_get_item, []
    pk, sk = keys.last_write(house.site_id, "llms_txt")

    def in_two_parts(RequestItems: Any) -> Any:  # noqa: N803 - AWS's own name
        last = {"pk": {"S": pk}, "sk": {"S": sk}}
        tables = [name for name, wanted in RequestItems.items() if last in wanted["Keys"]]
        if torn or not tables:
            return read(RequestItems=RequestItems)
        torn.append(tables[0])
        answer = read(RequestItems={tables[0]: {"ConsistentRead": True, "Keys": [last]}})
        house.write()
        rest = {name: wanted for name, wanted in RequestItems.items() if name != tables[0]}
        if rest:
            answer["Responses"] |= read(RequestItems=rest)["Responses"]
        return answer

    monkeypatch.setattr(client.dynamodb(), "batch_get_item", in_two_parts)
    assert house.publish("# The shop\n").id == first.id and torn
    assert [batch.id for batch, _ in house.batches()] == [first.id]
