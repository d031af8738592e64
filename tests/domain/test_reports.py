"""Colours of reports: which are read, and on which white letters can be read."""

import pytest

from chalicelib.domain.reports import (
    DEFAULT_COLOUR,
    DEFAULT_LIFE,
    LEAST_CONTRAST,
    LIVES,
    address_of,
    contrast_with_white,
    initial,
    read_colour,
)


def test_a_colour_must_be_a_hash_sign_and_six_hex_digits() -> None:
    assert read_colour(" #0B6b5E ") == "#0b6b5e"
    for text in ("", "#fff", "0b6b5e", "#0b6b5g", "#0b6b5e0", "red", '#0b6b5e"', "#0b6b5e\n#", "#０b6b5e", "url(#x)"):
        assert read_colour(text) is None, text


@pytest.mark.parametrize(
    ("colour", "ratio"),
    [("#ffffff", 1.0), ("#000000", 21.0), ("#777777", 4.48), ("#767676", 4.54), ("#ff0000", 4.0), ("#0000ff", 8.59)],
)
def test_the_contrast_with_white_follows_wcag(colour: str, ratio: float) -> None:
    assert contrast_with_white(colour) == pytest.approx(ratio, abs=0.005)


def test_the_default_colour_and_duration_are_valid() -> None:
    assert read_colour(DEFAULT_COLOUR) == DEFAULT_COLOUR
    assert contrast_with_white(DEFAULT_COLOUR) >= LEAST_CONTRAST
    assert DEFAULT_LIFE in LIVES


@pytest.mark.parametrize(
    ("name", "letter"), [("acme", "A"), ("»Über«", "Ü"), ("ßtraße", "S"), ("東京", "東"), ("…", "")]
)
def test_a_name_is_abbreviated_by_its_first_letter_or_digit(name: str, letter: str) -> None:
    assert initial(name) == letter


def test_the_address_of_a_report_ends_with_its_token() -> None:
    assert address_of("https://seo.example/app", "abc") == "https://seo.example/app/r/abc"
