"""Descriptions of notes on a release: the name of the release, and the first changes that can be quoted."""

import pytest

from chalicelib.domain.suggestions.descriptions import candidates
from chalicelib.domain.suggestions.page_text import PageText
from chalicelib.domain.suggestions.release_notes import changes

NAME = "Tents Release 3.6.1 On 2008-11-12"
FIRST = "Add the winter option to the pole_length setting."
SECOND = "Fixed the seams so that no rain comes into a tent"


def test_the_name_stands_before_as_many_changes_as_fit_and_each_ends_with_a_stop() -> None:
    assert changes(NAME, [FIRST, SECOND]) == f"{NAME}: {FIRST} {SECOND}."
    long = "Fixed the seams so that no rain comes through them, nor through what is sewn onto them in the old mill"
    assert changes(NAME, [long, FIRST, SECOND]) == f"{NAME}: {long}."


@pytest.mark.parametrize(
    "item",
    [
        "None",
        "Smaller changes of the seams and",
        "and so on for every other tent",
        "Options of the command line: --snow, --rain",
        "See the section on seams for more.",
        "Tents can now be opened as follows:",
        "tent.open(key); tent.close(key);",
        "Speed [2] ^ 3 = of the <pole>",
    ],
)
def test_what_is_no_change_in_whole_words_is_left_out(item: str) -> None:
    assert changes(NAME, [item]) is None
    assert changes(NAME, [item, FIRST]) == f"{NAME}: {FIRST}"


@pytest.mark.parametrize("ticket", [" Ticket 2b8aed9f7c9e61e8.", " (Ticket #2804.)", " MapTools bugzilla #1936."])
def test_the_number_of_a_ticket_is_no_part_of_a_change(ticket: str) -> None:
    kept = " MapTools" if "MapTools" in ticket else ""
    assert changes(NAME, [f"{SECOND}.{ticket}"]) == f"{NAME}: {SECOND}.{kept}{'.' if kept else ''}"


def test_a_page_that_names_a_release_is_described_by_its_changes_where_no_sentence_describes_it() -> None:
    page = PageText(title=NAME, h1=NAME, lang="en", may_be_short=True, items=[FIRST, SECOND])
    assert [(one.text, one.source) for one in candidates(page)] == [(f"{NAME}: {FIRST} {SECOND}.", "paragraph")]
    assert candidates(page._replace(title="Tents and poles", h1=None)) == []
    sentence = "Release 3.6.1 of the tents brings a winter option, and seams through which no rain can come at all."
    assert candidates(page._replace(paragraphs=[sentence], language="en"))[0].text == sentence


LONG = (
    "Fixed the seams so that no rain comes through them, nor through what is sewn onto them in the mill at the old "
    "weir of a river"
)


def test_where_nothing_fits_beside_the_date_of_a_release_its_name_stands_alone() -> None:
    assert len(f"{NAME}: {LONG}.") > 160 > len(f"Tents Release 3.6.1: {LONG}.")
    assert changes(NAME, [LONG]) == f"Tents Release 3.6.1: {LONG}."
    assert changes(NAME, [LONG, FIRST]) == f"{NAME}: {FIRST}"


def test_of_a_change_that_does_not_fit_the_first_sentences_are_taken() -> None:
    item = f"{FIRST} {LONG}. {LONG}."
    assert changes(NAME, [item]) == f"{NAME}: {FIRST}"
    assert changes(NAME, [f"{FIRST} See the sheet for poles."]) == f"{NAME}: {FIRST}"


def test_the_label_of_a_list_inside_a_change_is_no_part_of_it() -> None:
    assert changes(NAME, [f"{FIRST} Hashes:", "SHA1: 979f04392853b8053817a3eea2fc679947b437fd"]) == f"{NAME}: {FIRST}"


def test_changes_without_a_capital_are_parts_of_one_sentence() -> None:
    small = ["support was added for winter poles", "and so on for others", "seams are now sewn twice"]
    assert changes("Changes in Tents 3.6", small) == (
        "Changes in Tents 3.6: support was added for winter poles; seams are now sewn twice."
    )
    assert changes("Changes in Tents 3.6", [*small, FIRST]) == f"Changes in Tents 3.6: {FIRST}"


@pytest.mark.parametrize("rest", ["Other minor fixes of the seams", "Fix various other problems of the poles"])
def test_what_is_the_rest_of_the_changes_does_not_stand_first(rest: str) -> None:
    assert changes(NAME, [rest]) is None
    assert changes(NAME, [rest, SECOND]) == f"{NAME}: {SECOND}."
    assert changes(NAME, [SECOND, rest]) == f"{NAME}: {SECOND}. {rest}."


def test_a_change_of_a_file_and_the_word_bug_without_a_number_stay_as_they_are() -> None:
    assert changes(NAME, ["tents/poles.in: changed so that poles are found by their length now"]) is None
    assert changes(NAME, [SECOND, "Two very minor bug fixes"]) == f"{NAME}: {SECOND}. Two very minor bug fixes."


def test_a_guide_to_what_is_new_is_no_list_of_changes() -> None:
    assert changes("What’s New in Tents 3.6?", [SECOND, FIRST]) is None
    assert changes("What’s New in Tents 3.6", [SECOND, FIRST]) is not None
