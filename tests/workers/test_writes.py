"""Approved changes written through the CMS stand-in, and looked for on pages over the wire."""

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import pytest

from chalicelib import clock
from chalicelib.connectors.cms import HttpCms
from chalicelib.connectors.errors import OutsideError, Quota, Unavailable
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.changes.batch import BLOCK, Batch
from chalicelib.domain.connector.messages import Change, Outcome
from chalicelib.domain.jobs import STALLED_TAKEOVERS
from chalicelib.domain.webhooks import bodies
from chalicelib.operations import changes, connections, rechecks, websites
from chalicelib.operations.approvals import job_id
from chalicelib.operations.errors import Refused
from chalicelib.store import changes as stored
from chalicelib.store import content, issues, jobs, removals
from chalicelib.workers import sweeper, writes
from chalicelib.workers.audit import recheck
from chalicelib.workers.jobs import LEASE_SECONDS, JobLease, take
from chalicelib.workers.writing.live import AT_ONCE
from local.standins.cms import CACHE, REFUSAL
from tests import aws
from tests.changes import House, open_house
from tests.workers.audit.websites import Runtime, audit

VALUES = {"/a": "All about A", "/b": "All about B", "/c": "All about C"}


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


def kinds(house: House) -> list[str]:
    of_audits = ("audit.finished", "score.changed")
    return sorted(event.kind for event in house.events() if event.kind not in of_audits)


def test_approved_values_go_live_and_the_issue_is_rechecked(house: House) -> None:
    batch = house.apply(VALUES)
    assert house.issue().status == "in_progress"
    house.write()
    assert set(house.statuses(batch).values()) == {"applied"}
    assert house.issue().status == "recheck_queued"
    house.work()
    assert house.issue().status == "resolved"
    assert kinds(house) == ["issue.resolved", "write.applied"]
    (event,) = house.events("write.applied")
    bodies.check(event.kind, event.fields)
    assert (event.fields["batchId"], event.fields["issueIds"]) == (batch.id, [house.issue_id])
    assert event.fields["source"] == "cms"
    change = house.change(batch, "/a")
    assert change.look is not None and change.look.live and change.look.note is None
    assert change.outcome is not None and change.outcome.before is None
    assert change.written_at is not None and change.written_at <= clock.now()
    assert sorted(house.cms.writes) == [(f"page:{path}", "title", value) for path, value in VALUES.items()]


def test_what_was_written_is_known_of_the_content_so_that_it_is_no_change_again(house: House) -> None:
    house.apply({"/a": "All about A"})
    house.work()
    held = content.load(house.site_id).items
    assert held["page:/a"].fields.title == "All about A"
    with pytest.raises(Refused) as refused:
        house.apply({"/a": "All about A"})
    assert refused.value.code == "no_changes"


def test_a_page_that_does_not_show_it_is_not_live_with_the_reason_until_a_recheck_sees_it(house: House) -> None:
    house.cms.misbehave("hide_writes")
    batch = house.apply(VALUES)
    house.write()
    change = house.change(batch, "/a")
    assert change.status == "not_live" and change.look is not None
    assert change.look.reason == f"The page shows no title. The page cache was not cleared: {CACHE}."
    assert [event.fields["changes"][0]["status"] for event in house.events("write.applied")] == ["not_live"]  # type: ignore[index]
    house.work()
    assert house.issue().status == "open"
    assert kinds(house) == ["recheck.failed", "write.applied", "write.not_live"]
    (failed,) = house.events("recheck.failed")
    assert failed.fields["reason"] == "not_live"
    (unseen,) = house.events("write.not_live")
    bodies.check(unseen.kind, unseen.fields)
    assert len(unseen.fields["changes"]) == 3  # type: ignore[arg-type]
    again(house)
    assert kinds(house) == ["recheck.failed", "recheck.failed", "write.applied", "write.not_live"]
    house.cms.misbehave("none")
    again(house)
    assert set(house.statuses(batch).values()) == {"applied"}
    assert house.issue().status == "resolved"


def again(house: House, issue_id: str | None = None) -> None:
    """Another recheck of the issue."""
    clock.set_offset(clock.offset() + 3_600)
    rechecks.start(house.current(), issue_id or house.issue_id, person_id=None, now=clock.now())
    house.work()


def test_a_recheck_looks_at_written_pages_that_are_no_longer_listed(house: House) -> None:
    house.cms.misbehave("hide_writes")
    batch = house.apply({"/a": "All about A", "/b": "All about B"})
    house.work()
    # An editor gives /a another title: the page is listed no more, and the approved value is still not there.
    house.shop.values["/a"] = {"title": "What the editor wrote"}
    again(house)
    assert house.change(batch, "/a").status == "not_live"
    look = house.change(batch, "/a").look
    assert look is not None and look.value == "What the editor wrote"
    house.shop.values["/a"] = {"title": "all about a"}
    again(house)
    change = house.change(batch, "/a")
    assert change.status == "applied" and change.look is not None
    assert change.look.note == "The page shows it with a difference in letter case only."


def test_a_page_cache_that_visitors_are_served_from_is_told_of(house: House) -> None:
    house.shop.cached["/a"] = {"title": "As it was"}
    batch = house.apply({"/a": "All about A"})
    house.write()
    change = house.change(batch, "/a")
    assert change.status == "applied" and change.look is not None
    assert change.look.note == "A cache still serves visitors the page as it was; it shows the value past the cache."


def test_a_page_that_does_not_answer_is_not_live(house: House) -> None:
    house.shop.silent.add("/a")
    batch = house.apply({"/a": "All about A"})
    house.write()
    change = house.change(batch, "/a")
    assert change.status == "not_live" and change.look is not None
    assert change.look.reason == "The page answers 500."


def test_refused_changes_open_the_issue_again_and_are_told_once(house: House) -> None:
    house.cms.misbehave("refuse")
    batch = house.apply({"/a": "All about A"})
    house.work()
    change = house.change(batch, "/a")
    assert (change.status, change.error) == ("refused", REFUSAL)
    assert house.issue().status == "open" and house.issue().pending_recheck is None
    assert kinds(house) == ["write.failed"]
    assert house.cms.writes == []


def test_a_cms_that_gives_no_answer_is_asked_five_times_in_thirty_minutes(house: House) -> None:
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


def test_an_answer_that_was_lost_is_asked_for_again_and_nothing_is_written_twice(house: House) -> None:
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


def test_when_the_cms_is_down_the_rest_of_a_large_batch_is_not_sent(
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
    monkeypatch.setattr(writes, "take", lambda message: _begun(message, begin))
    return asked


def _begun(message: Mapping[str, Any], begin: Callable[[JobLease], None]) -> JobLease | None:
    lease = take(message)
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
def test_a_cms_that_takes_some_and_asks_to_wait_gets_the_rest_when_it_says(
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
def test_what_a_cms_that_takes_nothing_asks_for_is_heeded_within_thirty_minutes(
    house: House, monkeypatch: pytest.MonkeyPatch, told: float | None, waits: list[int]
) -> None:
    asked = throttled(monkeypatch, 0, Quota("Slower.", told))
    batch = house.apply({"/a": "All about A"})
    assert rounds(house, batch) == waits and asked == [0, *[1] * (len(waits) + 1)]
    change = house.change(batch, "/a")
    assert (change.status, change.error) == ("failed", "Slower.")


def test_a_cms_that_is_slow_for_ever_is_left_after_two_hours(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = tuple(f"/page-{number}" for number in range(12))
    with open_house(monkeypatch, paths) as house:
        throttled(monkeypatch, 1, Quota("Slower.", 3_000.0))
        batch = house.apply({path: f"All about {path}" for path in paths})
        waits = rounds(house, batch)
        assert waits[:3] == [3_000, 3_000, 1_200] and sum(waits[:3]) == writes.MOST_SLOWED
        assert sum(waits[3:]) == sum(writes.TRY_AGAIN_AFTER)
        said = list(house.statuses(batch).values())
        assert said.count("applied") == len(waits) + 1 and said.count("failed") == len(paths) - len(waits) - 1


def test_batches_of_a_website_are_written_one_by_one_in_order(house: House) -> None:
    first = house.apply({"/a": "First"})
    second = house.apply({"/a": "Second"})
    third = house.apply({"/a": "Third"})
    assert int(first.approved_at) <= first.sequence < second.sequence < third.sequence
    assert len(aws.messages("writes")) == 1
    for late in (third, second):
        writes.handle({"siteId": house.site_id, "jobId": job_id(late.id)}, Runtime())
    clock.set_offset(clock.offset() + 600)
    aws.purge("writes")
    sweeper.run()
    assert [message["jobId"] for message in aws.messages("writes")] == [job_id(first.id)]
    house.write()
    assert [value for _, _, value in house.cms.writes] == ["First", "Second", "Third"]
    place = stored.place(house.site_id)
    assert (place.running, place.waiting, place.sequence) == (None, (), third.sequence)


def test_a_field_that_another_issue_has_written_since_is_not_looked_for(house: House) -> None:
    batch = house.apply({"/a": "Tents"})
    house.work()
    audit(house.website)
    other = house.apply({"/a": "Tents for two, four and six people, tried in the rain"}, rule="SEO-ONP-004")
    assert other.issue_id != batch.issue_id
    house.work()
    again(house)
    assert house.statuses(batch) == {"/a": "applied"} == house.statuses(other)
    look = house.change(batch, "/a").look
    assert look is not None and look.live
    assert "write.not_live" not in kinds(house)


def test_an_issue_of_the_website_as_a_whole_is_written_and_rechecked(house: House) -> None:
    house.shop.home_noindex = "true"
    audit(house.website)
    rule = "SEO-TEC-002"
    issue_id = ids.issue_id(house.site_id, rule)
    house.cms.misbehave("hide_writes")
    batch = house.apply({"/": "false"}, rule=rule)
    house.work()
    assert house.statuses(batch) == {"/": "not_live"} and house.issue(issue_id).status == "open"
    (failed,) = house.events("recheck.failed")
    assert failed.fields["reason"] == "not_live"
    house.cms.misbehave("none")
    again(house, issue_id)
    assert house.statuses(batch) == {"/": "applied"} and house.issue(issue_id).status == "resolved"
    house.undo(batch)
    house.work()
    assert house.issue(issue_id).status == "reopened"
    assert house.held("/", "noindex") is None


class Short:
    """A function's runtime with time for one block."""

    def get_remaining_time_in_millis(self) -> int:
        return 100_000


def test_what_a_function_has_no_time_for_the_next_one_does(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = tuple(f"/page-{number}" for number in range(2 * BLOCK + 1))
    with open_house(monkeypatch, paths) as house:
        batch = house.apply({path: f"All about {path}" for path in paths})
        for done in (BLOCK, 2 * BLOCK, 2 * BLOCK + 1):
            (message,) = aws.messages("writes")
            aws.purge("writes")
            writes.handle(message, Short())
            assert sum(status == "applied" for status in house.statuses(batch).values()) == done
        assert aws.messages("writes") == []
        assert len(house.cms.writes) == len(paths) and house.loaded(batch).batch.status == "done"


def test_a_worker_that_was_overtaken_writes_nothing_more(house: House) -> None:
    batch = house.apply({"/a": "All about A"})
    message = {"siteId": house.site_id, "jobId": job_id(batch.id)}
    real = HttpCms.change
    answers: list[Outcome] = []

    def overtaken(cms: HttpCms, change: Change) -> Outcome:
        answers.append(real(cms, change))
        if len(answers) == 1:  # this worker stands still for longer than its lease
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
            writes.handle(message, Runtime())
        return answers[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HttpCms, "change", overtaken)
        writes.handle(message, Runtime())
    assert len(answers) == 2 and answers[0] == answers[1]
    assert len(house.cms.writes) == 1
    assert house.statuses(batch) == {"/a": "applied"}
    house.work()
    assert kinds(house).count("write.applied") == 1


def test_nothing_is_sent_before_its_block_says_so(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = tuple(f"/page-{number}" for number in range(BLOCK + 2))
    with open_house(monkeypatch, paths) as house:
        batch = house.apply({path: f"All about {path}" for path in paths})
        real, said = HttpCms.change, []

        def looking(cms: HttpCms, change: Change) -> Outcome:
            said.append(house.statuses(batch)[urlsplit(change.url).path])
            return real(cms, change)

        monkeypatch.setattr(HttpCms, "change", looking)
        house.write()
    assert said == ["applying"] * len(paths)


def test_a_recheck_that_runs_while_values_are_written_gives_way_to_the_one_that_follows(house: House) -> None:
    old = rechecks.start(house.current(), house.issue_id, person_id=None, now=clock.now())
    aws.purge("recheck")
    batch = house.apply(VALUES)
    real = recheck.read_again

    async def meanwhile(*arguments: object, **named: object) -> object:
        found = await real(*arguments, **named)  # type: ignore[arg-type]
        house_write()
        return found

    def house_write() -> None:
        thread = threading.Thread(target=house.write)  # it has an event loop of its own
        thread.start()
        thread.join()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recheck, "read_again", meanwhile)
        recheck.handle(
            {"workspaceId": house.website.workspace_id, "siteId": house.site_id, "crawlId": old.id, "slice": 0},
            Runtime(),
        )
    assert house.issue().pending_recheck not in (None, old.id)
    assert set(house.statuses(batch).values()) == {"applied"}
    assert "recheck.failed" not in kinds(house)
    house.work()
    assert house.issue().status == "resolved"


def test_a_batch_that_stops_its_workers_again_and_again_fails(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = house.apply({"/a": "All about A"})

    def dies(*_: object) -> None:
        raise MemoryError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writes.Writing, "round", dies)
        for _ in range(STALLED_TAKEOVERS):
            with pytest.raises(MemoryError):
                writes.handle({"siteId": house.site_id, "jobId": job_id(batch.id)}, Runtime())
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
    house.work()
    change = house.change(batch, "/a")
    assert (change.status, change.error) == ("failed", writes.STALLED)


def test_without_a_connection_everything_fails(house: House) -> None:
    batch = house.apply({"/a": "All about A"})
    connections.remove(OPERATOR, house.site_id, "cms")
    house.work()
    assert house.change(batch, "/a").error == writes.GONE
    assert house.issue().status == "open"


def test_a_website_that_is_removed_takes_its_batches_along(house: House) -> None:
    batch = house.apply({"/a": "All about A"})
    message = {"siteId": house.site_id, "jobId": job_id(batch.id)}
    websites.remove(OPERATOR, house.site_id)
    assert not [pk for pk, _ in aws.rows("changes") if house.site_id in pk]
    assert removals.pending(house.site_id) is None
    writes.handle(message, Runtime())
    assert house.cms.writes == []


# -- undo ------------------------------------------------------------------------------------------------


def test_an_undo_brings_back_what_stood_before_and_the_issue_with_it(house: House) -> None:
    house.cms.edit("page:/b", "title", "What /b had")
    batch = house.apply({"/a": "All about A", "/b": "All about B"})
    house.work()
    back = house.undo(batch)
    assert back.kind == "undo" and back.approved_by is None
    house.write()
    assert house.statuses(batch) == {"/a": "reverted", "/b": "reverted"}
    assert house.statuses(back) == {"/a": "applied", "/b": "applied"}
    assert (house.held("/a"), house.held("/b")) == (None, "What /b had")
    assert kinds(house).count("write.applied") == 1
    house.work()
    assert house.issue().status == "open"
    assert house.issue().change_batch == batch.id


def test_an_undo_reopens_an_issue_that_was_resolved(house: House) -> None:
    batch = house.apply(VALUES)
    house.work()
    assert house.issue().status == "resolved"
    house.undo(batch)
    house.work()
    issue = house.issue()
    assert (issue.status, issue.affected_pages) == ("reopened", 3)
    assert kinds(house) == ["issue.reopened", "issue.resolved", "write.applied"]


def test_an_undo_brings_back_the_pages_that_are_alike_and_what_was_suggested_for_them(house: House) -> None:
    """Only one of the pages with the same title was written to; without it the other was right as well."""
    rule = "SEO-ONP-002"
    for path in ("/a", "/b"):
        house.cms.edit(f"page:{path}", "title", "The same title on two pages of the website")
    audit(house.current())
    house.sync()
    issue_id = ids.issue_id(house.site_id, rule)
    listed = sorted(one.url for one in issues.load_suggested(house.site_id, house.issue(issue_id)))
    assert listed == [house.url("/a"), house.url("/b")]
    batch = house.apply({"/a": "Another title that no other page has"}, rule)
    house.work()
    assert house.issue(issue_id).status == "resolved"
    house.undo(batch)
    house.work()
    issue = house.issue(issue_id)
    assert (issue.status, issue.affected_pages) == ("reopened", 2)
    detail = issues.load_detail(house.site_id, issue, offset=0, limit=100)
    assert [one.url for one in detail.suggestions] == listed
    assert {one.current for one in detail.suggestions} == {"The same title on two pages of the website"}


def test_an_undo_leaves_what_a_later_batch_has_written(house: House) -> None:
    batch = house.apply({"/a": "First", "/b": "First of B"})
    house.work()
    later = house.apply({"/a": "Second"})
    house.work()
    back = house.undo(batch)
    house.work()
    assert list(house.statuses(back)) == ["/b"]
    assert house.statuses(batch) == {"/a": "applied", "/b": "reverted"}
    assert (house.held("/a"), house.held("/b")) == ("Second", None)
    with pytest.raises(Refused) as refused:
        house.undo(batch)
    assert refused.value.code == "nothing_to_undo" and "later batch" in refused.value.message
    house.undo(later)
    house.work()
    assert house.held("/a") == "First"


def test_an_undo_leaves_what_an_editor_has_written_since(house: House) -> None:
    batch = house.apply({"/a": "All about A"})
    house.work()
    house.cms.edit("page:/a", "title", "What the editor wrote")
    back = house.undo(batch)
    house.work()
    assert house.statuses(back) == {"/a": "refused"}
    assert house.statuses(batch) == {"/a": "applied"}
    assert house.held("/a") == "What the editor wrote"


def test_an_undo_is_possible_for_thirty_days_and_once(house: House) -> None:
    batch = house.apply({"/a": "All about A"})
    with pytest.raises(Refused) as refused:
        house.undo(batch)
    assert refused.value.code == "wrong_state"
    house.work()
    clock.set_offset(clock.offset() + 30 * 86_400 + 60)
    with pytest.raises(Refused) as refused:
        house.undo(batch)
    assert refused.value.code == "too_late"
    clock.set_offset(clock.offset() - 86_400)
    back = house.undo(batch)
    with pytest.raises(Refused) as refused:
        house.undo(batch)
    assert refused.value.code == "nothing_to_undo"
    house.work()
    with pytest.raises(Refused) as refused:
        house.undo(back)
    assert refused.value.code == "wrong_state"
    with pytest.raises(Refused) as refused:
        changes.undo(OPERATOR, house.site_id, "batch_unknown")
    assert refused.value.code == "not_found"
    assert jobs.get(house.site_id, job_id(back.id)) is not None


# -- cost ------------------------------------------------------------------------------------------------


def test_five_hundred_changes_cost_a_third_of_a_call_each_and_are_sent_eight_at_once(
    store: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = tuple(f"/page-{number}" for number in range(500))
    with open_house(monkeypatch, paths) as house:
        if len(content.load(house.site_id).items) < len(paths):
            pytest.fail("the CMS sent less than there is")
        at_once, most, lock = 0, 0, threading.Lock()
        real = HttpCms.change

        def counted(cms: HttpCms, change: Change) -> Outcome:
            nonlocal at_once, most
            with lock:
                at_once += 1
                most = max(most, at_once)
            try:
                return real(cms, change)
            finally:
                with lock:
                    at_once -= 1

        monkeypatch.setattr(HttpCms, "change", counted)
        with aws.counted_calls() as calls:
            batch = house.apply({path: f"All about {path}" for path in paths})
            house.write()
        assert set(house.statuses(batch).values()) == {"applied"}
        assert len(house.cms.writes) == 500
        assert calls.total() <= 150, dict(calls)
        assert most == 8
