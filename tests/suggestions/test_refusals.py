"""Sentences that are about the page, and yet describe it to nobody."""

from chalicelib.suggestions.composed import composed, outline_of
from chalicelib.suggestions.descriptions import PageText, candidates


def best(*paragraphs: str, title: str = "Winter tents", h1: str | None = None, lang: str = "en") -> str | None:
    page = PageText(title=title, h1=h1 or title, lang=lang, language=lang, paragraphs=list(paragraphs))
    found = candidates(page)
    return found[0].text if found else None


def test_a_sentence_that_announces_an_example_is_left_out() -> None:
    first = "Winter tents are shelters that carry a load of snow without a single crease in them."
    for announced in ("Here's an example of a storm.", "There's a list of them at the end."):
        assert best(f"{first} {announced}") == first


def test_a_sentence_about_the_beginning_of_what_is_shown_is_left_out() -> None:
    first = "winter tents are named in a comment, so that everybody knows what the example is about."
    for part in ("At the beginning", "At the top"):
        assert best(f"{part} {first}") is None
    assert best(first[0].upper() + first[1:]) is not None


def test_names_in_code_are_not_listed_as_what_a_page_is_about() -> None:
    named = ["Setting up the tents", "Drying the tents", "Mending the poles", "Packing the bags for winter"]
    for parts, listed in (
        (["snlen option", "gprmc option", "append_position option", "get_posn option", "baud option"], False),
        (["Tents.isOpen", "Tents.isDry", "Tents.openAll", "Tents.closeAll", "Tents.countPoles"], False),
        (named, True),
    ):
        outline = outline_of(
            "Winter tents of the mill", [(1, "Winter tents of the mill"), *((2, p) for p in parts)], ()
        )
        assert outline is not None
        assert bool(composed(outline, ())) is listed


def test_a_sentence_about_its_writer_is_left_out_and_so_is_a_polish_pointer() -> None:
    assert best("I wrote this text on winter tents because nobody else could tell me how warm they are.") is None
    assert (
        best("My winter tents stand in the snow, and nobody else could tell me how warm they really are.") is not None
    )
    tents = "Namioty zimowe niosą śnieg bez jednej zmarszczki przez całą noc, także w górach"
    assert best(f"{tents} (p. też namioty letnie).", title="Namioty zimowe", lang="pl") == f"{tents}."


def test_the_name_of_the_website_says_what_a_list_of_sections_is_about() -> None:
    parts = [
        "Sleeping in a storm",
        "Drying by the fire",
        "Mending the poles",
        "Packing the bags",
        "Storing it all for summer",
    ]
    outline = outline_of("Winter", [(1, "Winter"), *((2, part) for part in parts)], ())
    assert outline is not None
    listed = "Sleeping in a storm, Drying by the fire, Mending the poles, Packing the bags, Storing it all for summer."
    for website, beginning in (
        ("Acme Tents", "Winter (Acme Tents): "),
        ("Winter & Sons", "Winter: "),
        ("", "Winter: "),
        ("The Guide", "Winter: "),
        ("v2.0 documentation", "Winter: "),
        ("A name that is much too long for a line in results", "Winter: "),
    ):
        assert [one.text for one in composed(outline, (), website=website)] == [beginning + listed], website


def test_pointers_are_known_in_languages_without_other_lists() -> None:
    for lang, sentence in (
        ("hu", "A téli sátrak az alábbi üzeneteket küldik, amikor a hó vagy a szél túl erős lesz éjszaka a hegyen."),
        ("cs", "Zimní stany posílají následující zprávy, když je sníh nebo vítr v noci na hoře příliš silný."),
        ("sv", "Vintertält skickar följande meddelanden när snön eller vinden blir för stark på berget om natten."),
    ):
        title = " ".join(sentence.split()[:3])
        assert best(sentence, title=title, lang=lang) is None, lang


def test_a_text_that_may_be_out_of_date_says_so_instead_of_describing() -> None:
    text = "Winter tents are evolving. What is written here may be out of date by the time you see it."
    assert best(text) is None


def test_a_notice_after_the_first_sentence_is_left_out() -> None:
    first = "Winter tents are shelters that carry a load of snow without a single crease in them."
    for label in ("WARNING", "Note", "Caution"):
        assert best(f"{first} {label}: these tents are changed soon.") == first
    assert best(f"{first} They are sewn by hand in the old mill.") != first
