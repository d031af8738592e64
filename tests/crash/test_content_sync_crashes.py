"""Killed at any write, a sync of content ends as if nothing had happened."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.content import ContentItem
from chalicelib.operations import content, websites
from chalicelib.store import content as stored
from chalicelib.workers import content_sync, imports, sweeper
from chalicelib.workers.content_sync import EVERY_SECONDS
from chalicelib.workers.jobs import LEASE_SECONDS
from local import embedded
from local.standins.cms import ListSite
from tests import aws, webhooks
from tests.connections import Connected, connectable
from tests.crash.crashing import Killed, dies_at, each_step, killed_at, points

TURNS = 40


@contextlib.contextmanager
def paired() -> Iterator[Connected]:
    """A website that was just connected to a CMS with 405 items. Of four that are known one is older than what the CMS
    holds, one newer, and two are gone."""
    embedded.clear()
    with pytest.MonkeyPatch.context() as monkeypatch, connectable(monkeypatch) as house:
        monkeypatch.setattr(content_sync, "SLICE_SECONDS", 0.0)  # each worker takes over one page, and hands on
        house.cms.site = ListSite(405)
        website = websites.existing(OPERATOR, house.site_id, "work")
        content.put(website, [item("page:1"), item("page:300"), item("page:900"), item("page:901")], now=clock.now())
        house.pair()
        yield house


def item(cms_id: str) -> ContentItem:
    url = f"https://shop.example/{cms_id.replace(':', '-')}/"
    return ContentItem(cms_id=cms_id, url=url, type="page", status="published", title="As it was")


def work(house: Connected) -> None:
    """Work the queue until the walk is at its end, with the sweeper's help where a message was lost."""
    for _ in range(TURNS):
        job = house.sync_job()
        assert job is not None
        if job.due_at - clock.now() > EVERY_SECONDS / 2:
            return
        waiting = aws.messages("imports")
        aws.purge("imports")
        for message in waiting:
            imports.handle(message, None)
        if not waiting:
            clock.set_offset(clock.offset() + max(LEASE_SECONDS, job.due_at - clock.now()) + 1)
            sweeper.run()
    raise AssertionError("the sync does not end")


def outcome(house: Connected) -> dict[str, Any]:
    """Everything that a reader can see of it, without times."""
    known, writer, job = stored.load(house.site_id), house.writer(), house.sync_job()
    assert writer is not None and job is not None
    return {
        "items": {cms_id: item.title for cms_id, item in known.items.items()},
        "writer": (writer.imported_items, writer.trouble, writer.imported_at is not None),
        "job": (job.payload, job.error, job.lease_until),
        "events": len(webhooks.pending()),
    }


@each_step
@pytest.mark.usefixtures("store")
def test_a_worker_killed_at_any_write_gives_the_same_result(step: int) -> None:
    with paired() as house, killed_at(None) as counter:
        work(house)
        undisturbed = outcome(house)
        asked = house.cms.counts["items"]
    assert len(undisturbed["items"]) == 405 and undisturbed["items"]["page:1"] == "Page 1"
    assert undisturbed["writer"] == (405, None, True) and asked == 3
    assert counter.operations.count("TransactWriteItems") >= 3
    for point in points(counter.count, step):
        with paired() as house:
            with dies_at(*point):
                work(house)
            work(house)
            assert outcome(house) == undisturbed, (point, counter.operations[point.number])
            assert house.cms.counts["items"] <= asked + 1, "no page that was committed is asked for again"


@contextlib.contextmanager
def down() -> Iterator[Connected]:
    """A website of 405 items that is known, whose CMS has no answer when its next sync is due."""
    with paired() as house:
        work(house)
        house.cms.misbehave("down")
        clock.set_offset(clock.offset() + EVERY_SECONDS)
        yield house


@each_step
@pytest.mark.usefixtures("store")
def test_a_failing_sync_keeps_its_error_and_all_content_even_if_its_worker_is_killed(step: int) -> None:
    with down() as house, killed_at(None) as counter:
        work(house)
    assert counter.count >= 10
    for point in points(counter.count, step):
        with down() as house:
            with contextlib.suppress(Killed), killed_at(*point):
                work(house)
            work(house)
            assert len(outcome(house)["items"]) == 405, point
            assert outcome(house)["writer"][1] == "127.0.0.1 answered 503; try again later.", point
