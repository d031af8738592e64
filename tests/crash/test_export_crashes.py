"""An export that is killed before or after any of its writes is made once more, and told of once."""

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.exports import worker
from chalicelib.operations import exports
from chalicelib.store import client, jobs
from chalicelib.store.jobs import QUEUED_GRACE_SECONDS
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper
from chalicelib.workers.jobs import LEASE_SECONDS
from local import embedded
from local import objects as bucket_objects
from tests import aws
from tests.api import seed
from tests.api.conftest import House, settings, settle
from tests.crash.crashing import dies_at, each_step, killed_at, points

__all__ = ["settings"]


@pytest.fixture
def bucket(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    endpoint = embedded.Endpoint()
    monkeypatch.setenv(embedded.OBJECTS_ENDPOINT, endpoint.url)
    client.reset()
    yield
    endpoint.stop()
    client.reset()


def prepared() -> Website:
    house: House = settle()
    seed.audited(house.site)
    exports.start(house.site, now=clock.now())
    return house.site


def work(website: Website) -> None:
    """Work the queue until the export has ended, with the sweeper's help."""
    for _ in range(20):
        waiting = aws.messages("exports")
        aws.purge("exports")
        for message in waiting:
            worker.handle(message, None)
        found = [job for job in jobs.list_all(website.id) if job.kind == "export" and job.id != seed.EXPORT]
        if found and all(job.ended for job in found):
            return
        clock.set_offset(clock.offset() + LEASE_SECONDS + QUEUED_GRACE_SECONDS + 1)
        sweeper.run()
    raise AssertionError("the export does not end")


def outcome(website: Website) -> Any:
    (job,) = [job for job in jobs.list_all(website.id) if job.kind == "export" and job.id != seed.EXPORT]
    assert job.error is None and [*bucket_objects._objects] == [f"exports/{website.id}/{job.id}.zip"]
    return job.payload["lists"]


@pytest.mark.usefixtures("bucket")
@each_step
def test_a_worker_killed_at_any_write_gives_the_same_result(step: int) -> None:
    website = prepared()
    with killed_at(None) as counter:
        work(website)
    undisturbed = outcome(website)
    assert {"name": "pages", "rows": 3, "note": None} in undisturbed
    assert "TransactWriteItems" in counter.operations
    for number, when in points(counter.count, step):
        embedded.clear()
        bucket_objects.clear()
        clock.set_offset(0)
        website = prepared()
        with dies_at(number, when):
            work(website)
        work(website)
        assert outcome(website) == undisturbed, (number, when, counter.operations[number])
