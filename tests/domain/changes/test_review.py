"""Suggested values of several issues as one review."""

from collections import Counter

from chalicelib.domain.changes.batch import MOST_CHANGES
from chalicelib.domain.changes.review import LATER, SAME, Row, reviewed

NONE: Counter[str] = Counter()


def row(issue: str, page: str, value: str, template: str | None = None, current: str = "Now") -> Row:
    return Row(issue, "title", f"https://acme.example/{page}", page, current, value, template)


def test_two_values_for_one_field_are_a_conflict_and_the_first_is_kept() -> None:
    first, same, other = row("iss_1", "a", "A"), row("iss_2", "a", "A"), row("iss_3", "a", "B")
    found = reviewed([first, same, other], Counter({"No value.": 2}))
    assert found.rows == [first]
    assert found.conflicts == [(first, other)]
    assert dict(found.left) == {SAME: 1, "No value.": 2}
    description = first._replace(field="meta_description", value="B")
    assert reviewed([first, description], NONE).rows == [first, description], "another field is no conflict"


def test_the_template_filter_selects_pages_but_does_not_change_the_counts() -> None:
    rows = [row("iss_1", "a", "A", "post"), row("iss_1", "b", "B", "product"), row("iss_1", "c", "C")]
    found = reviewed(rows, NONE, "product")
    assert found.rows == [rows[1]] and found.templates == [("post", 1), ("product", 1)]
    assert reviewed(rows, NONE, "nothing").rows == []


def test_changes_above_the_limit_of_one_approval_are_left_for_the_next() -> None:
    found = reviewed([row("iss_1", str(number), "A") for number in range(MOST_CHANGES + 7)], NONE)
    assert len(found.rows) == MOST_CHANGES and found.left == [(LATER, 7)]


def test_a_change_of_anything_shown_in_a_review_changes_its_digest() -> None:
    rows = [row("iss_1", "a", "A"), row("iss_1", "b", "B")]
    changed = [
        rows[:1],
        rows[::-1],
        [rows[0], row("iss_1", "b", "C")],
        [rows[0], row("iss_2", "b", "B")],
        [rows[0], row("iss_1", "b", "B", current="Then")],
    ]
    digests = {reviewed(one, NONE).digest for one in (rows, *changed)}
    assert len(digests) == len(changed) + 1
    assert reviewed(list(rows), NONE).digest == reviewed(rows, Counter({"x": 1})).digest
