"""Pixel widths of titles and descriptions."""

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.page.widths import description_px, title_px


def test_text_widths_equal_known_widths_of_arial():
    assert title_px("") == 0
    assert title_px("0" * 10) == 111  # 1,139 of 2,048 em each
    assert title_px("iiii") == 18
    assert title_px("WWWW") == 76
    assert title_px(" ") == 6
    assert description_px("0" * 100) == 779


def test_wide_characters_and_emoji_take_one_em():
    assert title_px("日本語") == 60
    assert title_px("한글") == 40
    assert title_px("🙂") == 20


def test_accents_and_combining_characters_do_not_widen_a_letter():
    assert title_px("é") == title_px("e") == title_px("e\u0301")
    assert title_px("a\u200bb\u00ad") == title_px("ab")


def test_characters_missing_in_the_table_have_the_width_of_a_digit():
    assert title_px("שלום") == title_px("0000")


@given(st.text(max_size=50), st.text(max_size=50))
def test_adding_text_never_makes_a_line_narrower(text: str, more: str):
    assert 0 <= title_px(text) <= title_px(text + more)
    assert description_px(text) <= title_px(text)
