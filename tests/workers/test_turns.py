"""Long jobs of one workspace take turns with its small ones: one that goes on lets those that wait begin first.

Claims, put-offs, hand-overs and messages are the service's own. Only the work between them is played here, on a clock
that moves from event to event.
"""

from typing import Final

import pytest

from chalicelib import clock
from chalicelib.domain.jobs import Job, JobKind
from chalicelib.operations.jobs import QUEUES, send_job
from chalicelib.store import jobs
from chalicelib.store.lanes import LANES
from chalicelib.store.transactions import commit
from chalicelib.workers.jobs import PUT_OFF_SECONDS, JobLease, take
from tests import aws

pytestmark = pytest.mark.usefixtures("now", "store")

SLOTS: Final = 3  # the default of the setting
SLICE: Final = 150.0
ANSWERS: Final = 200  # of a slice: the websites are quick
RECEIVED_AFTER: Final = 0.02
LONG_KINDS: Final[tuple[JobKind, ...]] = ("write", "sampling", "speed_tests", "content_sync", "search_import")


class Workers:
    """Workers of a fast lane, more than a workspace has slots. No job comes to its end."""

    def __init__(self, kind: JobKind, now: list[float]) -> None:
        self._kind, self._now, self._lane = kind, now, LANES[QUEUES[kind]]
        self._busy: list[tuple[float, JobLease]] = []
        self.turns: list[tuple[float, str]] = []  # when each turn began, and of which website

    def add(self, site_id: str) -> None:
        now = clock.now()
        job = Job(id="job_1", kind=self._kind, site_id=site_id, workspace_id="wsp_1", queued_at=now, due_at=now)
        commit([jobs.put_new(job)])
        send_job(job)

    def run(self, until: float) -> None:
        """Work until a time."""
        while self._now[0] < until:
            while (message := aws.next_message(self._lane.name)) is not None:
                lease = take(message, self._lane)
                if lease is not None:
                    self.turns.append((clock.now(), lease.job.site_id))
                    self._busy.append((clock.now() + SLICE, lease))
            for end, lease in list(self._busy):
                if end <= self._now[0]:
                    self._busy.remove((end, lease))
                    for _ in range(ANSWERS):
                        lease.answered()
                    lease.hand_over()
            self._now[0] = min(until, max(self._now[0] + RECEIVED_AFTER, self._next_event()))

    def _next_event(self) -> float:
        visible = [at + RECEIVED_AFTER for at in aws.visible_at(self._lane.name)]
        return min([*visible, *(end for end, _ in self._busy)], default=float("inf"))


@pytest.mark.parametrize("kind", LONG_KINDS)
def test_a_small_job_starts_soon_although_its_workspace_has_long_jobs(kind: JobKind, now: list[float]) -> None:
    workers = Workers(kind, now)
    for number in range(SLOTS):
        workers.add(f"long_{number}")
    workers.run(until=now[0] + 2.5 * SLICE)
    workers.add("small")
    workers.run(until=now[0] + SLICE + PUT_OFF_SECONDS[1] + 1)
    assert "small" in [site_id for _, site_id in workers.turns]


def test_long_jobs_continue_without_a_break_if_no_other_job_is_waiting(now: list[float]) -> None:
    workers = Workers("write", now)
    began = now[0]
    for number in range(SLOTS):
        workers.add(f"long_{number}")
    workers.run(until=began + 3.5 * SLICE)
    assert len(workers.turns) == 4 * SLOTS
    assert workers.turns[-1][0] - began < 3 * SLICE + 1
