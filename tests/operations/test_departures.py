"""Removing a workspace: everything of it is gone, and nothing of another."""

from collections.abc import Callable
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.accounts import keys as key_format
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.exports import worker as exports
from chalicelib.operations import accounts, departures, sessions, websites
from chalicelib.operations.errors import Refused
from chalicelib.store import accounts as stored
from chalicelib.store import api_keys, crawl_turns, crawls, jobs, lanes, places
from chalicelib.store.transactions import Conflict, commit
from chalicelib.workers import imports, sweeper
from chalicelib.workers import jobs as job_workers
from chalicelib.workers.audit import crawl
from chalicelib.workers.delivery import deliveries, outbox
from local.sweeps import GRACE_SECONDS
from tests import aws
from tests.api.conftest import bucket as bucket
from tests.departures import (
    ALONE,
    NAME,
    SHARED,
    Leaving,
    everything,
    signed_in,
    workspace_that_leaves,
    workspace_that_stays,
)

pytestmark = pytest.mark.usefixtures("bucket")

WORKERS: dict[str, Callable[[dict[str, Any], Any], None]] = {
    "crawl": crawl.handle,
    "imports": imports.handle,
    "exports": exports.handle,
    "outbox": outbox.handle,
    "deliveries": deliveries.handle,
}


class Minutes:
    """What a function is told of its time."""

    def get_remaining_time_in_millis(self) -> int:
        return 900_000


def both() -> tuple[Leaving, dict[str, list[Any]]]:
    """A workspace that leaves, and all that was stored before it came. Messages are the leaving one's alone."""
    stays = workspace_that_stays()
    shared = signed_in(stays, SHARED)
    for queue in WORKERS:
        aws.purge(queue)
    before = everything()
    return workspace_that_leaves(shared), before


def test_a_removed_workspace_leaves_no_rows_and_no_objects() -> None:
    leaving, before = both()
    with_it = everything()
    changed = {part for part, rows in with_it.items() if len(rows) > len(before[part])}
    assert changed == with_it.keys(), "something of it lies everywhere"
    removed = departures.remove(OPERATOR, leaving.workspace_id, NAME)
    assert removed == departures.Removed(websites=1, people=2, keys=1, endpoints=1)
    after = everything()
    assert after == before
    told = str(after)
    assert leaving.workspace_id not in told and leaving.site_id not in told
    with pytest.raises(Refused, match="no workspace"):
        departures.remove(OPERATOR, leaving.workspace_id, NAME)


def test_a_removed_person_keeps_access_to_other_workspaces_only() -> None:
    leaving, _ = both()
    departures.remove(OPERATOR, leaving.workspace_id, NAME)
    parts = key_format.parse(leaving.key)
    assert parts is not None
    with pytest.raises(api_keys.KeyUnknown):
        api_keys.authenticate(parts.sha256, clock.now())
    assert sessions.find(leaving.alone) is None and sessions.workspaces(ALONE) == []
    assert sessions.find(leaving.shared) is not None
    assert [one.workspace_name for one in sessions.workspaces(SHARED)] == ["Stays"]
    assert [row.name for row in stored.list_workspaces()] == ["Stays"]


def test_the_messages_of_a_removed_workspace_have_no_effect() -> None:
    leaving, before = both()
    waiting = {queue: aws.messages(queue) for queue in WORKERS}
    assert all(waiting.values())
    departures.remove(OPERATOR, leaving.workspace_id, NAME)
    for queue, messages in waiting.items():
        aws.purge(queue)
        for message in messages:
            WORKERS[queue](message, Minutes())
    assert everything() == before
    assert not any(aws.messages(queue) for queue in WORKERS), "nothing follows from them"


def test_the_sweeper_finds_no_work_of_a_removed_workspace() -> None:
    leaving, _ = both()
    departures.remove(OPERATOR, leaving.workspace_id, NAME)
    for queue in WORKERS:
        aws.purge(queue)
    clock.set_offset(clock.offset() + GRACE_SECONDS)
    sweeper.run()
    sent = str({queue: aws.messages(queue) for queue in WORKERS})
    assert "siteId" in sent, "the other workspace's work is overdue"
    assert leaving.site_id not in sent and leaving.workspace_id not in sent


def test_a_worker_cannot_write_after_its_workspace_is_removed() -> None:
    leaving, before = both()
    header = crawls.get(leaving.site_id, leaving.crawl_id)
    assert header is not None
    now = clock.now()
    place = places.start(header.workspace_id, header.site_id, header.id)
    held = crawl_turns.claim(header, now=now, lease_until=now + 240, place=place, lane=lanes.LANES["crawl"])
    lease = job_workers.take({"siteId": leaving.site_id, "jobId": "content_sync"}, lanes.LANES["imports"])
    assert held is not None and lease is not None
    commit([crawls.stopped(leaving.site_id, "audit", held.id)])
    with pytest.raises(Conflict):
        commit([crawls.put_fenced(held, committed_checkpoint=held.checkpoint)])
    clock.set_offset(clock.offset() + 3_600)
    later = crawls.get(leaving.site_id, leaving.crawl_id)
    assert later is not None
    again = crawl_turns.claim(
        later, now=clock.now(), lease_until=clock.now() + 1, place=None, lane=lanes.LANES["crawl"]
    )
    assert again is None, "nobody takes it up"
    departures.remove(OPERATOR, leaving.workspace_id, NAME)
    with pytest.raises(Conflict):
        commit([crawls.put_fenced(held, committed_checkpoint=held.checkpoint)])
    with pytest.raises(crawls.FenceLost):
        lease.checkpoint([])
    assert jobs.get(leaving.site_id, "content_sync") is None
    assert everything() == before


def test_a_workspace_being_removed_accepts_nothing_new() -> None:
    workspace = accounts.create_workspace(OPERATOR, NAME, "agency")
    known = accounts.existing_workspace(workspace.id)
    commit(stored.begin_removal(workspace.id, clock.now()))
    with pytest.raises(Refused, match="no workspace"):
        accounts.add_person(OPERATOR, workspace.id, ALONE, "owner")
    with pytest.raises(Refused, match="no workspace"):
        websites.add(OPERATOR, workspace.id, "https://acme.example")
    with pytest.raises(Conflict):
        commit([stored.count(known, "people", None)])
    assert [(row.name, row.removed) for row in stored.list_workspaces()] == [(NAME, True)]


@pytest.mark.parametrize(
    ("actor", "name", "code"),
    [(OPERATOR, "acme", "wrong_name"), (Actor("wsp_1", "usr_1", "owner"), NAME, "not_allowed")],
)
def test_a_refused_removal_of_a_workspace_changes_nothing(actor: Actor, name: str, code: str) -> None:
    leaving, _ = both()
    before = everything()
    with pytest.raises(Refused) as refused:
        departures.remove(actor, leaving.workspace_id, name)
    assert refused.value.code == code
    assert everything() == before
