"""Language and region codes."""

import pytest

from chalicelib.rules.languages import LANGUAGES, REGIONS, SHORTER, hreflang_fault, language_fault


def test_language_and_region_lists_have_the_size_of_the_standards() -> None:
    assert len(LANGUAGES - {"bh", "sh"}) == 183 and len(REGIONS) == 249
    assert set(SHORTER.values()) <= LANGUAGES


@pytest.mark.parametrize("tag", ["en", "EN-us", "de-CH-1996", "sr-Latn-RS", "zh-Hans", "fil", "x-klingon", "i-navajo"])
def test_valid_language_tags_are_accepted(tag: str) -> None:
    assert language_fault(tag) is None


@pytest.mark.parametrize("tag", ["xx", "english", "en_GB", "e", "123", "deu", "-en", "{{lang}}", "x", "dk"])
def test_invalid_language_tags_are_reported(tag: str) -> None:
    fault = language_fault(tag)
    assert fault is not None and fault.endswith(".")


@pytest.mark.parametrize("code", ["en", "en-GB", "EN-gb", "zh-Hant", "zh-Hant-HK", "x-default", " de "])
def test_valid_hreflang_codes_are_accepted(code: str) -> None:
    assert hreflang_fault(code) is None


@pytest.mark.parametrize(
    ("code", "meant"),
    [
        ("en-UK", '"en-GB"'),
        ("zh-Hant-UK", '"zh-Hant-GB"'),
        ("en_US", '"en-US"'),
        ("eng-US", '"en"'),
        ("jp", '"ja"'),
        ("fx", "ISO 639-1"),
        ("en-XX", "ISO 3166-1"),
        ("en-US-x", "language code"),
        ("*", "language code"),
    ],
)
def test_the_message_for_a_wrong_hreflang_code_names_the_right_one(code: str, meant: str) -> None:
    assert meant in (hreflang_fault(code) or "")
