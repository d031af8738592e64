"""CSV files: a spreadsheet works nothing out of what strangers typed, and a reader has every text and number back."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.http.csv import cell, table

SEPARATORS = (",", ";", "\t", "|")  # which one a spreadsheet takes is up to the country that it is set to
FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"
SKIPPED = " \t\r\n\u00a0\ufeff\u200b"
TEXTS = st.text(st.sampled_from("=+-@\uff1d\uff20\t\r\n '\";,|a1\u00a0\ufeff\u200b"), max_size=8)


def opened(text: str, separator: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))


def text_of(written: str) -> str:
    """As the documentation says: an apostrophe before what a spreadsheet would work out is taken away."""
    return written[1:] if written.startswith("'") and cell(written) != written else written


def worked_out(shown: str) -> bool:
    return shown.lstrip(SKIPPED)[:1] in set(FORMULA) or shown[:1] in set("\t\r\n")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1+1|cmd", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1"])
@pytest.mark.parametrize("before", ["", "boots;", "boots\t", "boots|", "boots,", 'boots";', "boots\n"])
def test_no_cell_becomes_a_formula_with_any_separator(before: str, text: str) -> None:
    written = table(["query", "clicks"], [[before + text, 5]])
    for separator in SEPARATORS:
        for row in opened(written, separator):
            assert not any(worked_out(shown) for shown in row), (separator, row)


@pytest.mark.parametrize("sign", FORMULA)
def test_a_cell_starting_with_a_formula_sign_gets_an_apostrophe(sign: str) -> None:
    assert cell(f"{sign}1") == f"'{sign}1"


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3))
def test_every_text_can_be_read_back_and_is_not_a_formula(rows: list[tuple[str, str]]) -> None:
    written = table(["query", "page"], rows)
    shown = opened(written, ",")[1:]
    assert [tuple(map(text_of, row)) for row in shown] == rows
    assert not any(worked_out(one) for row in shown for one in row)


@given(TEXTS)
def test_a_separator_inside_a_text_does_not_start_a_formula(text: str) -> None:
    written = table(["query", "clicks"], [[text, 5]])
    for separator in SEPARATORS:
        assert not any(worked_out(one) for row in opened(written, separator) for one in row)


def test_numbers_are_not_quoted_and_unknown_values_are_empty() -> None:
    written = table(["change", "ctr", "position", "query"], [[-5, -0.25, 1e-07, "a"], [0, 3.0, None, "-5"]])
    assert opened(written, ",")[1:] == [["-5", "-0.25", "1e-07", "a"], ["0", "3.0", "", "'-5"]]
    assert "'-0.25" not in written and '"-0.25"' not in written
