"""Batches whose worker fails again and again: each ends, says the truth, and the next one is written."""

import errno
import os
from collections.abc import Iterator

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain.changes.batch import Batch, job_id
from chalicelib.net.guard import Guard
from chalicelib.store import changes, items, keys
from chalicelib.store.transactions import commit
from chalicelib.workers import sweeper, writes
from chalicelib.workers.jobs import LEASE_SECONDS
from chalicelib.workers.writing.stalled import STOPPED_BEFORE
from tests import aws
from tests.changes import House, open_house
from tests.workers.audit.websites import Runtime

MOST_WORKERS = 12


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


def failures(house: House, batch: Batch) -> int:
    """Let workers try until the batch leaves the place of writes. Return how many of them failed."""
    failed = 0
    for _ in range(MOST_WORKERS):
        aws.purge("writes")
        try:
            writes.handle({"siteId": house.site_id, "jobId": job_id(batch.id)}, Runtime())
        except Exception:
            failed += 1
        if batch.id not in changes.place(house.site_id).will_write:
            return failed
        clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
        sweeper.run()
    raise AssertionError("the batch keeps the website's place of writes")


def test_a_batch_fails_when_the_machine_cannot_open_connections(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    batch, following = house.apply({"/a": "A"}), house.apply({"/b": "B"})

    def no_socket(*_: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patched:
        patched.setattr(Guard, "socket_for", no_socket)
        assert failures(house, batch) == 3
    (change,) = house.loaded(batch).changes
    assert (change.status, change.error) == ("failed", writes.STALLED)
    assert [event.fields["batchId"] for event in house.events("write.failed")] == [batch.id]
    house.work()
    assert house.statuses(following) == {"/b": "applied"}


def test_an_unreadable_batch_ends_and_the_next_one_is_written(house: House) -> None:
    batch, following = house.apply({"/a": "A"}), house.apply({"/b": "B"})
    pk, sk = keys.change_block(house.site_id, batch.id, 0)
    row = items.get("changes", pk, sk)
    assert row is not None
    items.put("changes", {**row, "data": b"no block"})
    assert failures(house, batch) == 6
    ended = changes.get(house.site_id, batch.id)
    assert ended is not None and ended.status == "done" and ended.ended_at is not None
    assert house.job(batch).error == STOPPED_BEFORE
    house.write_once()
    assert house.statuses(following) == {"/b": "applied"}


def test_an_undo_can_revert_more_batches_than_fit_into_one_transaction(house: House) -> None:
    first = house.apply({"/a": "All about A"})
    house.write()
    (change,) = house.loaded(first).changes
    assert change.outcome is not None
    again = msgspec.structs.replace(change, outcome=msgspec.structs.replace(change.outcome, same=True))
    place = changes.place(house.site_id)
    done = house.loaded(first).batch
    copies = []
    for number in range(120):
        sequence = place.sequence + number + 1
        copy = msgspec.structs.replace(done, id=f"{first.id}x{number:03}", sequence=sequence)
        commit(changes.put_new(copy, [again]))
        copies.append(copy)
    after = msgspec.structs.replace(place, version=place.version + 1, sequence=copies[-1].sequence)
    commit([changes.put_place(house.site_id, after)])
    undo = house.undo(copies[-1])
    assert len(house.change(undo, "/a").through) == 120
    house.write()
    assert house.statuses(undo) == {"/a": "applied"}
    assert house.held("/a") is None
    assert {house.statuses(batch)["/a"] for batch in [first, *copies]} == {"reverted"}
