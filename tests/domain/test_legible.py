"""Texts that are published: real scripts and emoji pass, what hides or reorders text does not."""

import pytest

from chalicelib.domain.legible import fault, is_clean, is_visible, without_mark


@pytest.mark.parametrize(
    "text",
    [
        "Zelte für zwei – „leicht“",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with a non-joiner
        "\u0915\u094d\u200d\u0937",  # Hindi, with a joiner
        "\u05e9\u05dc\u05d5\u05dd\u200f (2)",  # Hebrew, with a direction mark
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # a family
        "\u2764\ufe0f",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # Scotland
        "\U0001f6d8",  # an emoji that is newer than this Python's tables
        "\u17a2\u17d2\u200b\u1793",  # Khmer, with a word break
        "\u0600\u0661",
        "\u05d1\u05bc\u05b0\u05e8\u05b5\u05d0\u05e9\u05c1\u05b4\u0596\u05d9\u05ea",  # Hebrew, niqqud and accents
        "\u05e9\u05bc\u05c1\u05b8\u05bd\u0594",  # five marks on one letter
        "\u05d9\u05b0\u05e8\u05d5\u05bc\u05e9\u05b8\u05c1\u05dc\u05b7\u034f\u05b4\u0596\u05dd",  # a joiner of marks
        "\u05e9\u05dc\u05d5\u05dd!\u200f \u200f(2)",  # a direction mark on both sides of a space
        "\u0627\u0644\u0644\u0651\u064e\u0647\u064f",  # Arabic, with vowels
        "\u0644\u200d\u200c\u200d\u0627",  # Arabic letters that are joined but no ligature
        "\u0f67\u0f90\u0fb5\u0fa8\u0fb3\u0fba\u0fbc\u0fbb\u0f82",  # the largest stack of Tibetan
        "Vie\u0323\u0302t Nam: ke\u0302\u0301 tie\u0302\u0301p",  # Vietnamese, decomposed
        "\u0e17\u0e35\u0e48\u0e19\u0e35\u0e49 \u0e19\u0e49\u0e33",  # Thai
        "\u101c\u103b\u103e\u1031\u102c\u1037",  # Burmese, five marks
        "\u1000\ufe00\u1031\ufe00",  # Burmese for Khamti, dotted
        "\u0995\u09cd\u200d\u09af \u0d28\u0d4d\u200d",  # Bengali and Malayalam, with joiners
        "\u0e01\u200b\u0e02\u200b\u0e04",  # word breaks between letters
        "\u1820\u180b\u1822\u180e\u1820",  # Mongolian
        "\u845b\U000e0100\u57ce \u8fbb\U000e0101",  # Japanese place names, with their forms of the characters
        "\u1112\u1161\u11ab \u115f\u1161",  # Korean letters, and a filler
        "1\ufe0f\u20e3 #\ufe0f\u20e3 *\ufe0f\u20e3 \u00a9\ufe0f \u2139\ufe0f \u203c\ufe0f",  # keycaps and signs
        "\U0001f3f3\ufe0f\u200d\U0001f308\U0001f1e9\U0001f1ea",  # the rainbow flag, Germany
        "\U0001f469\U0001f3fd\u200d\u2764\ufe0f\u200d\U0001f48b\u200d\U0001f468\U0001f3fb",  # a kiss
        "\U0001f441\ufe0f\u200d\U0001f5e8\ufe0f",
        "Donau\u00addampf",
    ],
)
def test_ordinary_scripts_and_emoji_are_accepted(text: str) -> None:
    assert fault(text) is None and is_visible(text) and is_clean(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\r\nb", "line break"),
        ("a\x00", "U+0000"),
        ("a\x1b]52;c;x\x07", "U+001B"),
        ("a\u2028", "line break"),
        ("a\ud800", "surrogate"),
        ("a\u202e", "U+202E"),
        ("a\u2067", "U+2067"),
        ("a\ufeff", "U+FEFF"),
        ("a\u2063", "invisible"),
        ("a\ue000", "private use"),
        ("a\ufffe", "not a character"),
        ("a\U000e0068\U000e0069", "invisible"),
        ("Hi" + "".join(chr(0xE0100 + number) for number in range(200)), "variation selector"),
        ("H\U000e0141i\U000e0142", "variation selector"),
        ("H\ufe01i\ufe02", "variation selector"),
        ("\u2764\ufe0f\ufe0f", "variation selector"),
        ("\u2764\ufe0f\u200d\ufe0f", "variation selector"),
        ("\u2764\u0301\ufe0f", "variation selector"),
        ("\u1ebf\ufe01", "variation selector"),
        ("\u3164\ufe01", "variation selector"),
        ("\u2003\ufe01", "variation selector"),
        ("\ufe0fHi", "variation selector"),
        ("a \ufe0fb", "variation selector"),
        ("a\u180bb", "variation selector"),
        ("Buy" + "\u200b" * 2, "in a row, U+200B"),
        ("a" + "\u200f" * 290, "in a row, U+200F"),
        ("a" + "\u200b\u200c" * 2, "in a row"),
        ("a" + "\u200b " * 4 + "b", "in a row"),
        ("a" + "\u200b\u0301" * 4 + "b", "in a row"),
        ("a" + "\u00ad\u2060\u3164\u115f" + "b", "in a row"),
        ("a" + "\u0301" * 5, "combining marks on one character, U+0301"),
        ("a" + "\u0301\u0302\u0303\u0304\u200d\u0305" + "b", "combining marks"),
        ("\u05d0" + "\u05b0" * 9, "combining marks"),
        ("\ufeff\ufeff", "U+FEFF"),
    ],
)
def test_text_with_hidden_or_reordering_characters_is_refused(text: str, said: str) -> None:
    found = fault(text)
    assert found is not None and said in found and not is_clean(text)


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\u3164\u00a0", "\u2800", "\u0301", "\u200d\ufe0f"])
def test_a_text_of_only_invisible_characters_is_refused(text: str) -> None:
    assert not is_visible(text)


def test_hidden_characters_are_counted_across_lines() -> None:
    assert fault("a\u200b\n\u200bb", frozenset("\n")) is None
    found = fault("a" + "\u200b\n" * 4, frozenset("\n"))
    assert found is not None and "in a row" in found


def test_a_byte_order_mark_at_the_beginning_is_removed() -> None:
    assert without_mark("\ufeff# The shop\n") == "# The shop\n"
    assert without_mark("\ufeff") == "\ufeff" and without_mark("\ufeff \n") == "\ufeff \n", "it does not get empty"
    assert without_mark("\ufeff\ufeffa") == "\ufeffa" and without_mark("a\ufeff") == "a\ufeff"


def test_line_breaks_are_accepted_where_allowed() -> None:
    assert fault("a\nb", frozenset("\n")) is None
