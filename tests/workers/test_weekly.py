"""The weekly run: every active website once, in bounded portions, whatever is fired how often."""

import itertools
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.crawl.weekly import next_weekly_run
from chalicelib.operations import accounts, audits, websites
from chalicelib.operations.weekly import start_scheduled
from chalicelib.store import crawl_turns, crawls, items, keys, places
from chalicelib.store import websites as stored
from chalicelib.store.lanes import LANES
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper, weekly
from tests import aws

pytestmark = pytest.mark.usefixtures("store", "own_week")

WEEK = 7 * 86_400


@pytest.fixture(autouse=True)
def sunday(store: None) -> Iterator[float]:
    """The test begins on a Sunday, 02:00:01."""
    run = next_weekly_run(clock.now())
    clock.set_offset(run + 1 - clock.now())
    yield run
    clock.set_offset(0.0)


def workspaces(number: int) -> list[str]:
    return [accounts.create_workspace(OPERATOR, f"Agency {n}", "enterprise").id for n in range(number)]


def ids_of_first_shard(prefix: str, number: int) -> list[str]:
    """So many ids that stand in the first shard of the indexes."""
    found = (f"{prefix}{count:05d}" for count in itertools.count())
    return list(itertools.islice((one for one in found if keys.shard(one) == keys.shards()[0]), number))


def write_websites(workspace_id: str, site_ids: list[str], *, active: int, due: float) -> list[str]:
    """Websites written into the table as they stand there, the first of them active; gives the ids of those."""

    def website(number: int, site_id: str) -> Website:
        pk, sk = keys.website(workspace_id, site_id)
        is_active = number < active
        return Website(
            pk=pk,
            sk=sk,
            id=site_id,
            workspace_id=workspace_id,
            name=site_id,
            host=f"{number}.example",
            url=f"https://{number}.example/",
            platform="unknown",
            status="active" if is_active else "paused",
            created_at=1.0,
            next_audit_at=due if is_active else None,
            due_shard=keys.due_shard(site_id) if is_active else None,
        )

    made = [website(number, site_id) for number, site_id in enumerate(site_ids)]
    items.batch_write(("sites", one.as_item()) for one in made)
    return [one.id for one in made[:active]]


def take_up(now: float) -> None:
    """Workers take up everything that waits in the queue."""
    for message in aws.messages("crawl"):
        header = crawls.get(message["siteId"], message["crawlId"])
        assert header is not None
        place = places.start(header.workspace_id, header.site_id, header.id)
        crawl_turns.claim(header, now=now, lease_until=now + 9e6, place=place, lane=LANES["crawl"])
    aws.purge("crawl")


def started() -> list[str]:
    return [message["siteId"] for message in aws.messages("crawl")]


def record(website: Website) -> Website:
    found = stored.get(website.workspace_id, website.id)
    assert found is not None
    return found


def add(url: str = "https://example.org") -> Website:
    """An active website that is due now."""
    (workspace_id,) = workspaces(1)
    offset = clock.offset()
    clock.set_offset(offset - 3600)
    website = websites.add(OPERATOR, workspace_id, url)
    clock.set_offset(offset)
    return website


def test_two_thousand_due_websites_each_start_once_over_several_minutes(
    sunday: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    active: list[str] = []
    for workspace_id in workspaces(20):
        ids = [f"site_{workspace_id[-6:]}{number:05d}" for number in range(100)]
        active += write_websites(workspace_id, ids, active=50, due=sunday)
    monkeypatch.setattr(weekly, "_waiting", lambda: 0)  # workers that keep up
    a_minute = weekly.WAITING
    seen: list[str] = []
    minutes: list[int] = []
    while len(seen) < len(active) and len(minutes) < 20:
        weekly.run()
        minutes.append(len(started()))
        seen += started()
        aws.purge("crawl")
        clock.set_offset(clock.offset() + 60)
    assert sorted(seen) == sorted(active)
    assert max(minutes) <= a_minute and len(minutes) >= len(active) / a_minute
    assert weekly.run() == 0 and started() == []


def test_two_weekly_runs_start_an_audit_once() -> None:
    website = add()
    assert [weekly.run(), weekly.run()] == [1, 0]
    assert len(crawls.list_audits(website.id, 5)) == 1


def test_a_weekly_run_that_has_an_outdated_website_row_changes_nothing(sunday: float) -> None:
    website = add()
    assert weekly.run() == 1
    before = record(website)
    assert start_scheduled(website, 1000, now=clock.now()) is None  # what it read is what stood there before
    assert record(website).as_item() == before.as_item()
    assert before.next_audit_at == sunday + WEEK


def test_the_next_audit_date_changes_when_the_audit_starts(sunday: float) -> None:
    website = add()
    assert record(website).next_audit_at == sunday
    weekly.run()
    assert record(website).next_audit_at == sunday + WEEK


def test_no_weekly_audit_starts_before_its_time() -> None:
    clock.set_offset(clock.offset() - 10)
    add()
    assert weekly.run() == 0
    clock.set_offset(clock.offset() + 10)
    assert weekly.run() == 1


def test_the_sweeper_starts_a_weekly_audit_that_had_to_wait_for_another_crawl(
    sunday: float,
) -> None:
    website = add()
    running = audits.start(website, 1000, page_budget=None, person_id=None, through_api=False, now=clock.now()).header
    take_up(clock.now())
    assert weekly.run() == 0
    assert record(website).next_audit_at == sunday
    commit([places.free(website.workspace_id, website.id, running.id, places.Freeing(None))])
    clock.set_offset(clock.offset() + 60)
    sweeper.run()
    (message,) = aws.messages("crawl")
    header = crawls.get(website.id, message["crawlId"])
    assert header is not None and header.started_by == "schedule"
    assert record(website).next_audit_at == sunday + WEEK


def test_websites_with_a_held_crawl_lock_do_not_delay_others(sunday: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weekly, "WAITING", 2)
    monkeypatch.setattr(weekly, "DUE_AT_ONCE", 5)
    (workspace_id,) = workspaces(1)
    ids = write_websites(workspace_id, ids_of_first_shard("site_", 30), active=30, due=sunday)
    for site_id in ids[:28]:
        held = stored.get(workspace_id, site_id)
        assert held is not None
        commit([places.take(held, f"crawl_{site_id}", "audit")])
    assert weekly.run() == 2
    assert sorted(started()) == ids[28:]


def queued(crawl_id: str, **values: Any) -> CrawlHeader:
    """An audit that waits for a worker."""
    header = CrawlHeader(
        id=crawl_id,
        site_id=f"site_of_{crawl_id}",
        workspace_id="wsp_other",
        kind="audit",
        status="queued",
        stage="queued",
        queued_at=clock.now(),
        page_budget=10,
        time_limit_minutes=30,
    )
    header = msgspec.structs.replace(header, **values)
    commit([crawls.put_new(header)])
    return header


def claimed(header: CrawlHeader) -> None:
    now = clock.now()
    assert crawl_turns.claim(header, now=now, lease_until=now + 60, place=None, lane=LANES["crawl"]) is not None


def test_only_as_many_audits_are_started_as_workers_can_take_soon(
    sunday: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weekly, "WAITING", 12)
    (workspace_id,) = workspaces(1)
    write_websites(workspace_id, [f"site_{number}" for number in range(40)], active=40, due=sunday)
    waiting = [queued(f"crawl_{number}") for number in range(10)]
    assert [weekly.run() for _ in range(2)] == [2, 0]
    for header in waiting[:3]:
        claimed(header)
    assert [weekly.run() for _ in range(2)] == [3, 0]
    clock.set_offset(clock.offset() + crawls.QUEUED_GRACE_SECONDS + 1)
    assert weekly.run() == 0, "what waits for more than two minutes waits too"


def test_work_that_is_postponed_or_slow_does_not_count_against_weekly_starts(
    sunday: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weekly, "WAITING", 12)
    (workspace_id,) = workspaces(1)
    write_websites(workspace_id, [f"site_{number}" for number in range(40)], active=40, due=sunday)
    now = clock.now()
    for number in range(12):
        queued(f"recheck_{number}", kind="recheck")
        assert crawl_turns.postpone(queued(f"no_slot_{number}"), now + 60, now)
        assert crawl_turns.forward(queued(f"slow_{number}"), now)
    assert weekly.run() == 12


def test_successive_weekly_runs_start_with_different_groups_of_due_websites(
    sunday: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weekly, "WAITING", 2)
    (workspace_id,) = workspaces(1)
    ids = [f"site_{number}" for number in range(60)]
    assert {keys.shard(one) for one in ids} == set(keys.shards())
    write_websites(workspace_id, ids, active=60, due=sunday)
    seen = set()
    for _ in keys.shards():
        weekly.run()
        seen |= {keys.shard(site_id) for site_id in started()}
        take_up(clock.now())
        clock.set_offset(clock.offset() + 60)
    assert seen == set(keys.shards())


def test_a_website_that_cannot_be_started_does_not_delay_others(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = add("https://broken.example.org")
    pk, sk = keys.workspace(broken.workspace_id)
    items.delete("accounts", pk, sk)
    good = add("https://good.example.org")
    assert weekly.run() == 1
    assert started() == [good.id]


def test_a_missed_weekly_run_is_made_up_when_the_service_is_back(sunday: float) -> None:
    website = add()
    clock.set_offset(clock.offset() + 3 * 86_400)
    assert weekly.run() == 1
    header: CrawlHeader = crawls.list_audits(website.id, 1)[0]
    assert header.started_by == "schedule"
    assert record(website).next_audit_at == sunday + WEEK


def test_a_paused_website_has_no_next_audit_and_no_weekly_run() -> None:
    website = add()
    websites.pause(OPERATOR, website.id)
    assert record(website).next_audit_at is None
    assert weekly.run() == 0
