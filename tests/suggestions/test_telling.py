"""Whether a text from a page says what the page is about."""

import pytest

from chalicelib.domain.page.stop_words import stop_words
from chalicelib.domain.page.text import fold
from chalicelib.suggestions.sentences import Sentence
from chalicelib.suggestions.telling import says_as_much, speaks_to_reader, tells
from chalicelib.suggestions.topics import Topic


def told(text: str, title: str = "Winter tents") -> bool:
    topic = Topic(title, "", "", stop_words(None), frozenset())
    return tells(Sentence(text, fold(text)), topic, fold(title))


@pytest.mark.parametrize(
    "text",
    [
        "This chapter explains how a tent for the winter is pitched.",
        "This is the list of all tents for the winter that anybody has ever sewn.",
        "Winter tents have four poles.",
        "Our winter tents stand through any storm.",
        "A good winter tent keeps warm.",
        "To sleep in the snow, winter tents need four poles.",
        "The old mill by the river provides winter tents with poles.",
        "In the snow, a tent for winter nights stands on four poles.",
    ],
)
def test_a_text_that_begins_with_the_topic_or_names_the_page_tells_what_it_is_about(text: str) -> None:
    assert told(text)


@pytest.mark.parametrize(
    "text",
    [
        "A rectangular box has been filled with a mixture of poles, pegs and winter tents.",
        "Four poles carry the snow, the wind and whatever falls on winter tents.",
        "This module is contained in the file tents.c of the workshop.",
        "Winter tents can be found in the third room of the old mill.",
        "Before you buy winter tents, ask for their weight.",
        "Vous pouvez laver winter tents à la main.",
        "The snow of the old valley was deep that year.",
    ],
)
def test_a_text_that_names_the_topic_late_or_speaks_to_the_reader_does_not_tell(text: str) -> None:
    assert not told(text)


def test_without_spaces_half_of_the_topic_is_near_the_start() -> None:
    title = "テント ポール"
    assert told("テントは雪の中で使うためのものです。", title)
    assert not told("雪の中で長い夜を過ごすときに必ず必要になるものはテントとポールです。", title)
    assert not told("テントは雪の中で使うためのものです。", "")


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("You can pitch it alone.", True),
        ("If it snows, pitch your tent early.", True),
        ("Im Zelt sehen Sie den Schnee.", True),
        ("Sie tragen den Schnee.", False),  # "they", at the start of a sentence
        ("Déroulez vos cordes.", True),
        ("Our tents carry the snow.", False),
        ("Youth hostels have tents.", False),
        ("Tents that carry snow and wind for days keep you warm.", False),  # further on
    ],
)
def test_a_text_that_speaks_to_the_reader_at_once_is_advice(text: str, speaks: bool) -> None:
    assert speaks_to_reader(text) == speaks


def test_a_new_description_keeps_half_of_the_words_of_a_short_one() -> None:
    present = "Pitching winter tents"
    assert says_as_much("How winter tents are sewn.", present)
    assert not says_as_much("Poles of winter nights.", present)
    assert says_as_much("Anything.", "")
    assert says_as_much("Anything.", "Pitching winter tents in deep snow, " * 6)  # too long: it need not be repeated
