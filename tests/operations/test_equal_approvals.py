"""Approvals of the same values, at once and one after the other, by whomever: each value is written once."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib.domain.changes.batch import Batch
from chalicelib.operations.errors import Refused
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
def test_equal_approvals_at_once_are_one_batch(house: House, what: str, count: int) -> None:
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
