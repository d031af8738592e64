"""Approved changes written through the CMS stand-in, and looked for on pages over the wire."""

from collections.abc import Iterator

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.changes.batch import job_id
from chalicelib.domain.webhooks import bodies
from chalicelib.operations import rechecks
from chalicelib.operations.errors import Refused
from chalicelib.store import changes as stored
from chalicelib.store import content
from chalicelib.workers import sweeper, writes
from local.standins.cms import CACHE
from tests import aws
from tests.changes import House, kinds, open_house
from tests.workers.audit.websites import Runtime, audit

VALUES = {"/a": "All about A", "/b": "All about B", "/c": "All about C"}


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


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


def test_a_written_value_updates_the_content_and_cannot_be_approved_again(house: House) -> None:
    house.apply({"/a": "All about A"})
    house.work()
    held = content.load(house.site_id).items
    assert held["page:/a"].fields.title == "All about A"
    with pytest.raises(Refused) as refused:
        house.apply({"/a": "All about A"})
    assert refused.value.code == "no_changes"


def test_a_write_that_visitors_do_not_see_is_not_live_until_a_recheck_sees_it(house: House) -> None:
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


def test_a_recheck_reads_written_pages_that_are_no_longer_listed(house: House) -> None:
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
    assert change.look.note == "The page shows the value, with a difference only in letter case."


def test_pages_approved_in_several_batches_are_all_rechecked(house: House) -> None:
    house.cms.misbehave("hide_writes")
    portions = [house.apply({path: f"All about {path}"}) for path in ("/a", "/b", "/c")]
    house.work()
    assert [set(house.statuses(batch).values()) for batch in portions] == [{"not_live"}] * 3
    told = {event.fields["batchId"] for event in house.events("write.not_live")}
    assert told == {batch.id for batch in portions}
    house.cms.misbehave("none")
    again(house)
    assert [set(house.statuses(batch).values()) for batch in portions] == [{"applied"}] * 3
    assert kinds(house).count("write.not_live") == 3


def test_a_page_that_was_already_seen_live_is_not_read_again(house: House) -> None:
    first = house.apply({"/a": "All about A"})
    house.work()
    house.apply({"/b": "All about B"})
    house.work()
    house.cms.edit("page:/a", "title", None)
    again(house)
    look = house.change(first, "/a").look
    assert look is not None and look.live
    assert "write.not_live" not in kinds(house)


def test_a_page_cache_that_still_serves_visitors_is_reported(house: House) -> None:
    house.shop.cached["/a"] = {"title": "As it was"}
    batch = house.apply({"/a": "All about A"})
    house.write()
    change = house.change(batch, "/a")
    assert change.status == "applied" and change.look is not None
    assert change.look.note == "A cache still serves visitors the old page. Without the cache it shows the value."


def test_a_change_whose_page_does_not_answer_is_not_live(house: House) -> None:
    house.shop.silent.add("/a")
    batch = house.apply({"/a": "All about A"})
    house.write()
    change = house.change(batch, "/a")
    assert change.status == "not_live" and change.look is not None
    assert change.look.reason == "The page answers 500."


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


def test_a_written_value_is_not_checked_again_after_another_issue_changed_its_field(house: House) -> None:
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
    # Once that is taken back, the page is to show the first value again.
    house.undo(other)
    house.work()
    house.cms.edit("page:/a", "title", None)
    again(house)
    look = house.change(batch, "/a").look
    assert look is not None and not look.live
    assert kinds(house).count("write.not_live") == 1


def test_an_issue_about_the_whole_website_can_be_fixed_and_rechecked(house: House) -> None:
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
