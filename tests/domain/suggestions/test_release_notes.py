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
