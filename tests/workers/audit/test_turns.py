"""Audits of one workspace take turns: one that goes on lets those that wait for a slot begin first.

Claims, put-offs, hand-overs and messages are the service's own. Only the reading between them is played here, on a
clock that moves from event to event. A worker receives a message 20 milliseconds after it could.
"""

from typing import Final

import pytest

from chalicelib import clock
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.operations.audits import send_slice
from chalicelib.store import crawl_turns, crawls, items, keys
from chalicelib.store.lanes import LANES
from chalicelib.store.slots import NoSlot
from chalicelib.store.transactions import commit
from chalicelib.workers.audit import lease
from chalicelib.workers.audit.crawl import TURN_SECONDS
from chalicelib.workers.audit.slices import Slice
from tests import aws

pytestmark = pytest.mark.usefixtures("now", "store")

LANE: Final = LANES["crawl"]
SLOTS: Final = 3  # the default of the setting
RECEIVED_AFTER: Final = 0.02
LATEST: Final = TURN_SECONDS + 15.0  # one turn, and a put-off


def queued(site_id: str) -> None:
    """Make an audit of a website of the one workspace, and send its message."""
    header = CrawlHeader(
        id=f"crawl_{site_id}",
        site_id=site_id,
        workspace_id="wsp_1",
        kind="audit",
        queued_at=clock.now(),
        page_budget=10,
        time_limit_minutes=120,
        status="running",
        stage="crawling",
    )
    commit([crawls.put_new(header)])
    send_slice(header)


class Workers:
    """Workers of the fast lane, more than a workspace has slots. No audit comes to its end."""

    def __init__(self, now: list[float]) -> None:
        self._now = now
        self._busy: list[tuple[float, lease.Turn]] = []
        self.turns: list[tuple[float, str]] = []  # when each turn began, and of which website

    def run(self, until: float) -> None:
        """Work until a time."""
        while self._now[0] < until:
            self._receive()
            self._end_turns()
            self._now[0] = min(until, max(self._now[0] + RECEIVED_AFTER, self._next_event()))

    def websites(self) -> list[str]:
        return [site_id for _, site_id in self.turns]

    def _next_event(self) -> float:
        visible = [at + RECEIVED_AFTER for at in aws.visible_at(LANE.name)]
        return min([*visible, *(end for end, _ in self._busy)], default=float("inf"))

    def _receive(self) -> None:
        while (message := aws.next_message(LANE.name)) is not None:
            header, slow = crawl_turns.find(message["siteId"], message["crawlId"], LANE)
            assert header is not None
            if header.slice != message["slice"] or lease.comes_early(header, LANE):
                continue
            try:
                turn = lease.claim(header, LANE, None, slow=slow)
            except NoSlot:
                continue
            if turn is not None:
                self.turns.append((clock.now(), header.site_id))
                self._busy.append((clock.now() + TURN_SECONDS - 1, turn))

    def _end_turns(self) -> None:
        for end, turn in list(self._busy):
            if end <= self._now[0]:
                self._busy.remove((end, turn))
                Slice(turn.header, lambda: 0.0, turn.watch).hand_over()


def test_a_small_audit_starts_soon_even_if_its_workspace_has_long_audits(now: list[float]) -> None:
    workers = Workers(now)
    for number in range(SLOTS):
        queued(f"long_{number}")
        workers.run(until=now[0] + 20)
    workers.run(until=now[0] + 300)
    queued("small")
    asked_at = now[0]
    workers.run(until=asked_at + LATEST)
    assert "small" in workers.websites()


def test_long_audits_start_soon_even_if_twice_as_many_wait_as_may_run_at_once(now: list[float]) -> None:
    workers = Workers(now)
    for number in range(2 * SLOTS):
        queued(f"long_{number}")
    workers.run(until=now[0] + LATEST)
    assert sorted(workers.websites()) == [f"long_{number}" for number in range(2 * SLOTS)]


def test_audits_continue_without_a_break_if_no_other_audit_is_waiting(now: list[float]) -> None:
    workers = Workers(now)
    began = now[0]
    for number in range(SLOTS):
        queued(f"long_{number}")
    workers.run(until=began + 4 * TURN_SECONDS - 10)
    assert len(workers.turns) == 4 * SLOTS
    assert workers.turns[-1][0] - began < 3 * TURN_SECONDS, "no time is lost between two turns"


def test_audits_continue_without_a_break_after_the_waiting_audit_is_gone(now: list[float]) -> None:
    workers = Workers(now)
    for number in range(SLOTS):
        queued(f"long_{number}")
    workers.run(until=now[0] + 1)
    queued("small")
    workers.run(until=now[0] + 5)
    items.delete(crawls.TABLE, *crawls.header_key(header_of("small")))
    aws.purge(LANE.name)
    workers.run(until=now[0] + TURN_SECONDS)
    assert len(workers.turns) == 2 * SLOTS
    assert workers.turns[-1][0] - workers.turns[0][0] < TURN_SECONDS


def test_the_waiting_time_of_only_the_first_waiting_audit_is_stored(now: list[float]) -> None:
    workers = Workers(now)
    for number in range(SLOTS + 5):
        queued(f"long_{number}")
    workers.run(until=now[0] + RECEIVED_AFTER)
    row = items.get(crawls.TABLE, *keys.workspace_slots("wsp_1", LANE.name))
    assert row is not None and row["awaited"] == header_of(f"long_{SLOTS}").due_at > now[0]


def header_of(site_id: str) -> CrawlHeader:
    found = crawls.get(site_id, f"crawl_{site_id}")
    assert found is not None
    return found
