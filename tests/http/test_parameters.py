"""Query parameters are read strictly."""

from dataclasses import MISSING, dataclass
from datetime import date
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.http import parameters
from chalicelib.http.errors import ApiError
from chalicelib.http.parameters import LARGEST_INTEGER, Check, choice, day, integer, text, tokens


@dataclass(frozen=True, slots=True)
class Between:
    start: int = integer("…", default=0, also="from")
    end: int = integer("…", default=0, also="to")

    CHECKS: ClassVar = (
        Check("bad_period", lambda sent: sent.start <= sent.end, "{end} must not lie before {start}.", "end"),
    )


@dataclass(frozen=True, slots=True)
class Probe:
    page: int = integer("…", default=1, minimum=1)
    any_number: int | None = integer("…", default=None)
    offset: int = integer("…", default=0, minimum=0, also="startAt")
    limit: int = integer("…", default=5, minimum=1, maximum=25)
    q: str | None = text("…", maximum=10)
    device: str | None = choice("…", ("mobile", "desktop"))
    status: tuple[str, ...] | None = tokens("…", ("open", "ignored"))
    first: date | None = day("…", name="from")


@dataclass(frozen=True, slots=True)
class NeedsUrl:
    url: str = text("…", default=MISSING, minimum=1)


def _read(**sent: str) -> Probe:
    return parameters.read(Probe, {name: [value] for name, value in sent.items()})


def _refused(name: str, value: str) -> ApiError:
    with pytest.raises(ApiError) as refused:
        parameters.read(Probe, {name: [value]})
    return refused.value


def test_a_missing_parameter_has_its_default() -> None:
    assert _read() == Probe(1, None, 0, 5, None, None, None, None)


def test_valid_parameter_values_are_parsed() -> None:
    probe = _read(page="12", limit="25", q="é", device="mobile", status="open,ignored", **{"from": "2024-02-29"})
    assert probe == Probe(12, None, 0, 25, "é", "mobile", ("open", "ignored"), date(2024, 2, 29))
    assert _read(startAt="7").offset == 7
    assert _read(offset="7", startAt="7").offset == 7


@pytest.mark.parametrize(
    "wrong", ["", " 5", "5 ", "+5", "5.0", "1e3", "05", "0x5", "٥", "1_0", "--1", "-0x", "∞", "5\n"]
)
def test_an_integer_in_an_unusual_format_is_refused(wrong: str) -> None:
    assert _refused("page", wrong).code == "bad_page"


def test_zero_with_a_minus_sign_is_refused() -> None:
    assert _refused("any_number", "-0").code == "bad_any_number"
    assert _refused("offset", "-0").code == "bad_offset"


@given(st.integers(-LARGEST_INTEGER, LARGEST_INTEGER))
def test_every_integer_in_plain_decimal_digits_is_accepted(number: int) -> None:
    assert _read(any_number=str(number)).any_number == number


def test_an_integer_too_large_for_json_readers_is_refused() -> None:
    for wrong in (LARGEST_INTEGER + 1, -LARGEST_INTEGER - 1, 10**60):
        assert _refused("any_number", str(wrong)).code == "bad_any_number"


def test_the_error_for_an_integer_too_large_for_json_readers_names_the_largest() -> None:
    assert f"a whole number from 0 to {LARGEST_INTEGER}, not" in _refused("offset", str(LARGEST_INTEGER + 1)).message
    assert "a whole number of 0 or more, not" in _refused("offset", "-1").message


def test_the_error_for_an_integer_out_of_range_shows_the_range() -> None:
    for wrong in ("0", "26", "-1", "9" * 5_000):
        refused = _refused("limit", wrong)
        assert refused.code == "bad_limit"
        assert "a whole number from 1 to 25" in refused.message
        assert len(refused.message) < 200
        assert refused.extras == {"param": "limit"}


@pytest.mark.parametrize(
    "wrong", ["2026-02-30", "2025-02-29", "2026-2-3", "20260203", "2026-02-03T00:00:00", "0000-01-01", "٢٠٢٦-٠١-٠١", ""]
)
def test_an_invalid_date_is_refused(wrong: str) -> None:
    refused = _refused("from", wrong)
    assert (refused.code, refused.extras) == ("bad_from", {"param": "from"})


def test_a_value_that_is_not_an_option_is_refused() -> None:
    assert _refused("device", "Mobile").code == "bad_device"
    for wrong in ("", "open,", ",open", "open, ignored", "closed", "open;ignored"):
        assert _refused("status", wrong).code == "bad_status"


def test_a_text_that_is_too_long_is_refused_and_cut_in_the_error() -> None:
    refused = _refused("q", "x" * 5_000)
    assert refused.code == "bad_q"
    assert len(refused.message) < 200


def test_unknown_and_repeated_parameters_are_refused_and_named() -> None:
    for sent in (
        {"Page": ["1"]},
        {"page[]": ["1"]},
        {"page": ["1", "1"]},
        {"": [""]},
        {"offset": ["0"], "startAt": ["1"]},
    ):
        with pytest.raises(ApiError) as refused:
            parameters.read(Probe, sent)
        assert refused.value.code == "bad_parameter"
        assert refused.value.extras["param"] in sent


def test_conflicting_parameters_are_named_as_the_request_names_them() -> None:
    for sent, names in (
        ({"start": ["9"], "end": ["8"]}, ("`end=8`", "`start=9`", "end")),
        ({"from": ["9"], "to": ["8"]}, ("`to=8`", "`from=9`", "to")),
        ({"from": ["9"], "end": ["8"]}, ("`end=8`", "`from=9`", "end")),
        ({"from": ["9"]}, ("`to`", "`from=9`", "to")),
    ):
        with pytest.raises(ApiError) as refused:
            parameters.read(Between, sent)
        assert refused.value.message == f"{names[0]} must not lie before {names[1]}."
        assert refused.value.extras == {"param": names[2]}


def test_a_missing_required_parameter_has_its_own_error_code() -> None:
    with pytest.raises(ApiError) as refused:
        parameters.read(NeedsUrl, {})
    assert (refused.value.code, refused.value.extras) == ("bad_url", {"param": "url"})


def test_error_codes_are_written_in_snake_case() -> None:
    assert parameters.bad("pageBudget") == "bad_page_budget"
    assert parameters.bad("suggestions_offset") == "bad_suggestions_offset"
    assert parameters.bad("minPages") == "bad_min_pages"


@given(st.dictionaries(st.text(max_size=20), st.lists(st.text(max_size=20), min_size=1, max_size=2), max_size=4))
def test_any_input_is_accepted_or_refused_without_an_exception(sent: dict[str, list[str]]) -> None:
    code, message = "bad_", ""
    try:
        parameters.read(Probe, sent)
    except ApiError as refused:
        code, message = refused.code, refused.message
    assert code.startswith("bad_")
    assert len(message) < 500
