"""Sentences that are about the page, and yet describe it to nobody."""

import pytest

from chalicelib.domain.suggestions.descriptions import PageText, candidates


def best(*paragraphs: str, title: str = "Winter tents", h1: str | None = None, lang: str = "en") -> str | None:
    page = PageText(title=title, h1=h1 or title, lang=lang, language=lang, paragraphs=list(paragraphs))
    found = candidates(page)
    return found[0].text if found else None


def test_a_notice_after_the_first_sentence_is_left_out() -> None:
    first = "Winter tents are shelters that carry a load of snow without a single crease in them."
    for label in ("WARNING", "Note", "Caution"):
        assert best(f"{first} {label}: these tents are changed soon.") == first
    assert best(f"{first} They are sewn by hand in the old mill.") != first


def test_a_sentence_that_says_the_same_again_is_not_added() -> None:
    first = "Support for winter tents of all makes."
    assert best(f"{first} Support for winter tents of all makes by way of our own poles.", title="Tents") is None
    sewn = f"{first} Winter tents are sewn by hand in the old mill of the valley."
    assert best(sewn, title="Tents") == sewn
    kind = "A winter tent is a kind of shelter: one that is meant for the snow of the mountains."
    assert best(f"{kind} A winter tent is held by two poles.") == f"{kind} A winter tent is held by two poles."


def test_what_is_listed_between_semicolons_is_not_cut_short() -> None:
    start = "In this guide, we talk about winter tents and all that is in their bags, namely poles that are bent"
    rest = "and ropes, which are longer than the tent is wide, so that there is something left to hold on to"
    assert best(f"{start}; {rest}.") == f"{start}."
    assert best(f"{start}; pegs that are straight; {rest}.") is None


@pytest.mark.parametrize(
    ("lang", "title", "sentence", "own_title"),
    [
        (
            "fr",
            "Fichiers nécessaires",
            "Ce fichier contient plusieurs valeurs que les outils de la maison utilisent pour gérer le paquet.",
            "Fichier control",
        ),
        (
            "en",
            "Commands of the camp",
            "This command pitches a tent for the night, and takes it down again in the morning.",
            "Command of the camp",
        ),
        (
            "de",
            "Dateien des Lagers",
            "Diese Datei enthält alle Werte, mit denen die Zelte für den Winter aufgebaut werden.",
            "Datei des Lagers",
        ),
    ],
)
def test_one_of_the_things_that_a_page_is_about_does_not_describe_it(
    lang: str, title: str, sentence: str, own_title: str
) -> None:
    assert best(sentence, title=title, lang=lang) is None
    assert best(sentence, title=own_title, lang=lang) == sentence


def test_the_number_of_a_section_makes_no_name_of_a_title() -> None:
    off_topic = "Mountains restrict signal fires to a narrow range of places, and declare all others forbidden."
    assert best(off_topic, title="Warts of tents", h1="7.3 Warts of tents") is None
    assert best("Returns the signal fires of the camp, the one that was lit first before others.", title="Tents.lit")
