"""The gain that an issue promised when a batch was approved, and the gain that its rechecks saw."""

from collections.abc import Iterator

import pytest

from chalicelib import clock
from chalicelib.domain.changes.batch import Batch
from chalicelib.operations import rechecks
from tests.changes import House, open_house
from tests.workers.audit.websites import audit

VALUES = {"/a": "All about A", "/b": "All about B", "/c": "All about C"}


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


def score(house: House) -> int:
    summary = house.current().summary
    assert summary is not None and summary.score is not None
    return summary.score.entry.site


def gain(house: House, batch: Batch) -> tuple[int | None, int | None]:
    """The gain that was promised, and the gain that was seen."""
    stored = house.loaded(batch).batch
    return stored.gain_promised, stored.gain_seen


def again(house: House) -> None:
    """Another recheck of the issue."""
    clock.set_offset(clock.offset() + 3_600)
    rechecks.start(house.current(), house.issue_id, person_id=None, now=clock.now())
    house.work()


def test_the_recheck_that_resolves_the_issue_sees_the_promised_gain(house: House) -> None:
    before = score(house)
    batch = house.apply(VALUES)
    promised, seen = gain(house, batch)
    assert promised and seen is None
    house.write()
    assert gain(house, batch) == (promised, None), "nothing is seen before the recheck"
    house.work()
    assert house.issue().status == "resolved"
    assert gain(house, batch) == (promised, promised) and promised == score(house) - before


def test_a_batch_for_some_pages_gains_a_part_and_the_next_batch_the_rest(house: House) -> None:
    start = score(house)
    first = house.apply({"/a": "All about A"})
    house.work()
    middle = score(house)
    second = house.apply({"/b": "All about B", "/c": "All about C"})
    house.work()
    whole, part = gain(house, first)
    assert house.issue().status == "resolved" and whole == score(house) - start
    assert part == middle - start and 0 < part < whole
    assert gain(house, second) == (whole - part, whole - part)


def test_if_two_batches_are_rechecked_together_the_gain_counts_for_the_later_one(house: House) -> None:
    start = score(house)
    first = house.apply({"/a": "All about A"})
    second = house.apply({"/b": "All about B", "/c": "All about C"})
    house.write()
    house.work()
    whole = score(house) - start
    assert house.issue().status == "resolved"
    assert (gain(house, first), gain(house, second)) == ((whole, None), (whole, whole))


def test_the_gains_of_several_rechecks_are_added(house: House) -> None:
    start = score(house)
    house.cms.misbehave("hide_writes")
    batch = house.apply(VALUES)
    house.write()
    assert set(house.statuses(batch).values()) == {"not_live"}
    house.work()
    assert gain(house, batch)[1] is None, "no page shows a value yet"
    house.shop.values["/a"] = {"title": VALUES["/a"]}
    again(house)
    assert house.issue().status == "open" and gain(house, batch)[1] == score(house) - start > 0
    house.cms.misbehave("none")
    again(house)
    promised, seen = gain(house, batch)
    assert house.issue().status == "resolved" and seen == promised == score(house) - start


def test_a_recheck_that_sees_a_gain_and_a_value_that_is_not_live_stores_both(house: House) -> None:
    house.cms.misbehave("hide_writes")
    batch = house.apply(VALUES)
    house.write()
    house.shop.values["/a"] = {"title": VALUES["/a"]}
    house.work()
    stored = house.loaded(batch).batch
    assert stored.not_live_told and stored.gain_seen
    assert len(house.events("write.not_live")) == 1


def test_a_full_audit_that_sees_the_values_says_nothing_of_the_gain(house: House) -> None:
    start = score(house)
    batch = house.apply(VALUES)
    house.write()
    audit(house.current())
    house.work()
    assert house.issue().status == "resolved" and score(house) > start
    assert gain(house, batch) == (gain(house, batch)[0], None)


def test_an_issue_that_an_editor_resolved_while_no_value_is_live_shows_no_gain(house: House) -> None:
    house.cms.misbehave("hide_writes")
    batch = house.apply(VALUES)
    house.write()
    for path in VALUES:
        house.shop.values[path] = {"title": f"What the editor wrote for {path}"}
    house.work()
    assert house.issue().status == "resolved" and gain(house, batch)[1] is None


def test_the_recheck_after_an_undo_takes_the_gain_back(house: House) -> None:
    batch = house.apply(VALUES)
    house.work()
    back = house.undo(batch)
    house.work()
    assert house.issue().status == "reopened"
    assert gain(house, batch) == (gain(house, batch)[0], 0)
    assert gain(house, back) == (None, None)


def by_hand(house: House, *paths: str) -> None:
    for path in paths:
        house.shop.values[path] = {"title": f"By hand {path}"}


def test_after_a_full_audit_a_recheck_counts_for_no_batch(house: House) -> None:
    batch = house.apply(VALUES)
    house.write()
    house.work()
    promised, seen = gain(house, batch)
    assert promised == seen
    for path in VALUES:
        house.shop.values[path] = {}
    clock.set_offset(clock.offset() + 3_600)
    audit(house.current())
    house.work()
    by_hand(house, *VALUES)
    again(house)
    assert house.issue().status == "resolved" and gain(house, batch) == (promised, promised)


def test_what_people_mend_after_a_full_audit_is_not_the_batchs_gain(house: House) -> None:
    batch = house.apply({"/a": VALUES["/a"]})
    house.write()
    audit(house.current())
    house.work()
    by_hand(house, "/b", "/c")
    again(house)
    assert house.issue().status == "resolved" and gain(house, batch)[1] is None


def test_an_undo_takes_the_gain_from_the_batch_that_it_undoes(house: House) -> None:
    first = house.apply({"/a": VALUES["/a"]})
    house.work()
    second = house.apply({"/b": VALUES["/b"]})
    house.work()
    of_first, of_second = gain(house, first)[1], gain(house, second)[1]
    assert of_first and of_second
    before = score(house)
    house.undo(first)
    house.work()
    assert gain(house, second)[1] == of_second
    assert gain(house, first)[1] in (of_first, of_first + score(house) - before)
