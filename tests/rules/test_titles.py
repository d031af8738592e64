"""The ending that a website's titles share."""

import pytest

from chalicelib.rules.titles import endings_of, shared_ending, without_ending
from tests.rules.builders import page, site_of


def ending_of(*titles: str) -> str | None:
    return shared_ending(site_of([page("/", title="Home"), *(page(f"/{at}", title=t) for at, t in enumerate(titles))]))


@pytest.mark.parametrize("mark", [" | ", " – ", " — ", " - ", " · ", " • ", " :: ", " » "])
def test_an_ending_shared_by_half_of_the_titles_is_found(mark: str) -> None:
    titles = [f"Tent {name}{mark}Example" for name in "abc"] + ["About us", "Contact"]
    assert ending_of(*titles) == f"{mark}Example"


def test_the_longest_shared_ending_is_used() -> None:
    assert ending_of(*(f"Tent {name} | Shop | Example" for name in "abcde")) == " | Shop | Example"


def test_the_most_frequent_of_several_spellings_of_an_ending_is_used() -> None:
    titles = [f"Tent {name} | Example" for name in "abcd"] + ["Tent e | EXAMPLE"]
    assert ending_of(*titles) == " | Example"


def test_fewer_than_five_different_titles_have_no_shared_ending() -> None:
    assert ending_of(*(f"Tent {name} | Example" for name in "abcd")) is None
    assert ending_of(*(["Tent | Example"] * 9)) is None


def test_an_ending_of_a_few_titles_is_not_shared() -> None:
    assert ending_of("A | Blog", "B | Blog", "C", "D", "E") is None


def test_hyphens_inside_words_do_not_start_an_ending() -> None:
    assert endings_of("A well-made tent") == []
    assert endings_of("Tents|Example") == ["|Example"]
    assert endings_of("A - B - C") == [" - C", " - B - C"]


def test_a_title_that_begins_with_a_separator_has_no_ending() -> None:
    assert endings_of("| Example") == []


def test_the_ending_is_removed_in_any_letter_case() -> None:
    assert without_ending("Tents | EXAMPLE", " | Example") == "Tents"
    assert without_ending("Tents", " | Example") is None
    assert without_ending(" | Example", " | Example") is None
