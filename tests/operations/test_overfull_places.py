"""A website with more waiting batches than are allowed now: a former release took any number."""

from collections.abc import Iterator

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.changes.batch import job_id
from chalicelib.domain.changes.place import Place
from chalicelib.domain.jobs import Job
from chalicelib.operations import cancelling, contention
from chalicelib.operations.errors import Refused
from chalicelib.store import changes, jobs
from chalicelib.store.transactions import commit
from tests import aws
from tests.changes import House, open_house

WAITING = tuple(f"batch_{number:03}" for number in range(250))


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        now, site, workspace = clock.now(), found.site_id, found.website.workspace_id
        for start in range(0, len(WAITING), 90):
            commit(
                [
                    jobs.put_new(
                        Job(
                            id=job_id(one),
                            kind="write",
                            site_id=site,
                            workspace_id=workspace,
                            queued_at=now,
                            due_at=now,
                        ),
                        waits=True,
                    )
                    for one in WAITING[start : start + 90]
                ]
            )
        commit([changes.put_place(site, Place(version=1, running="batch_running", waiting=WAITING))])
        yield found


def test_an_approval_over_the_limit_is_refused_before_the_batches_are_read(house: House) -> None:
    for approve in (lambda: house.apply({"/a": "A"}), lambda: house.publish("# The shop\n")):
        with aws.counted_calls() as calls, pytest.raises(Refused) as refused:
            approve()
        assert refused.value.code == "too_many_waiting"
        assert calls.total() <= 3, dict(calls)


def test_all_waiting_batches_are_cancelled_even_if_it_takes_long(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contention, "SECONDS", 0.0)
    assert cancelling.cancel_waiting(OPERATOR, house.site_id) == list(WAITING)
    assert changes.place(house.site_id).waiting == ()
