"""The sweeper: fair to everybody, and stopped by nothing."""

from collections.abc import Iterator

import pytest

from chalicelib import clock
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.jobs import Job
from chalicelib.operations import audits, rechecks
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawls, items, jobs, keys, places
from chalicelib.store import websites as stored
from chalicelib.store.transactions import commit
from chalicelib.workers import sweeper
from chalicelib.workers.audit import crawl as crawl_worker
from chalicelib.workers.audit import reading, recheck
from tests import aws
from tests.plugins import aws_weather
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Runtime, Site, audit, html, new_website, start, work

WAITING = 2_000


@pytest.fixture(autouse=True)
def settings(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setattr(reading, "SECOND_TRY_AFTER_SECONDS", 0.01)
    forget_settings()
    yield
    forget_settings()


def header(crawl_id: str, site_id: str, **changes: object) -> CrawlHeader:
    values: dict[str, object] = {
        "id": crawl_id,
        "site_id": site_id,
        "workspace_id": "wsp_1",
        "kind": "audit",
        "status": "running",
        "stage": "crawling",
        "queued_at": clock.now() - 3600,
        "page_budget": 10,
        "time_limit_minutes": 30,
        "lease_until": clock.now() - 1800,
    }
    return CrawlHeader(**{**values, **changes})  # type: ignore[arg-type]


def in_index(crawl_id: str) -> bool:
    """Whether the index has it when it has caught up."""
    far = clock.now() + 10 * 86_400
    with aws_weather.calm():
        return any(found.id == crawl_id for shard in keys.shards() for found in crawls.overdue(shard, far))


def sent(queue: str) -> list[str]:
    return [message["crawlId"] for message in aws.messages(queue)]


def test_many_rechecks_of_one_website_do_not_hide_dead_crawls_of_others() -> None:
    """All rechecks are in the index, overdue for longer than the dead crawls, with some in every shard."""
    rows = [
        crawls.put_new(header(f"crawl_{number}", "site_hog", kind="recheck", status="queued", lease_until=0.0))
        for number in range(WAITING)
    ]
    items.batch_write((row.table, row.item) for row in rows)
    dead: dict[str, str] = {}
    number = 0
    while len(dead) < len(keys.shards()):
        crawl_id = f"crawl_dead_{number}"
        dead.setdefault(keys.shard(crawl_id), crawl_id)
        number += 1
    for crawl_id in dead.values():
        commit([crawls.put_new(header(crawl_id, f"site_of_{crawl_id}"))])
    sweeper.run()
    assert sorted(sent("crawl")) == sorted(dead.values())
    assert len(sent("recheck")) == sweeper.CRAWLS_A_WEBSITE


def test_many_overdue_jobs_of_one_workspace_do_not_hide_jobs_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeper, "A_WORKSPACE", 5)
    due = clock.now() - 7200
    for number in range(30):
        job = Job(
            id="field_data", kind="field_data", site_id=f"s{number}", workspace_id="hog", queued_at=due, due_at=due
        )
        commit([jobs.put_new(job)])
    for number in range(3):
        later = due + 3600
        job = Job(
            id="field_data", kind="field_data", site_id=f"t{number}", workspace_id="w", queued_at=due, due_at=later
        )
        commit([jobs.put_new(job)])
    sweeper.run()
    sites = [message["siteId"] for message in aws.messages("imports")]
    assert {"t0", "t1", "t2"} < set(sites) and len(sites) == 5 + 3


def test_the_sweeper_continues_after_an_unreadable_row_or_an_error_in_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    commit([crawls.put_new(header("crawl_dead", "site_1"))])
    for number in range(40):
        broken = crawls.put_new(header(f"crawl_broken_{number}", "site_2", lease_until=clock.now() - 7200)).item
        items.put("crawls", {**broken, "page_budget": "none"})
    started = []
    monkeypatch.setitem(sweeper.PARTS, "weekly audits", lambda: started.append("weekly") or 1)

    def breaks() -> int:
        raise RuntimeError("the outbox cannot be read")

    monkeypatch.setitem(sweeper.PARTS, "batches of events", breaks)
    with pytest.raises(sweeper.PartsFailed, match="batches of events"):
        sweeper.run()
    assert sent("crawl") == ["crawl_dead"]
    assert started == ["weekly"]


def website_with_an_issue(server: WireServer) -> tuple[stored.Website, list[str]]:
    """An audited website whose pages have no titles and no descriptions; the ids of its issues about pages."""
    from chalicelib.store import issues

    website = new_website(server)
    audit(website)
    aws.purge("recheck")
    book = issues.load_state(website.id)
    assert book is not None
    current = stored.get(website.workspace_id, website.id)
    assert current is not None
    listed = [issue.id for issue in book.issues if issue.affected_pages and issues.load_affected(website.id, issue)]
    return current, listed


def no_titles() -> Site:
    return Site({"/": html(None, "/a"), "/a": html(None, "/")})


def ask(website: stored.Website, issue_id: str) -> CrawlHeader:
    """Queue a recheck, and bring its message to the worker."""
    queued = rechecks.start(website, issue_id, person_id=None, now=clock.now())
    run(queued)
    return queued


def run(queued: CrawlHeader) -> None:
    message = {"siteId": queued.site_id, "crawlId": queued.id}
    aws.purge("recheck")
    recheck.handle(message, Runtime())


def test_the_sweeper_does_not_restart_a_recheck_that_waits_for_the_crawl_lock() -> None:
    with WireServer(no_titles()) as server:
        website, listed = website_with_an_issue(server)
        running = start(website)
        first, second = ask(website, listed[0]), ask(website, listed[1])
        assert not in_index(first.id) and not in_index(second.id)
        clock.set_offset(clock.offset() + 3600)
        sweeper.run()
        assert sent("recheck") == []
        work(running)
        assert in_index(first.id) and not in_index(second.id)
        assert sent("recheck")[0] == first.id
        run(first)
        assert in_index(second.id)
        assert sent("recheck") == [second.id]
        run(second)
    for queued in (first, second):
        ended = crawls.get(website.id, queued.id)
        assert ended is not None and ended.status == "done"
    after = stored.get(website.workspace_id, website.id)
    assert after is not None and after.place is None


def test_a_recheck_that_begins_to_wait_at_the_last_moment_still_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recheck starts to wait between the search for waiting rechecks and the transaction that frees the lock."""
    with WireServer(no_titles()) as server:
        website, listed = website_with_an_issue(server)
        late: list[CrawlHeader] = []
        real = places.freeing

        def freeing(read: stored.Website) -> places.Freeing:
            found = real(read)
            monkeypatch.setattr(places, "freeing", real)
            late.append(ask(website, listed[0]))
            return found

        running = start(website)
        monkeypatch.setattr(places, "freeing", freeing)
        assert work(running).status == "done"
        assert in_index(late[0].id)

        current = stored.get(website.workspace_id, website.id)
        assert current is not None

        def freeing_of_recheck(read: stored.Website) -> places.Freeing:
            found = real(read)
            monkeypatch.setattr(places, "freeing", real)
            late.append(ask(current, listed[1]))
            return found

        monkeypatch.setattr(places, "freeing", freeing_of_recheck)
        run(late[0])
        assert in_index(late[1].id)


def test_the_sweeper_finds_a_recheck_that_waited_for_a_crawl_that_died(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with WireServer(no_titles()) as server:
        website, listed = website_with_an_issue(server)
        running = start(website)
        waiting = ask(website, listed[0])

        def dies(*_: object) -> None:
            raise RuntimeError("killed")

        monkeypatch.setattr(crawl_worker, "_after", dies)
        with pytest.raises(RuntimeError, match="killed"):
            work(running)
        aws.purge("recheck")
        clock.set_offset(clock.offset() + crawls.QUEUED_GRACE_SECONDS + 1)
        sweeper.run()
        assert sent("recheck") == [waiting.id]


def test_cancelling_an_audit_before_its_start_frees_the_crawl_lock() -> None:
    with WireServer(no_titles()) as server:
        website, listed = website_with_an_issue(server)
        running = start(website)
        waiting = ask(website, listed[0])
        audits.cancel(website.id, running.id, now=clock.now())
        assert work(running).status == "cancelled"
        assert in_index(waiting.id)
