"""Differences of two texts: whole, bounded, and bound to what was shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.web import differences
from chalicelib.web.differences import CONTEXT, MOST_CHARACTERS, MOST_LINES, Line, between, digest

texts = st.lists(st.sampled_from(["", "a", "b", "c", "User-agent: *"]), max_size=30).map("\n".join)


def without_skips(lines: list[Line], of: str) -> list[str]:
    return [line.text for line in lines if line.kind in ("same", of)]


@given(texts, texts)
def test_a_difference_contains_both_texts_completely(old: str, new: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(differences, "CONTEXT", 1_000)
        found = between(old, new)
    if found.nothing:
        assert old == new and found.lines == []
    else:
        assert "\n".join(without_skips(found.lines, "gone")) == old
        assert "\n".join(without_skips(found.lines, "new")) == new


def test_unchanged_lines_far_from_a_change_are_counted_and_left_out() -> None:
    old = "\n".join(f"line {number}" for number in range(100))
    found = between(old, old.replace("line 50", "line fifty"))
    assert found.lines[0] == Line("skipped", str(50 - CONTEXT)) and found.lines[1] == Line("same", "line 47")
    assert (found.new, found.gone, found.left_out) == (1, 1, 0)
    assert [line.text for line in found.lines if line.kind in ("gone", "new")] == ["line 50", "line fifty"]


def test_a_different_line_ending_is_a_change() -> None:
    assert between("a\nb\n", "a\r\nb\r\n").new == 2
    assert between("a", "a\n").new == 1
    assert "␍" in between("a", "a\r").lines[-1].text


def test_a_shortened_difference_says_how_many_lines_are_missing() -> None:
    found = between("", "\n".join("x" for _ in range(5_000)))
    assert len(found.lines) == MOST_LINES and len(found.lines) + found.left_out >= 5_000
    wide = between("", "\n".join("x" * 1_000 for _ in range(100)))
    assert sum(len(line.text) for line in wide.lines) <= MOST_CHARACTERS and wide.left_out > 50


def test_comparing_very_different_texts_takes_a_limited_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    class Counting(differences.SequenceMatcher):  # type: ignore[misc, name-defined, type-arg]
        def __init__(self, junk: object, old: list[str], new: list[str], autojunk: bool) -> None:
            compared.append(len(old) + len(new))
            super().__init__(None, old, new, autojunk=autojunk)

    monkeypatch.setattr(differences, "SequenceMatcher", Counting)
    between("x\n" * 30_000 + "y", "z\n" * 30_000 + "y")
    assert compared == []
    block = "\n".join(f"rule {number}" for number in range(30_000))
    between(block, f"{block}\nnew")
    assert sum(compared) <= 2, "equal beginnings are not compared"


def test_texts_split_into_different_parts_have_different_digests() -> None:
    found = [digest("a", "b"), digest("ab", ""), digest("", "ab"), digest(None, "ab"), digest("ab"), digest("ab", None)]
    assert len({*found}) == len(found)
    assert digest(b"ab") == digest("ab")
