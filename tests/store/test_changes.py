"""Batches of changes: there and back, and the condition of each write."""

from random import Random

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain.changes.batch import BLOCK, Batch, Change, ChangeOutcome, Look, UndoToken
from chalicelib.store import changes, items
from chalicelib.store.changes import BLOCKS, KEPT_SECONDS, PLACE, Place
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import commit
from tests import aws

pytestmark = pytest.mark.usefixtures("store")

SITE = "site_1"


def batch(number: int = 1, count: int = 1, **members: object) -> Batch:
    given = {
        "id": f"batch_{number}",
        "site_id": SITE,
        "workspace_id": "wsp_1",
        "kind": "fields",
        "sequence": number,
        "issue_id": "iss_1",
        "field": "title",
        "source": "cms",
        "approved_by": "usr_1",
        "approved_at": clock.now(),
        "count": count,
    }
    return Batch(**{**given, **members})  # type: ignore[arg-type]


def some(count: int) -> list[Change]:
    return [
        Change(number=n, url=f"https://shop.example/{n}", cms_id=f"post:{n}", field="title", value=f"Value {n}")
        for n in range(count)
    ]


def noise(characters: int, seed: int) -> str:
    """Text that hardly gets shorter when it is packed."""
    random = Random(seed)
    return "".join(chr(random.randrange(0x10000, 0x110000)) for _ in range(characters))


def test_a_batch_is_read_back_with_its_changes_in_order() -> None:
    new, found = batch(count=2 * BLOCK + 1), some(2 * BLOCK + 1)
    commit(changes.put_new(new, found))
    assert changes.load(SITE, new.id) == (new, found, [1, 1, 1])
    wanted = changes.keys_of(SITE, new.id, new.blocks)
    with aws.counted_calls() as calls:
        assert changes.loaded_of(items.batch_get(wanted), wanted) == (new, found, [1, 1, 1])
    assert dict(calls) == {"BatchGetItem": 1}
    with pytest.raises(Conflict):
        commit(changes.put_new(new, found))
    assert changes.load(SITE, "batch_2") is None
    assert changes.loaded_of({}, wanted) is None


def test_a_block_of_changes_that_another_worker_has_changed_is_not_overwritten() -> None:
    new, found = batch(), some(1)
    commit(changes.put_new(new, found))
    taken = [found[0].taken()]
    commit([changes.put_block(new, 0, taken, 1)])
    with pytest.raises(Conflict) as conflict:
        commit([changes.put_block(new, 0, found, 1)])
    assert BLOCKS in conflict.value.failed
    loaded = changes.load(SITE, new.id)
    assert loaded is not None and (loaded.changes, loaded.revisions) == (taken, [2])


def test_a_value_that_is_not_live_is_recorded_once() -> None:
    new = batch()
    commit(changes.put_new(new, some(1)))
    told = msgspec.structs.replace(new, not_live_told=True)
    commit([changes.put_looked(told, before=new)])
    assert changes.get(SITE, new.id) == told
    with pytest.raises(Conflict):
        commit([changes.put_looked(told, before=new)])


def test_a_seen_gain_is_recorded_only_if_the_stored_gain_is_as_read() -> None:
    new = batch(gain_promised=12)
    commit(changes.put_new(new, some(1)))
    part, whole = msgspec.structs.replace(new, gain_seen=5), msgspec.structs.replace(new, gain_seen=12)
    commit([changes.put_looked(part, before=new)])
    assert changes.get(SITE, new.id) == part
    with pytest.raises(Conflict):
        commit([changes.put_looked(part, before=new)])
    commit([changes.put_looked(whole, before=part)])
    assert changes.get(SITE, new.id) == whole
    with pytest.raises(Conflict):
        commit([changes.put_looked(whole, before=part)])


def test_the_second_of_two_simultaneous_writes_to_the_batch_queue_is_a_conflict() -> None:
    assert changes.place(SITE) == Place()
    first = Place().with_batch("batch_1", 1_000.4)
    commit([changes.put_place(SITE, first)])
    with pytest.raises(Conflict) as conflict:
        commit([changes.put_place(SITE, Place().with_batch("batch_2", 1_000.4))])
    assert PLACE in conflict.value.failed
    third = changes.place(SITE).with_batch("batch_2", 1_000.4).with_batch("batch_3", 900.0)
    assert (first.sequence, third.sequence, third.running, third.waiting) == (
        1_000,
        1_002,
        "batch_1",
        ("batch_2", "batch_3"),
    )
    commit([changes.put_place(SITE, msgspec.structs.replace(third, version=2))])
    freed = changes.place(SITE).without("batch_1")
    assert (freed.running, freed.waiting) == ("batch_2", ("batch_3",))
    assert freed.without("batch_2").without("batch_3") == Place(version=5, sequence=1_002)


def test_undo_data_of_any_size_is_stored_in_parts() -> None:
    new = batch(count=BLOCK)
    commit(changes.put_new(new, some(BLOCK)))
    tokens = {number: UndoToken(number, noise(8_000, number)) for number in range(BLOCK)}
    commit(changes.put_tokens(new, [tokens[n] for n in range(BLOCK - 1)]))
    commit(changes.put_tokens(new, [tokens[BLOCK - 1]]))
    assert changes.load_tokens(SITE, new.id) == tokens
    assert len([sk for _, sk in aws.rows("changes") if sk.startswith("UNDO#")]) > 2
    assert changes.put_tokens(new, []) == []


def test_long_texts_read_from_the_website_are_cut_but_values_to_write_are_kept_whole() -> None:
    new = batch(count=BLOCK)
    huge = [
        msgspec.structs.replace(
            change,
            outcome=ChangeOutcome(before=noise(4_000, number)),
            look=Look(live=False, at=1.0, value=noise(4_000, number + 100)),
        )
        for number, change in enumerate(some(BLOCK))
    ]
    commit([changes.put_batch(new, new=True), changes.put_block(new, 0, huge, 0)])
    loaded = changes.load(SITE, new.id)
    assert loaded is not None and [change.value for change in loaded.changes] == [change.value for change in huge]
    assert all(change.look is not None and len(change.look.value or "") <= 200 for change in loaded.changes)


def test_the_fields_that_a_later_batch_has_written_are_listed() -> None:
    found = some(3)
    commit(changes.put_new(batch(1, count=3), found))
    later = [found[0].ended("failed", "no"), found[1], found[2].ended("refused", "no")]
    commit(changes.put_new(batch(2, count=3), later))
    assert changes.written_later(batch(1), changes.list_all(SITE)) == {("post:1", "title")}
    assert changes.written_later(batch(2), changes.list_all(SITE)) == set()
    assert [one.id for one in changes.list_all(SITE)] == ["batch_1", "batch_2"]


def test_a_field_whose_later_change_was_undone_does_not_count_as_written_later() -> None:
    """Of the later batch, the first of two changes is undone."""
    found = [change.taken().moved("applied") for change in some(2)]
    commit(changes.put_new(batch(1, count=2), found))
    commit(changes.put_new(batch(2, count=2), [found[0].reverted(None), found[1]]))
    back = msgspec.structs.replace(batch(3), kind="undo", undoes="batch_2")
    commit(changes.put_new(back, found[:1]))
    assert changes.written_later(batch(1), changes.list_all(SITE)) == {("post:1", "title")}
    # The undo itself is later than the batch that it takes back.
    assert changes.written_later(batch(2), changes.list_all(SITE)) == {("post:0", "title")}


def test_a_batch_expires_only_after_its_undo_period() -> None:
    new = batch()
    commit([*changes.put_new(new, some(1)), *changes.put_tokens(new, [UndoToken(0, "x")])])
    clock.set_offset(KEPT_SECONDS - 60)
    assert changes.load(SITE, new.id) is not None and changes.load_tokens(SITE, new.id) == {0: UndoToken(0, "x")}
    assert not new.may_be_undone(clock.now())
    clock.set_offset(KEPT_SECONDS + 60)
    assert changes.load(SITE, new.id) is None and changes.load_tokens(SITE, new.id) == {}


def test_a_field_unknown_to_the_last_release_is_stored_with_a_name_that_it_knows() -> None:
    new, found = (
        batch(field="redirect"),
        [msgspec.structs.replace(some(1)[0], cms_id="", field="redirect", key="/old", of=3)],
    )
    commit(changes.put_new(new, found))
    rows = items.query_all("changes", f"SITE#{SITE}", "BATCH#")
    assert [(row["field"], row["later"]) for row in rows] == [("alt", "redirect")]
    loaded = changes.load(SITE, new.id)
    assert loaded is not None and (loaded.batch, loaded.changes) == (new, found)
    assert changes.list_all(SITE) == [new]
