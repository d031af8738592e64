"""When a live page shows what was written, and in what the two differ."""

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.changes.live_match import Wanted, look, same_text
from chalicelib.domain.page.facts import Image, PageFacts

URL = "https://shop.example/tents/"
NOW = 1_764_000_000.0


def page(**members: object) -> PageFacts:
    return PageFacts(url=URL, status=200, is_html=True, **members)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shown", "differs"),
    [
        ("Tom's tents - 2 for 1", []),
        ("TOM'S TENTS - 2 FOR 1", ["letter case"]),
        ("Tom's  tents - 2\u00a0for 1", ["extra spaces"]),
        ("Tom’s tents - 2 for 1", ["curly quotes"]),
        ("Tom's tents – 2 for 1", ["dash styles"]),
        ("Tom's tents -- 2 for 1", ["dash styles"]),
        ("Tom&#039;s tents - 2 for 1", ["character entities"]),
        ("Tom&amp;#039;s tents - 2 for 1", ["character entities"]),
        ("Tom&rsquo;s tents &ndash; 2 for 1", ["character entities", "curly quotes", "dash styles"]),
        ("TOM’S tents — 2 for 1", ["curly quotes", "dash styles", "letter case"]),
    ],
)
def test_texts_that_differ_only_in_quotes_dashes_case_or_entities_are_equal(shown: str, differs: list[str]) -> None:
    assert same_text("Tom's tents - 2 for 1", shown) == (True, differs)


@pytest.mark.parametrize(
    "shown",
    ["Tom's tents - 3 for 1", "Tom's tents - 2 for 1 | Shop", "Toms tents - 2 for 1", "", "Tom's tents 2 for 1"],
)
def test_texts_that_differ_in_content_are_not_equal(shown: str) -> None:
    assert same_text("Tom's tents - 2 for 1", shown) == (False, [])


@given(st.text(), st.text())
def test_text_comparison_is_symmetric_and_names_the_differences(one: str, other: str) -> None:
    same, differs = same_text(one, other)
    assert same_text(other, one)[0] == same
    assert bool(differs) == (same and one != other)
    assert same_text(one, one) == (True, [])


@given(st.text())
def test_escaping_and_surrounding_spaces_do_not_matter_in_comparisons(text: str) -> None:
    assert same_text(text, escape(text))[0]
    assert same_text(text, f"  {text}\n")[0]


@pytest.mark.parametrize(
    ("wanted", "facts", "live", "value"),
    [
        (Wanted("title", "Tents"), page(title="Tents"), True, "Tents"),
        (Wanted("title", "Tents"), page(title="Tents | Shop"), False, "Tents | Shop"),
        (Wanted("title", "Tents"), page(), False, None),
        (Wanted("title", "Write to jo@shop.example"), page(title="Write to j***@***"), True, "Write to j***@***"),
        (Wanted("meta_description", "Words."), page(description="words."), True, "words."),
        # taken away: the page shows anything else
        (Wanted("title", None, "Tents"), page(title="Tents"), False, "Tents"),
        (Wanted("title", None, "Tents"), page(title="What the theme makes"), True, "What the theme makes"),
        (Wanted("title", None, "Tents"), page(), True, None),
        # taken back: what stood before may be a pattern
        (Wanted("title", "%%title%% | Shop", "Tents"), page(title="Camping | Shop"), True, "Camping | Shop"),
        (Wanted("title", "%%title%% | Shop", "Tents"), page(title="Tents"), False, "Tents"),
        (Wanted("title", "tents", "Tents"), page(title="tents"), True, "tents"),
        (Wanted("noindex", "true"), page(robots_meta=[("robots", "noindex, follow")]), True, "true"),
        (Wanted("noindex", "true"), page(headers={"x-robots-tag": "none"}), True, "true"),
        (Wanted("noindex", "true"), page(robots_meta=[("bingbot", "noindex")]), False, "false"),
        (Wanted("noindex", "false"), page(headers={"x-robots-tag": "noindex"}), False, "true"),
        (Wanted("noindex", "false"), page(), True, "false"),
        (Wanted("noindex", None, "true"), page(robots_meta=[("robots", "noindex")]), False, "true"),
        (Wanted("noindex", None, "false"), page(robots_meta=[("robots", "noindex")]), True, "true"),
    ],
)
def test_the_live_value_of_a_field_is_compared_with_the_approved_value(
    wanted: Wanted, facts: PageFacts, live: bool, value: str | None
) -> None:
    seen = look(facts, wanted, NOW)
    assert (seen.live, seen.value) == (live, value)


A, B = "https://shop.example/a", "https://shop.example/b"


@pytest.mark.parametrize(
    ("wanted", "canonicals", "live", "value"),
    [
        (Wanted("canonical", A), [(A, A, "html")], True, A),
        (Wanted("canonical", A), [("/a", A, "html")], True, A),
        (Wanted("canonical", A), [("HTTPS://shop.example/a", A, "header")], True, A),
        (Wanted("canonical", A), [(A, A, "html"), (B, B, "header")], False, B),
        (Wanted("canonical", A), [(B, B, "html"), (A, A, "html")], False, B),
        (Wanted("canonical", A), [], False, None),
        (Wanted("canonical", None, A), [(A, A, "html")], False, A),
        (Wanted("canonical", None, A), [(URL, URL, "html")], True, URL),
        (Wanted("canonical", None, URL), [(URL, URL, "html")], True, URL),
    ],
)
def test_the_live_canonical_is_compared_with_the_approved_canonical(
    wanted: Wanted, canonicals: list[tuple[str, str, str]], live: bool, value: str | None
) -> None:
    seen = look(page(canonicals=canonicals), wanted, NOW)
    assert (seen.live, seen.value) == (live, value)
    assert seen.form is None or canonicals[0][0] != wanted.value


FOX = "https://shop.example/fox.jpg"


@pytest.mark.parametrize(
    ("wanted", "live", "shown", "absent"),
    [
        (Wanted("alt", "A fox", key=f"{FOX} 2"), True, "a  fox", False),
        (Wanted("alt", "A fox", key=f"{FOX} 1"), False, None, False),
        (Wanted("alt", "", key=f"{FOX} 1"), False, None, False),
        (Wanted("alt", "", key=f"{FOX} 3"), True, "", False),
        (Wanted("alt", "", key=f"{FOX} 2"), False, "a  fox", False),
        (Wanted("alt", "A fox", key=f"{FOX} 4"), False, None, True),
        (Wanted("alt", None, "A fox", f"{FOX} 2"), False, "a  fox", False),
        (Wanted("alt", None, "A fox", f"{FOX} 1"), True, None, False),
        (Wanted("alt", None, "", f"{FOX} 3"), True, "", False),
        (Wanted("alt", None, "A fox", f"{FOX} 4"), True, None, True),
        (Wanted("alt", "A bear", "A fox", f"{FOX} 3"), True, "", False),
    ],
)
def test_an_alt_text_is_compared_with_the_text_of_the_same_image_and_position(
    wanted: Wanted, live: bool, shown: str | None, absent: bool
) -> None:
    other = Image("https://shop.example/den.jpg", "A fox")
    facts = page(images=[Image(FOX), other, Image(FOX, "a  fox"), Image("", "A fox"), Image(FOX, "")])
    seen = look(facts, wanted, 0.0)
    assert (seen.live, seen.value, seen.absent) == (live, shown, absent)
