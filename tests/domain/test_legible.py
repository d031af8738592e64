"""Texts that are published: real scripts and emoji pass, what hides or reorders text does not."""

import pytest

from chalicelib.domain.legible import fault, is_clean, is_visible


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
        "Donau\u00addampf",
    ],
)
def test_scripts_and_emoji_pass(text: str) -> None:
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
        ("a\ufffe", "no character"),
        ("a\U000e0068\U000e0069", "invisible"),
    ],
)
def test_what_hides_or_reorders_text_does_not(text: str, said: str) -> None:
    found = fault(text)
    assert found is not None and said in found and not is_clean(text)


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\u3164\u00a0", "\u2800", "\u0301", "\u200d\ufe0f"])
def test_a_text_of_nothing_that_is_seen(text: str) -> None:
    assert not is_visible(text)


def test_lines_may_stand_where_they_are_allowed() -> None:
    assert fault("a\nb", frozenset("\n")) is None
