"""Approved changes that are taken back."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.changes.batch import Batch, job_id
from chalicelib.domain.content import ContentFields
from chalicelib.domain.webhooks.events import Event
from chalicelib.operations import changes, content, rechecks
from chalicelib.operations.errors import Refused
from chalicelib.store import changes as stored_changes
from chalicelib.store import content as stored_content
from chalicelib.store import issue_details, issues, jobs, readiness
from chalicelib.store.transactions import Conflict, Write, commit
from chalicelib.workers.audit import republishing, verifying
from tests.changes import House, Shop, kinds, open_house
from tests.servers.wire import Connection
from tests.workers.audit.websites import audit

VALUES = {"/a": "All about A", "/b": "All about B", "/c": "All about C"}


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


def test_an_undo_restores_the_previous_value_and_the_issue(house: House) -> None:
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


def test_an_undo_reopens_a_resolved_issue(house: House) -> None:
    batch = house.apply(VALUES)
    house.work()
    assert house.issue().status == "resolved"
    house.undo(batch)
    house.work()
    issue = house.issue()
    assert (issue.status, issue.affected_pages) == ("reopened", 3)
    assert kinds(house) == ["issue.reopened", "issue.resolved", "write.applied"]


def test_an_undo_restores_duplicate_titles_and_their_suggestions(house: House) -> None:
    """Only one of the two pages was written. Its new title also resolved the issue on the other page."""
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
    detail = issue_details.load(house.site_id, issue, offset=0, limit=100)
    assert [one.url for one in detail.suggestions] == listed
    assert {one.current for one in detail.suggestions} == {"The same title on two pages of the website"}


def test_an_undo_keeps_a_value_that_a_later_batch_wrote(house: House) -> None:
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
    # It has written nothing any more: the earlier one can be taken back as the refusal said.
    house.undo(batch)
    house.work()
    assert house.statuses(batch) == {"/a": "reverted", "/b": "reverted"}
    assert house.held("/a") is None


def test_an_undo_keeps_a_value_that_an_editor_wrote_later(house: House) -> None:
    batch = house.apply({"/a": "All about A"})
    house.work()
    house.cms.edit("page:/a", "title", "What the editor wrote")
    back = house.undo(batch)
    house.work()
    assert house.statuses(back) == {"/a": "refused"}
    assert house.statuses(batch) == {"/a": "applied"}
    assert house.held("/a") == "What the editor wrote"


def test_an_undo_is_possible_once_and_within_thirty_days(house: House) -> None:
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
    assert house.undo(batch).id == back.id, "while it waits, it is the same undo"
    house.work()
    with pytest.raises(Refused) as refused:
        house.undo(batch)
    assert refused.value.code == "nothing_to_undo"
    with pytest.raises(Refused) as refused:
        house.undo(back)
    assert refused.value.code == "wrong_state"
    with pytest.raises(Refused) as refused:
        changes.undo(OPERATOR, house.site_id, "batch_unknown")
    assert refused.value.code == "not_found"
    assert jobs.get(house.site_id, job_id(back.id)) is not None


def stale(house: House) -> None:
    """What the CMS sent before the service wrote comes late: the service takes the titles for gone."""
    held = stored_content.load(house.site_id).items.values()
    late = [msgspec.structs.replace(item, fields=ContentFields()) for item in held]
    content.put(house.current(), late, now=clock.now())


def test_an_undo_of_a_value_written_twice_restores_the_original(house: House) -> None:
    house.cms.edit("page:/b", "title", "What /b had")
    first = house.apply({"/a": "All about A", "/b": "All about B"})
    house.write()
    stale(house)
    second = house.apply({"/a": "All about A", "/b": "All about B"})
    house.write()
    assert first.id != second.id and house.change(second, "/a").was_there
    back = house.undo(second)
    house.work()
    assert (house.held("/a"), house.held("/b")) == (None, "What /b had")
    assert house.statuses(back) == {"/a": "applied", "/b": "applied"}
    for batch in (first, second):
        assert house.statuses(batch) == {"/a": "reverted", "/b": "reverted"}
    with pytest.raises(Refused) as refused:
        house.undo(first)
    assert refused.value.code == "nothing_to_undo"


def test_a_change_cannot_be_undone_if_the_page_had_the_same_value_before(house: House) -> None:
    house.cms.edit("page:/a", "title", "All about A")
    batch = house.apply({"/a": "All about A"})
    house.write()
    with pytest.raises(Refused) as refused:
        house.undo(batch)
    assert refused.value.code == "nothing_to_undo" and "had the same values before" in refused.value.message
    assert house.statuses(batch) == {"/a": "applied"} and house.held("/a") == "All about A"


def test_if_visitors_do_not_see_an_undo_the_undone_value_is_shown_as_still_live(house: House) -> None:
    batch = house.apply({"/a": "All about A"})
    house.write()
    house.cms.misbehave("hide_writes")
    back = house.undo(batch)
    house.write()
    assert house.statuses(back) == {"/a": "not_live"}
    change = house.change(batch, "/a")
    assert change.status == "reverted" and change.look is not None
    assert (change.look.live, change.look.value) == (True, "All about A")


def test_a_recheck_marks_an_undo_as_applied_once_visitors_see_the_old_values(house: House) -> None:
    batch = house.apply({"/a": "All about A"})
    house.work()
    house.cms.misbehave("hide_writes")
    back = house.undo(batch)
    house.work()
    assert house.statuses(back) == {"/a": "not_live"}
    house.cms.misbehave("none")
    clock.set_offset(clock.offset() + 3_600)
    rechecks.start(house.current(), house.issue_id, person_id=None, now=clock.now())
    house.work()
    assert house.statuses(back) == {"/a": "applied"}
    assert "write.not_live" not in kinds(house), "an undo tells nothing"


def recheck(house: House) -> None:
    """Another recheck of the issue."""
    clock.set_offset(clock.offset() + 3_600)
    rechecks.start(house.current(), house.issue_id, person_id=None, now=clock.now())
    house.work()


def is_live(house: House, batch: Batch) -> dict[str, bool | None]:
    changes = house.loaded(batch).changes
    return {urlsplit(one.url).path: None if one.look is None else one.look.live for one in changes}


def test_the_undone_values_are_no_longer_live_once_visitors_see_the_undo(house: House) -> None:
    batch = house.apply({"/a": "All about A", "/b": "All about B"})
    house.work()
    house.cms.misbehave("hide_writes")
    back = house.undo(batch)
    house.work()
    assert is_live(house, batch) == {"/a": True, "/b": True}
    house.shop.values["/a"] = {}  # the cache of one page has expired
    recheck(house)
    assert house.statuses(back) == {"/a": "applied", "/b": "not_live"}
    assert is_live(house, batch) == {"/a": False, "/b": True}
    house.cms.misbehave("none")
    recheck(house)
    assert is_live(house, batch) == {"/a": False, "/b": False}
    assert set(house.statuses(batch).values()) == {"reverted"}
    assert "write.not_live" not in kinds(house)


def test_blocks_of_changes_beyond_one_transaction_are_written_before_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    portions: list[int] = []

    def committed(portion: Sequence[Write]) -> None:
        portions.append(len(portion))
        commit(portion)

    batch = house.apply({"/a": "All about A"})
    house.work()
    house.cms.misbehave("hide_writes")
    back = house.undo(batch)
    house.work()
    house.cms.misbehave("none")
    monkeypatch.setattr(stored_changes, "PORTION_WRITES", 1)
    monkeypatch.setattr(verifying, "commit", committed)
    recheck(house)
    assert portions == [1]
    assert (is_live(house, batch), is_live(house, back)) == ({"/a": False}, {"/a": True})


def undo_unseen(house: House, batch: Batch) -> None:
    """Undo a batch, while a cache of the CMS hides it from visitors. Then the cache is gone."""
    house.cms.misbehave("hide_writes")
    house.undo(batch)
    house.work()
    house.cms.misbehave("none")


def test_an_older_batch_is_no_longer_live_once_visitors_see_its_undo(house: House) -> None:
    """The issue's last batch is another one. The undo also takes back a batch that wrote the same value before."""
    first = house.apply({"/a": "All about A"})
    house.work()
    stale(house)
    second = house.apply({"/a": "All about A"})
    house.work()
    house.apply({"/b": "All about B"})
    house.work()
    undo_unseen(house, second)
    assert (is_live(house, first), is_live(house, second)) == ({"/a": True}, {"/a": True})
    recheck(house)
    assert (is_live(house, first), is_live(house, second)) == ({"/a": False}, {"/a": False})
    assert "write.not_live" not in kinds(house)


def test_an_undo_of_a_text_written_twice_restores_the_original(house: House) -> None:
    """The rows are as an earlier release wrote them, which did not detect equal approvals."""
    text = "# The shop\n" * 500
    first = house.publish(text)
    house.write()
    last = house.last("llms_txt")
    commit(
        [readiness.put_last(house.site_id, msgspec.structs.replace(last, value="", previous=text, status="applied"))]
    )
    second = house.publish(text)
    commit([readiness.put_last(house.site_id, msgspec.structs.replace(house.last("llms_txt"), previous=text))])
    house.write()
    assert house.loaded(second).changes[0].was_there
    house.undo(second)
    house.write()
    assert "llmsTxt" not in house.shop.files and house.last("llms_txt").status == "reverted"
    assert not house.last("llms_txt").held
    assert [house.loaded(batch).changes[0].status for batch in (first, second)] == ["reverted", "reverted"]


def foreseen(house: House, batch: Batch) -> dict[str, str | None]:
    """What comes back by path, or why not."""
    found = changes.foresee(house.current(), batch.id)
    assert found.refusal is None
    return {urlsplit(one.change.url).path: one.reason if one.value is None else one.value for one in found.changes}


def test_the_preview_of_an_undo_lists_restored_and_kept_values(house: House) -> None:
    house.cms.edit("page:/b", "title", "What /b had")
    house.cms.edit("page:/c", "title", "All about C")
    stale(house)
    batch = house.apply(VALUES)
    refusal = changes.foresee(house.current(), batch.id).refusal
    assert refusal is not None and refusal.code == "wrong_state"
    house.write()
    expected = {"/a": "", "/b": "What /b had"}
    assert {path: value for path, value in foreseen(house, batch).items() if path != "/c"} == expected
    assert "held this value before" in str(foreseen(house, batch)["/c"])
    house.apply({"/a": "Second"})
    house.write()
    assert "later batch" in str(foreseen(house, batch)["/a"])
    back = house.undo(batch)
    assert foreseen(house, batch)["/b"] == "The change is being undone."
    house.write()
    assert list(house.statuses(back)) == ["/b"], "what was foreseen"
    assert foreseen(house, batch)["/b"] == "The change was undone already."


def test_single_changes_of_a_batch_can_be_undone(house: House) -> None:
    batch = house.apply(VALUES)
    house.work()
    back = changes.undo(OPERATOR, house.site_id, batch.id, frozenset({1}))
    assert changes.undo(OPERATOR, house.site_id, batch.id, frozenset({1})).id == back.id
    other = changes.undo(OPERATOR, house.site_id, batch.id, frozenset({1, 2}))
    assert list(house.statuses(other)) == ["/c"], "what is being taken back is left out"
    house.work()
    assert house.statuses(batch) == {"/a": "applied", "/b": "reverted", "/c": "reverted"}
    assert [house.held(path) for path in VALUES] == ["All about A", None, None]
    issue = house.issue()
    assert (issue.status, issue.affected_pages) == ("reopened", 2)
    for numbers in ({3}, {0, -1}):
        with pytest.raises(Refused) as refused:
            changes.undo(OPERATOR, house.site_id, batch.id, frozenset(numbers))
        assert refused.value.code == "not_found"
    with pytest.raises(Refused) as refused:
        changes.undo(OPERATOR, house.site_id, batch.id, frozenset({1}))
    assert refused.value.code == "nothing_to_undo"


def test_simultaneous_requests_for_an_undo_create_one_batch(house: House) -> None:
    batch = house.apply(VALUES)
    house.work()
    with ThreadPoolExecutor(8) as pool:
        made = {one.id for one in pool.map(lambda _: house.undo(batch), range(8))}
    assert made == {one.id for one, _ in house.batches() if one.kind == "undo"} and len(made) == 1
    house.work()
    assert [house.held(path) for path in VALUES] == [None, None, None]


def test_an_undone_value_of_an_older_batch_is_gone_if_a_recheck_is_written_twice(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = house.apply({"/a": "All about A"})
    house.work()
    house.apply({"/b": "All about B"})
    house.work()
    undo_unseen(house, first)
    monkeypatch.setattr(stored_changes, "PORTION_WRITES", 1)
    real, failed = republishing.commit, []

    def once(writes: Sequence[Write], events: Sequence[Event] = ()) -> None:
        if not failed:
            failed.append(writes)
            raise Conflict({issues.BOOK: None})
        real(writes, events)

    monkeypatch.setattr(republishing, "commit", once)
    recheck(house)
    assert failed and set(is_live(house, first).values()) == {False}


@pytest.mark.parametrize("body", [b"", b" \n"])
def test_a_recheck_of_blank_pages_changes_nothing_if_the_website_ignores_parameters(
    house: House, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    batch = house.apply({"/a": "All about A"})
    house.write()
    house.work()
    before = house.statuses(batch), is_live(house, batch), house.issue().status
    assert house.issue().status == "open"
    real = Shop.__call__

    def answer(shop: Shop, connection: Connection) -> None:
        if urlsplit(connection.path).path in ("/a", "/b", "/c"):
            connection.answer(body, content_type="text/html; charset=utf-8")
        else:
            real(shop, connection)

    monkeypatch.setattr(Shop, "__call__", answer)
    recheck(house)
    assert (house.statuses(batch), is_live(house, batch), house.issue().status) == before
