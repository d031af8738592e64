"""Whether a text from a page says what the page is about."""

import pytest

from chalicelib.domain.page.stop_words import stop_words
from chalicelib.domain.page.text import fold
from chalicelib.suggestions.sentences import Sentence
from chalicelib.suggestions.telling import says_as_much, speaks_to_reader, tells, to_keep
from chalicelib.suggestions.topics import Topic


def topic_of(title: str) -> Topic:
    return Topic(title, "", "", stop_words(None), frozenset())


def told(text: str, title: str = "Winter tents") -> bool:
    return tells(Sentence(text, fold(text)), topic_of(title), fold(title))


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
        "Our winter tents keep your feet dry and your head warm.",
        "Winter tents can be found in the third room of the old mill.",
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
        "The winter tents are defined in tents.c and are not sewn by default.",
        "Winter tents are stored in the poles folder of the workshop.",
        "Without a tent for the winter, nobody sleeps in the snow.",
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
        ("You can pitch tents alone.", True),
        ("If it snows, pitch your tent early.", True),
        ("Hier sehen Sie Tents im Schnee.", True),
        ("Sie tragen den Schnee.", False),  # "they", at the start of a sentence
        ("Déroulez vos cordes.", True),
        ("Our tents carry the snow.", False),
        ("Tents keep your feet dry.", False),  # the topic does something for the reader
        ("Youth hostels have tents.", False),
        ("The old and very wide ones keep you warm.", False),  # further on
    ],
)
def test_a_text_that_speaks_to_the_reader_at_once_is_advice(text: str, speaks: bool) -> None:
    assert speaks_to_reader(text, topic_of("Tents")) == speaks


def test_a_sentence_may_begin_with_the_name_in_the_title_and_name_the_topic_later() -> None:
    """On a small website, the name is no known ending of all titles, but several titles share it."""
    title, text = "Hotel in Innsbruck | Hotel Alpenblick", "Hotel Alpenblick is located in the heart of Innsbruck."
    topic = Topic(title, "", "", stop_words("en"), frozenset({"hotel", "alpen"}))
    assert tells(Sentence(text, fold(text)), topic, fold(title))
    other = text.replace("Hotel Alpenblick", "Our house")
    assert not tells(Sentence(other, fold(other)), topic, fold(title))


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Hotel Alpenblick", "Hotel Alpenblick is located in the heart of Innsbruck and has forty rooms with a view."),
        ("Hotel Alpenblick", "Das Hotel Alpenblick liegt in den Bergen von Tirol und hat vierzig Zimmer mit Aussicht."),
        ("Hotel Sol", "El Hotel Sol se encuentra en el centro de Sevilla y tiene cuarenta habitaciones."),
        ("Wedding photography", "Our wedding photography captures your day with natural light, from dawn to dusk."),
        ("Plumbing repairs", "Our plumbing team repairs your boiler, your pipes and your taps on the same day."),
        ("Steuerberatung Weber", "Die Steuerberatung Weber unterstützt Sie bei Ihrer Erklärung und allen Fristen."),
        ("Boulangerie Dupont", "La boulangerie Dupont vous accueille du mardi au dimanche au cœur de Nantes."),
        ("Roofing in Leeds", "Since 1985, our family has offered roofing in Leeds and all the towns around it."),
        ("Dog training", "In Leeds and around it, Anna Smith offers dog training for puppies and old dogs."),
        ("SEM und Anzeigen", "SEM steht für Suchmaschinenmarketing mit Anzeigen in allen Suchmaschinen."),
        ("Sans serif fonts", "Sans serif fonts have no strokes at the ends of their letters, and are read on screens."),
    ],
)
def test_what_businesses_write_about_themselves_tells_what_the_page_is_about(title: str, text: str) -> None:
    assert told(text, title)


def test_a_new_description_keeps_half_of_the_words_of_a_short_one() -> None:
    present = "Pitching winter tents"
    assert says_as_much("How winter tents are sewn.", present)
    assert not says_as_much("Poles of winter nights.", present)
    assert says_as_much("Anything.", "")


@pytest.mark.parametrize(
    ("present", "keep"),
    [
        ("Pitching winter tents", True),
        ("The outdoor shop in Leeds with boots and rope", False),  # the same on all pages
        ("Just another WordPress site", False),
        ("Pitching winter tents in deep snow, " * 6, False),  # too long: nothing shorter repeats it
        ("テントの店", False),
        (None, False),
        ("", False),
    ],
)
def test_only_a_description_of_the_page_is_kept(present: str | None, keep: bool) -> None:
    assert to_keep(present, topic_of("Winter tents")) == (present if keep else "")
