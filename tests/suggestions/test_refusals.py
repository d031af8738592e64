"""Sentences that are about the page, and yet describe it to nobody."""

from chalicelib.suggestions.descriptions import PageText, candidates


def best(*paragraphs: str, title: str = "Winter tents", h1: str | None = None, lang: str = "en") -> str | None:
    page = PageText(title=title, h1=h1 or title, lang=lang, language=lang, paragraphs=list(paragraphs))
    found = candidates(page)
    return found[0].text if found else None


def test_a_sentence_that_announces_an_example_is_left_out() -> None:
    first = "Winter tents are shelters that carry a load of snow without a single crease in them."
    for announced in ("Here's an example of a storm.", "There's a list of them at the end."):
        assert best(f"{first} {announced}") == first


def test_a_sentence_about_the_beginning_or_the_end_of_what_is_shown_is_left_out() -> None:
    first = "winter tents are named in a comment, so that everybody knows what the example is about."
    for part in ("At the beginning", "At the end"):
        assert best(f"{part} {first}") is None
    assert best(first[0].upper() + first[1:]) is not None


def test_a_text_that_may_be_out_of_date_says_so_instead_of_describing() -> None:
    text = "Winter tents are evolving. What is written here may be out of date by the time you see it."
    assert best(text) is None


def test_a_notice_after_the_first_sentence_is_left_out() -> None:
    first = "Winter tents are shelters that carry a load of snow without a single crease in them."
    for label in ("WARNING", "Note", "Caution"):
        assert best(f"{first} {label}: these tents are changed soon.") == first
    assert best(f"{first} They are sewn by hand in the old mill.") != first
