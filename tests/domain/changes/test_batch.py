"""The life of a change: no step but those of the table, whatever a worker, a recheck and an undo do."""

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from chalicelib.domain.changes.batch import (
    BLOCK,
    MOST_BEFORE,
    MOST_SHOWN,
    MOST_WORDS,
    STATUSES,
    TRANSITIONS,
    UNWRITTEN,
    WAITING,
    WRITTEN,
    Batch,
    Change,
    ChangeOutcome,
    Look,
    WrongMove,
    blocks_of,
    in_blocks,
    replaced,
)

CHANGE = Change(number=0, url="https://shop.example/a", cms_id="post:1", field="title", value="A")
SEEN, UNSEEN = Look(live=True, at=1.0, value="A"), Look(live=False, at=1.0, value="B", reason="It shows B.")


def test_every_status_of_a_change_has_transitions_and_is_in_exactly_one_group() -> None:
    assert TRANSITIONS.keys() == set(STATUSES)
    groups = [WAITING, WRITTEN, UNWRITTEN, frozenset({"reverted"})]
    assert sorted(state for group in groups for state in group) == sorted(STATUSES)


BATCH = Batch(
    id="batch_1",
    site_id="site_1",
    workspace_id="wsp_1",
    kind="fields",
    sequence=1,
    field="title",
    source="cms",
    approved_at=1_000.0,
    count=26,
)


def test_a_batch_can_be_undone_for_thirty_days() -> None:
    assert BATCH.may_be_undone(1_000.0 + 30 * 86_400)
    assert not BATCH.may_be_undone(1_000.0 + 30 * 86_400 + 1)


def test_the_id_of_a_change_is_its_batch_and_number() -> None:
    assert BATCH.change_id(CHANGE) == "batch_1.0"


class Life(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.change = CHANGE
        self.path = ["approved"]

    def _try(self, move: Callable[[Change], Change], *targets: str) -> None:
        allowed = TRANSITIONS[self.change.status]
        try:
            after = move(self.change)
        except WrongMove:
            assert not allowed & set(targets)
            return
        assert after.status in targets or after.status == self.change.status
        self.change = after
        if after.status != self.path[-1]:
            self.path.append(after.status)

    @rule()
    def a_worker_takes_it(self) -> None:
        if self.change.status in WAITING:
            self._try(Change.taken, "applying")

    @rule(look=st.sampled_from([SEEN, UNSEEN]))
    def the_cms_writes_it(self, look: Look) -> None:
        if self.change.status == "applying":
            self._try(lambda one: one.written(ChangeOutcome(before=None), look, 1.0), "applied", "not_live")

    @rule(status=st.sampled_from(["failed", "refused"]))
    def it_is_not_written(self, status: str) -> None:
        if self.change.status == "applying":
            self._try(lambda one: one.ended(status, "why"), status)  # type: ignore[arg-type]

    @rule(look=st.sampled_from([SEEN, UNSEEN]))
    def a_recheck_looks(self, look: Look) -> None:
        if self.change.status in WRITTEN:
            self._try(lambda one: one.seen(look), "applied")

    @rule()
    def it_is_taken_back(self) -> None:
        self._try(lambda one: one.reverted(UNSEEN), "reverted")

    @rule(status=st.sampled_from(STATUSES))
    def anything_is_tried(self, status: str) -> None:
        if status not in TRANSITIONS[self.change.status]:
            with pytest.raises(WrongMove):
                self.change.moved(status)  # type: ignore[arg-type]

    @invariant()
    def only_steps_of_the_table_were_taken(self) -> None:
        for before, after in zip(self.path, self.path[1:], strict=False):
            assert after in TRANSITIONS[before]  # type: ignore[index]

    @invariant()
    def applied_was_seen_once_and_only_what_was_written_has_an_outcome(self) -> None:
        if self.change.status == "applied":
            assert self.change.look is not None and self.change.written_at is not None
        assert (self.change.outcome is not None) == bool({"applied", "not_live"} & set(self.path))
        assert self.change.error is None or self.change.status in UNWRITTEN | WAITING


TestLife = Life.TestCase


def test_an_applied_change_stays_applied_if_the_page_later_changes() -> None:
    applied = CHANGE.taken().written(ChangeOutcome(before="x"), SEEN, 1.0)
    later = applied.seen(UNSEEN)
    assert later.status == "applied" and later.look is not None and not later.look.live
    assert CHANGE.taken().written(ChangeOutcome(before="x"), UNSEEN, 1.0).seen(SEEN).status == "applied"


@given(st.integers(0, 130))
def test_changes_are_stored_in_blocks_each_once_and_in_order(count: int) -> None:
    changes = [Change(number=n, url="u", cms_id=str(n), field="title", value="A") for n in range(count)]
    blocks = in_blocks(changes)
    assert [change for block in blocks for change in block] == changes
    assert len(blocks) == blocks_of(count) and all(len(block) == BLOCK for block in blocks[:-1])
    newer = [change.taken() for change in changes[::7]]
    assert [one.status == "applying" for one in replaced(changes, newer)] == [n % 7 == 0 for n in range(count)]


def test_stored_texts_of_a_website_have_a_maximum_length() -> None:
    look = Look(live=False, at=1.0, value="v" * 9_000, reason="r" * 9_000, note="n" * 9_000)
    change = CHANGE.taken().written(ChangeOutcome(before="b" * 9_000), look, 1.0)
    assert change.outcome is not None and change.look is not None
    assert len(change.outcome.before or "") == MOST_BEFORE and len(change.look.value or "") == MOST_SHOWN
    assert len(change.look.reason or "") == len(change.look.note or "") == MOST_WORDS
    assert len(CHANGE.ended("refused", "e" * 9_000).error or "") == MOST_WORDS


def keyed(value: str, number: int = 1, **members: object) -> Change:
    """A change of the alt text of an image."""
    key = f"https://shop.example/fox.jpg {number}"
    return msgspec.structs.replace(CHANGE, field="alt", value=value, key=key, **members)


def test_each_image_of_an_item_is_a_separate_target() -> None:
    assert len({keyed("A fox").target, keyed("A fox", 2).target, CHANGE.target}) == 3
    assert CHANGE.target == ("post:1", "title")  # as stored hashes of earlier releases have it


def test_an_empty_alt_text_is_a_value_but_an_empty_title_is_not() -> None:
    empty = msgspec.structs.replace(CHANGE, value="")
    assert (empty.sent, keyed("").sent) == (None, "")
    assert (empty.wanted.value, keyed("").wanted.value) == (None, "")
    outcome = ChangeOutcome(before=None)
    assert empty.written(outcome, SEEN, 1.0).was_there and not keyed("").written(outcome, SEEN, 1.0).was_there
    assert keyed("").written(ChangeOutcome(before=""), SEEN, 1.0).was_there
    undo = keyed("", of=0, gone="A fox")
    assert (undo.wanted.value, undo.wanted.gone) == (None, "A fox")
