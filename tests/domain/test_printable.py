"""Printable text: nothing that a stranger wrote controls a terminal, reorders a line or grows without limit."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.printable import printable

_ANY_TEXT = st.text(st.characters(), max_size=200)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Not found", "Not found"),
        ("two\nlines\r\n\tand  more ", "two lines and more"),
        ("\x1b]52;c;ZXZpbA==\x07copied", "]52;c;ZXZpbA== copied"),  # writes to the clipboard of some terminals
        ("\x1b[31mred\x9b0m", "[31mred 0m"),
        ("over\rwritten", "over written"),
        ("user\u202egnp.exe", "usergnp.exe"),
        ("\u2066left\u2069 \ufeffand \u200bright\u00ad", "left and right"),
        ("line\u2028separator\u00a0space", "line separator space"),
        ("half \ud800 surrogate, \ue000 private", "half \ufffd surrogate, \ufffd private"),
        ("می‌خواهم 👩‍💻 naïve 日本語", "می‌خواهم 👩‍💻 naïve 日本語"),
        ("a" + "\u0301" * 50 + "b", "a" + "\u0301" * 4 + "b"),
        ("", ""),
    ],
)
def test_text_is_shown_without_control_characters_and_line_breaks(text: str, shown: str) -> None:
    assert printable(text, 100) == shown


def test_a_long_text_ends_with_an_ellipsis() -> None:
    assert printable("abcdef", 6) == "abcdef"
    assert printable("abcdefg", 6) == "abcde…"
    assert printable("abcd efg", 6) == "abcd…"
    assert printable(" " * 10_000 + "end", 20) == "…"
    assert printable("abc", 1) == "…"


@given(_ANY_TEXT, st.integers(min_value=1, max_value=60))
def test_every_result_is_one_short_line_of_visible_characters(text: str, most: int) -> None:
    shown = printable(text, most)
    assert len(shown) <= most
    assert shown == shown.strip() and "  " not in shown
    for character in shown:
        assert character.isprintable() or character in "\u200c\u200d"
        assert unicodedata.bidirectional(character) not in (
            "LRE",
            "RLE",
            "LRO",
            "RLO",
            "PDF",
            "LRI",
            "RLI",
            "FSI",
            "PDI",
        )
    shown.encode()


@given(_ANY_TEXT)
def test_a_text_that_is_already_printable_is_unchanged(text: str) -> None:
    shown = printable(text, 100)
    assert printable(shown, 100) == shown
