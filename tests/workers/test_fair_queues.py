"""Slow websites hold up nobody else: what passes before the job of another workspace is claimed.

Claims, put-offs and hand-overs are the service's own; only the work between a claim and its end is played here, on a
clock that stands still between two events.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, Protocol

import pytest

from chalicelib import clock
from chalicelib.domain.audit.records import CrawlHeader, CrawlKind
from chalicelib.domain.jobs import Job, JobKind
from chalicelib.operations.audits import send_slice
from chalicelib.operations.jobs import send_job
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawl_turns, crawls, jobs
from chalicelib.store.lanes import LANES, SLOW_LANES, Lane
from chalicelib.store.queues import Queue
from chalicelib.store.slots import NoSlot
from chalicelib.store.transactions import commit
from chalicelib.workers.audit import lease
from chalicelib.workers.jobs import take
from host.pump import JOBS_AT_ONCE, MORE_AT_ONCE
from infra.functions import FUNCTIONS
from tests import aws

pytestmark = pytest.mark.usefixtures("store")

SLOW_WEBSITES: Final = 50
OTHER: Final = "site_other"
# How long a slow website keeps a worker: in the fast lane its patience and a last step, in the slow lane a
# whole slice.
LAST_STEP: Final = 30.0
SLOW_SLICE: Final = 240.0
KINDS: Final[dict[str, JobKind]] = {
    "writes": "write",
    "imports": "connection_status",
    "sampling": "sampling",
    "agentic": "agentic_run",
}


class Held(Protocol):
    """A lease on a job or a crawl."""

    def give_back(self) -> None: ...


class Claimed(NamedTuple):
    """A claim: when it was made, of which website, in which lane."""

    at: float
    site_id: str
    lane: Queue


class Numbers(NamedTuple):
    """How many workers each lane of a queue has, and how many slots a workspace has there."""

    fast: int
    slow: int
    slots: int


def numbers(queue: Queue, of: str) -> Numbers:
    if of == "host":
        return Numbers(MORE_AT_ONCE.get(queue, JOBS_AT_ONCE), JOBS_AT_ONCE, 3)
    (fast,) = (function for function in FUNCTIONS if function.queue == queue)
    (slow,) = (function for function in FUNCTIONS if function.queue == SLOW_LANES[queue])
    return Numbers(fast.concurrency, slow.concurrency, fast.workspace_slots)


@pytest.fixture(params=["host", "lambda"])
def of(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch, queue: Queue, of: str) -> Iterator[Numbers]:
    found = numbers(queue, of)
    monkeypatch.setenv("WORKSPACE_SLOTS", str(found.slots))
    forget_settings()
    yield found
    forget_settings()


def work(queue: Queue) -> str:
    """The kind of work that ``queued`` makes."""
    return KINDS.get(queue, "recheck" if queue == "recheck" else "audit")


def queued(queue: Queue, site_id: str, workspace_id: str) -> None:
    """Make work of a website, and send its message."""
    now = clock.now()
    if queue in KINDS:
        kind = KINDS[queue]
        job = Job(id=kind, kind=kind, site_id=site_id, workspace_id=workspace_id, queued_at=now, due_at=now)
        commit([jobs.put_new(job)])
        send_job(job)
        return
    crawl: CrawlKind = "recheck" if queue == "recheck" else "audit"
    header = CrawlHeader(
        id=f"crawl_{site_id}",
        site_id=site_id,
        workspace_id=workspace_id,
        kind=crawl,
        queued_at=now,
        page_budget=10,
        time_limit_minutes=30,
        status="running",
        stage="crawling",
    )
    commit([crawls.put_new(header)])
    send_slice(header)


def received(lane: Lane) -> tuple[bool, str, Held | None]:
    """Handle the first message of a lane: whether there was one, of which website, and its claim, if it was claimed."""
    message = aws.next_message(lane.name)
    if message is None:
        return False, "", None
    site_id = message["siteId"]
    if lane.queue in KINDS:
        return True, site_id, take(message, lane)
    header, slow = crawl_turns.find(site_id, message["crawlId"], lane)
    assert header is not None
    if header.due_at > clock.now() or lease.belongs_elsewhere(header, lane, slow=slow):
        return True, site_id, None
    try:
        return True, site_id, lease.claim(header, lane, None, slow=slow)
    except NoSlot:
        return True, site_id, None


class Service:
    """The workers of both lanes of a queue. A website that is not the other one never answers."""

    def __init__(self, queue: Queue, now: list[float], workers: Numbers) -> None:
        self._fast, self._slow = LANES[queue], LANES[SLOW_LANES[queue]]
        self._now = now
        self._free = {self._fast: workers.fast, self._slow: workers.slow}
        self._busy: list[tuple[float, Lane, Callable[[], None]]] = []
        self.claims: list[Claimed] = []

    def run(self, until: Callable[[], bool], longest: float = 7_200.0) -> None:
        """Go on until something is so."""
        end = self._now[0] + longest
        while not until():
            assert self._now[0] < end, "nothing came of it"
            if self._round():
                continue
            soon = min((at for at, _, _ in self._busy), default=self._now[0] + 1)
            self._now[0] = min(soon, self._now[0] + 1)
            for done in [one for one in self._busy if one[0] <= self._now[0]]:
                self._busy.remove(done)
                self._free[done[1]] += 1
                done[2]()

    def _round(self) -> bool:
        """Let each free worker take a message. False when there was none."""
        any_message = False
        for lane in (self._fast, self._slow):
            for _ in range(self._free[lane]):
                there, site_id, held = received(lane)
                any_message = any_message or there
                if held is None:
                    continue
                self.claims.append(Claimed(self._now[0], site_id, lane.name))
                if site_id != OTHER:
                    self._free[lane] -= 1
                    takes = SLOW_SLICE if lane.is_slow else lane.patience + LAST_STEP
                    self._busy.append((self._now[0] + takes, lane, held.give_back))
        return any_message

    def others_before(self) -> list[Claimed]:
        """The claims in the fast lane before the other website's first."""
        claimed = [one for one in self.claims if one.lane == self._fast.name]
        return claimed[: [one.site_id for one in claimed].index(OTHER)]

    def was_claimed(self) -> bool:
        return any(one.site_id == OTHER for one in self.claims)


each_queue = pytest.mark.parametrize("queue", SLOW_LANES)


@each_queue
def test_a_workspace_of_50_slow_websites_leaves_workers_to_others(
    queue: Queue, now: list[float], workers: Numbers
) -> None:
    for number in range(SLOW_WEBSITES):
        queued(queue, f"site_{number}", "wsp_1")
    queued(queue, OTHER, "wsp_2")
    service = Service(queue, now, workers)
    began = now[0]
    service.run(service.was_claimed)
    assert len(service.others_before()) <= workers.fast
    assert len(service.others_before()) == workers.slots < workers.fast, "the workspace holds as much as it may"
    assert now[0] == began


@each_queue
def test_50_known_slow_websites_are_processed_only_in_the_slow_queue(
    queue: Queue, now: list[float], workers: Numbers
) -> None:
    for number in range(SLOW_WEBSITES):
        commit([LANES[queue].remember(f"site_{number}", work(queue), now[0])])
        queued(queue, f"site_{number}", f"wsp_{number}")
    queued(queue, OTHER, "wsp_other")
    service = Service(queue, now, workers)
    began = now[0]
    service.run(service.was_claimed)
    assert len(service.others_before()) <= workers.fast
    assert now[0] == began


@each_queue
def test_50_new_slow_websites_are_marked_slow_after_one_attempt(
    queue: Queue, now: list[float], workers: Numbers
) -> None:
    lane = LANES[queue]
    for number in range(SLOW_WEBSITES):
        queued(queue, f"site_{number}", f"wsp_{number}")
    queued(queue, OTHER, "wsp_other")
    service = Service(queue, now, workers)
    began = now[0]
    service.run(service.was_claimed)
    assert now[0] - began <= (SLOW_WEBSITES / workers.fast + 1) * (lane.patience + LAST_STEP)
    met = {one.site_id for one in service.claims if one.lane == queue} - {OTHER}
    service.run(lambda: {one.site_id for one in service.claims if one.lane == lane.slow_lane} >= met, 40_000)
    in_fast = [one.site_id for one in service.claims if one.lane == queue and one.site_id != OTHER]
    assert len(in_fast) == len(set(in_fast)), "each was met in the fast lane once"
