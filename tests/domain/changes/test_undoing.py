"""What takes a batch back."""

from chalicelib.domain.changes.batch import Change, ChangeOutcome, Look
from chalicelib.domain.changes.undoing import Undoing

SEEN, UNSEEN = Look(live=True, at=1.0, value="A"), Look(live=False, at=1.0, value="B", reason="It shows B.")


def written(number: int, value: str, before: str | None, look: Look = SEEN, item: str | None = None) -> Change:
    change = Change(number=number, url="u", cms_id=item or f"post:{number}", field="title", value=value)
    return change.taken().written(ChangeOutcome(before=before), look, 1.0)


def test_an_undo_restores_the_old_values_of_written_changes() -> None:
    had, none, later = written(0, "A", "Old"), written(1, "B", None, UNSEEN), written(3, "D", "x")
    refused = Change(number=2, url="u", cms_id="post:2", field="title", value="C").ended("refused", "no")
    back = Undoing([had, none, refused, later], {later.target}).candidates()
    assert [(one.number, one.of, one.value, one.gone) for one in back] == [(0, 0, "Old", "A"), (1, 1, "", "B")]
    assert [(one.wanted.value, one.wanted.gone) for one in back] == [("Old", "A"), (None, "B")]


def test_an_undo_restores_the_value_that_was_there_before_the_first_write() -> None:
    last, second, first = (
        written(0, "A", "A"),
        written(4, "A", "A", item="post:0"),
        written(2, "A", "Old", item="post:0"),
    )
    undoing = Undoing([last], (), [("batch_2", [second]), ("batch_1", [written(0, "B", "C", item="post:9"), first])])
    assert undoing.needs_earlier
    (back,) = undoing.candidates()
    assert (back.value, back.of, back.through) == ("Old", 0, (("batch_2", 4), ("batch_1", 2)))
    assert back.restores("batch_3") == ("batch_1", 2)


def test_a_value_that_the_page_already_had_cannot_be_undone() -> None:
    last = written(0, "A", "A")
    assert Undoing([last], ()).candidates() == []
    assert Undoing([last], (), [("batch_1", [written(0, "B", "Old")])]).candidates() == []
    assert "had the same values before" in Undoing([last], ()).why_nothing()


def test_a_long_text_counts_as_unchanged_if_it_begins_with_the_stored_part() -> None:
    text = "x" * 5_000
    assert written(0, text, text).was_there
    assert not written(0, text, text[:2_000] + "y" * 3_000).was_there
