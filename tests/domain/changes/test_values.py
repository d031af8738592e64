"""What may be written into each field."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.changes.values import LONGEST, BadValue, checked

HOST = "shop.example"


@pytest.mark.parametrize(
    ("field", "value", "written"),
    [
        ("title", "  Tents for two ", "Tents for two"),
        ("title", "x" * 300, "x" * 300),
        ("meta_description", "Words.", "Words."),
        ("canonical", "HTTPS://Shop.Example:443/tents/#top", "https://shop.example/tents/"),
        ("canonical", "https://www.shop.example/", "https://www.shop.example/"),
        ("canonical", "", ""),
        ("title", "\ufeff Tents", "Tents"),
        ("canonical", "\ufeffhttps://shop.example/tents/", "https://shop.example/tents/"),
        ("noindex", "true", "true"),
        ("noindex", "false", "false"),
    ],
)
def test_valid_values_are_normalised(field: str, value: str, written: str) -> None:
    assert checked(field, value, HOST) == written  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("title", " \t ", "empty"),
        ("title", "a\nb", "line break"),
        ("title", "a\u2028b", "line break"),
        ("title", "a\x00b", "control"),
        ("title", "a\ud800b", "surrogate"),
        ("title", "\u200b", "no visible characters"),
        ("title", "\u3164", "no visible characters"),
        ("title", "Tents \u202egnitnet", "invisible character.*U\\+202E"),
        ("meta_description", "Tents \u2066for two\u2069", "U\\+2066"),
        ("title", "Tents \ue000", "private use"),
        ("title", "x" * 301, "at most 300"),
        ("title", "Write to j***@***", "hidden"),
        ("meta_description", "x" * 1_001, "at most 1000"),
        ("canonical", "/tents/", "absolute"),
        ("canonical", "https://shop.example/te\r\nnts/", "line break"),
        ("canonical", "https://shop.example/te\tnts/", "control character"),
        ("canonical", "https://shop.example/\u202etents/", "invisible"),
        ("canonical", "https://elsewhere.example/", "absolute"),
        ("canonical", "javascript:alert(1)", "absolute"),
        ("canonical", "https://me@shop.example/", "absolute"),
        ("canonical", "\ufeff", "U\\+FEFF"),
        ("canonical", "\ufeff \t", "U\\+FEFF"),
        ("title", "Tents" + "\u200f" * 200, "in a row"),
        ("noindex", "", "true"),
        ("noindex", "True", "true"),
    ],
)
def test_invalid_values_are_refused(field: str, value: str, said: str) -> None:
    with pytest.raises(BadValue, match=said):
        checked(field, value, HOST)  # type: ignore[arg-type]


@given(st.text())
def test_an_accepted_text_has_one_line_and_is_accepted_again_unchanged(text: str) -> None:
    for field in ("title", "meta_description"):
        try:
            written = checked(field, text, HOST)  # type: ignore[arg-type]
        except BadValue:
            continue
        assert 0 < len(written) <= LONGEST[field] and len(written.splitlines()) == 1
        assert checked(field, written, HOST) == written  # type: ignore[arg-type]
