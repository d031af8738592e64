"""Approved changes that a CMS refuses, takes late, or takes without an answer."""

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors.cms import HttpCms
from chalicelib.connectors.errors import OutsideError, Quota, Unavailable
from chalicelib.connectors.live_reader import AT_ONCE
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.changes.batch import BLOCK, Batch, job_id
from chalicelib.domain.connector.messages import Change, Outcome
from chalicelib.operations import connections
from chalicelib.store.lanes import Lane
from chalicelib.workers import writes
from chalicelib.workers.jobs import JobLease, take
from local.standins.cms import REFUSAL
from tests import aws
from tests.changes import House, kinds, open_house
from tests.workers.audit.websites import Runtime


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


def test_refused_changes_reopen_the_issue_and_send_one_event(house: House) -> None:
    house.cms.misbehave("refuse")
    batch = house.apply({"/a": "All about A"})
    house.work()
    change = house.change(batch, "/a")
    assert (change.status, change.error) == ("refused", REFUSAL)
    assert house.issue().status == "open" and house.issue().pending_recheck is None
    assert kinds(house) == ["write.failed"]
    assert house.cms.writes == []


def test_a_cms_that_does_not_answer_is_tried_five_times_in_thirty_minutes(house: House) -> None:
    house.cms.misbehave("fail")
    batch = house.apply({"/a": "All about A"})
    began = clock.now()
    asked = []
    for _ in range(5):
        before = house.cms.counts["changes"]
        aws.purge("writes")
        writes.handle({"siteId": house.site_id, "jobId": job_id(batch.id)}, Runtime())
        asked.append((house.cms.counts["changes"] - before, round((clock.now() - began) / 60)))
        job = house.job(batch)
        clock.set_offset(clock.offset() + max(0.0, job.due_at - clock.now()))
    assert asked == [(1, 0), (1, 2), (1, 7), (1, 15), (1, 30)]
    change = house.change(batch, "/a")
    assert change.status == "failed" and change.error is not None and "500" in change.error
    assert house.issue().status == "open"
    assert kinds(house) == ["write.failed"]


def test_a_change_whose_answer_is_lost_is_sent_again_but_written_once(house: House) -> None:
    house.cms.misbehave("partial")
    batch = house.apply({"/a": "All about A"})
    writes.handle({"siteId": house.site_id, "jobId": job_id(batch.id)}, Runtime())
    assert house.statuses(batch) == {"/a": "applying"}
    house.cms.edit("page:/a", "title", "What an editor wrote in between")
    house.cms.misbehave("none")
    house.write()
    assert house.cms.writes == [("page:/a", "title", "All about A")]
    assert house.held("/a") == "What an editor wrote in between"
    assert house.statuses(batch) == {"/a": "not_live"}


def test_the_rest_of_a_large_batch_is_not_sent_when_the_cms_is_down(
    store: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = tuple(f"/page-{number}" for number in range(3 * BLOCK))
    with open_house(monkeypatch, paths) as house:
        house.cms.misbehave("down")
        before = house.cms.counts["changes"]
        batch = house.apply({path: f"All about {path}" for path in paths})
        writes.handle({"siteId": house.site_id, "jobId": job_id(batch.id)}, Runtime())
        assert house.cms.counts["changes"] - before == BLOCK
        house.cms.misbehave("none")
        house.write()
        assert set(house.statuses(batch).values()) == {"applied"}
        assert len(house.cms.writes) == len(paths)


def throttled(monkeypatch: pytest.MonkeyPatch, takes: int, error: OutsideError) -> list[int]:
    """The CMS takes so many changes and then asks to wait, again and again. Gives how many requests came to it in each
    of the rounds so far."""
    real, lock = HttpCms.change, threading.Lock()
    taken, asked = [0], [0]

    def change(cms: HttpCms, message: Change) -> Outcome:
        with lock:
            asked[-1] += 1
            if taken[-1] == takes:
                raise error
            taken[-1] += 1
        return real(cms, message)

    def begin(lease: JobLease) -> None:
        taken.append(0)
        asked.append(0)

    monkeypatch.setattr(HttpCms, "change", change)
    monkeypatch.setattr(writes, "take", lambda message, lane: _begun(message, lane, begin))
    return asked


def _begun(message: Mapping[str, Any], lane: Lane, begin: Callable[[JobLease], None]) -> JobLease | None:
    lease = take(message, lane)
    if lease is not None:
        begin(lease)
    return lease


def rounds(house: House, batch: Batch) -> list[int]:
    """Work the batch to its end, each round at its time; the seconds between them."""
    waits: list[int] = []
    while house.loaded(batch).batch.status != "done":
        aws.purge("writes")
        writes.handle({"siteId": house.site_id, "jobId": job_id(batch.id)}, Runtime())
        job = house.job(batch)
        if not job.ended:
            waits.append(round(job.due_at - clock.now()))
            clock.set_offset(clock.offset() + max(0.0, job.due_at - clock.now()) + 0.001)
    return waits


@pytest.mark.parametrize("error", [Quota("Slower.", 45.0), Unavailable("Maintenance.", 45.0)])
def test_remaining_changes_are_sent_at_the_retry_time_of_a_throttling_cms(
    store: None, monkeypatch: pytest.MonkeyPatch, error: OutsideError
) -> None:
    paths = tuple(f"/page-{number}" for number in range(2 * BLOCK))
    with open_house(monkeypatch, paths) as house:
        asked = throttled(monkeypatch, 8, error)
        batch = house.apply({path: f"All about {path}" for path in paths})
        assert rounds(house, batch) == [45] * 6
        assert set(house.statuses(batch).values()) == {"applied"}
        assert len(house.cms.writes) == len(paths)
        # Those that were under way when it asked; nothing is sent after that.
        assert max(asked) <= 8 + AT_ONCE


@pytest.mark.parametrize(
    ("told", "waits"),
    [
        (None, [120, 300, 480, 900]),
        (5.0, [120, 300, 480, 900]),
        (600.0, [600, 600, 600]),
        (1_500.0, [1_500, 300]),
        (86_400.0, [1_800]),
    ],
)
def test_a_retry_after_header_up_to_thirty_minutes_is_respected(
    house: House, monkeypatch: pytest.MonkeyPatch, told: float | None, waits: list[int]
) -> None:
    asked = throttled(monkeypatch, 0, Quota("Slower.", told))
    batch = house.apply({"/a": "All about A"})
    assert rounds(house, batch) == waits and asked == [0, *[1] * (len(waits) + 1)]
    change = house.change(batch, "/a")
    assert (change.status, change.error) == ("failed", "Slower.")


def test_a_cms_that_throttles_for_two_hours_is_given_up(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = tuple(f"/page-{number}" for number in range(12))
    with open_house(monkeypatch, paths) as house:
        throttled(monkeypatch, 1, Quota("Slower.", 3_000.0))
        batch = house.apply({path: f"All about {path}" for path in paths})
        waits = rounds(house, batch)
        assert waits[:3] == [3_000, 3_000, 1_200] and sum(waits[:3]) == writes.MOST_SLOWED
        assert sum(waits[3:]) == sum(writes.TRY_AGAIN_AFTER)
        said = list(house.statuses(batch).values())
        assert said.count("applied") == len(waits) + 1 and said.count("failed") == len(paths) - len(waits) - 1


def test_without_a_connection_all_changes_fail(house: House) -> None:
    batch = house.apply({"/a": "All about A"})
    connections.remove(OPERATOR, house.site_id, "cms")
    house.work()
    assert house.change(batch, "/a").error == writes.GONE
    assert house.issue().status == "open"
