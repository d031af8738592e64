"""Titles suggested for keyword tasks: words of the query only where the page says them itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.page.text import fold
from chalicelib.domain.page.widths import title_px
from chalicelib.domain.suggestion import SecondField
from chalicelib.rules.kw import suggesting
from chalicelib.rules.kw.suggesting import WIDEST, Own, description_for, title_for
from chalicelib.suggestions.page_text import PageText

OWN = Own(
    "Skarn 3",
    ("Skarn 3", "A Family Tent for Four"),
    "This family tent for four weighs little. Its tunnel tent poles are long, and übergrößen fit.",
)


@pytest.mark.parametrize(
    ("query", "text", "source"),
    [
        ("family tent", "A Family Tent for Four: Skarn 3", "heading"),
        ("Tunnel  Tent", "Tunnel tent: Skarn 3", "paragraph"),
        ("übergrößen", None, None),
    ],
)
def test_a_suggested_title_begins_with_the_query_in_the_words_of_the_page(
    query: str, text: str | None, source: str | None
) -> None:
    found = title_for(query, OWN, ())
    assert (found.text, found.source) == (text, source)


@pytest.mark.parametrize(
    ("query", "own", "taken", "note"),
    [
        ("igloo", OWN, (), suggesting.NOT_SAID),
        ("tent pole", OWN, (), suggesting.NOT_SAID),  # poles are no pole
        ("skarn", OWN, (), suggesting.HAS_WORDS),
        (None, OWN, (), suggesting.NO_QUERY),
        ("family tent", OWN, ("a family tent for four: skarn 3",), suggesting.TAKEN),
        ("tent", Own(None, ("A tent " + "very " * 40 + "wide",), ""), (), suggesting.TOO_WIDE),
    ],
)
def test_a_missing_suggestion_has_a_reason(query: str | None, own: Own, taken: tuple[str, ...], note: str) -> None:
    assert title_for(query, own, taken) == (None, None, note)


def test_a_title_that_would_be_too_wide_is_not_suggested() -> None:
    heading = "Family tents for two, three and four"
    own = Own("An outdoor shop with everything that walkers need in autumn", (heading,), "")
    assert title_for("family tents", own, ()).text == heading


@given(st.text(max_size=40), st.text(max_size=80), st.lists(st.text(max_size=60), max_size=3), st.text(max_size=200))
def test_a_suggested_title_is_new_is_not_too_wide_and_contains_the_query(
    query: str, title: str, headings: list[str], text: str
) -> None:
    found = title_for(query, Own(title, tuple(headings), text), ())
    assert (found.text is None) != (found.note is None)
    if found.text is not None:
        assert fold(query) in fold(found.text)
        assert title_px(found.text) <= WIDEST
        assert fold(found.text) != fold(title)


PARAGRAPHS = (
    "Skarn 3 is a family tent for four people that is pitched in ten minutes and stands in any wind of the coast.",
    "We have been making things for walkers since 1990, and we mend all of them in our own workshop.",
    "Skarn 3 has a tunnel tent frame of three long poles, which leaves room to stand upright in the whole tent.",
)


def described(description: str | None = None, paragraphs: tuple[str, ...] = PARAGRAPHS) -> Own:
    page = PageText(title="Skarn 3", h1="Skarn 3", description=description, paragraphs=paragraphs, lang="en")
    return Own("Skarn 3", ("Skarn 3",), " ".join(paragraphs), page)


@pytest.mark.parametrize(
    ("query", "text", "source"),
    [
        ("family tent", PARAGRAPHS[0], "first_paragraph"),
        ("Family  Tent", PARAGRAPHS[0], "first_paragraph"),
        ("tunnel tent", PARAGRAPHS[2], "paragraph"),
    ],
)
def test_a_suggested_description_is_a_text_of_the_page_with_the_query(query: str, text: str, source: str) -> None:
    assert description_for(query, described(), ()) == SecondField(None, text, source)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "own", "taken", "note"),
    [
        ("igloo", described(), (), suggesting.NO_SENTENCE),
        ("workshop", described(), (), suggesting.NO_SENTENCE),  # that paragraph is about somebody else
        ("family tent", described(paragraphs=()), (), suggesting.NO_SENTENCE),
        ("family tent", described("A family tent."), (), suggesting.DESCRIBED),
        ("family tent", described(), (fold(PARAGRAPHS[0]),), suggesting.TAKEN_TEXT),
        (None, described("A tent."), (), suggesting.NO_QUERY),
    ],
)
def test_a_reason_is_given_if_no_description_is_suggested(
    query: str | None, own: Own, taken: tuple[str, ...], note: str
) -> None:
    assert description_for(query, own, taken) == SecondField(own.page.description, None, None, note)


@given(st.text(max_size=30), st.lists(st.text(max_size=200), max_size=4), st.none() | st.text(max_size=100))
def test_a_suggested_description_contains_the_query_and_only_text_of_the_page(
    query: str, paragraphs: list[str], description: str | None
) -> None:
    found = description_for(query, described(description, tuple(paragraphs)), ())
    assert (found.suggested is None) != (found.note is None) and found.current == description
    if found.suggested is not None:
        assert fold(query) in fold(found.suggested)
