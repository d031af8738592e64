"""JSON bodies: what is read, and what a refusal says."""

import json
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Meta, UnsetType

from chalicelib.http import bodies
from chalicelib.http.bodies import Body
from chalicelib.http.errors import ApiError


class Part(Body):
    url: str


class Probe(Body):
    page_budget: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    parts: list[Part] | UnsetType = UNSET


class Needs(Body):
    url: str


def _read(raw: str, **headers: str) -> Probe:
    return bodies.read(Probe, raw.encode(), {k.replace("_", "-"): v for k, v in headers.items()}, required=False)


def _refused(raw: str, model: type[Body] = Probe) -> ApiError:
    with pytest.raises(ApiError) as refused:
        bodies.read(model, raw.encode("utf-8", "surrogatepass"), {}, required=True)
    return refused.value


def test_json_knows_one_kind_of_number() -> None:
    for written in ("5", "5.0", "5e0", "0.5e1"):
        budget = _read(f'{{"pageBudget": {written}}}').page_budget
        assert budget == 5
        assert type(budget) is int


@pytest.mark.parametrize("written", ["true", '"5"', "5.5", "null", "[]", "0", "-3", "1e400"])
def test_a_wrong_member_has_its_own_code_and_names_itself(written: str) -> None:
    refused = _refused(f'{{"pageBudget": {written}}}')
    if written == "1e400":
        assert refused.code in ("bad_json", "bad_page_budget")
    else:
        assert (refused.code, refused.extras) == ("bad_page_budget", {"param": "pageBudget"})
        assert "pageBudget" in refused.message


def test_a_missing_or_unknown_member_is_bad_body_with_its_name() -> None:
    assert _refused("{}", Needs).extras == {"param": "url"}
    assert _refused('{"x": 1}').extras == {"param": "x"}
    assert _refused('{"parts": [{}]}').extras == {"param": "parts[0].url"}
    assert {_refused(raw).code for raw in ('{"x": 1}', '{"parts": [{}]}', "[]", "null", "3")} == {"bad_body"}


def test_a_wrong_member_inside_has_the_code_of_that_member() -> None:
    refused = _refused('{"parts": [{"url": 3}]}')
    assert (refused.code, refused.extras) == ("bad_url", {"param": "parts[0].url"})


def test_what_is_no_json_is_bad_json() -> None:
    for raw in ("{", "x", "{'a': 1}", '{"a": NaN}', '{"a": 1}x', "\ud800", '{"a": "\x00"}', "[" * 100_000):
        assert _refused(raw).code == "bad_json"


def test_no_body_is_the_default_unless_one_is_required() -> None:
    assert _read("").page_budget is UNSET
    assert _refused("", Needs).code == "bad_body"


def test_a_missing_content_type_is_read_as_json_and_a_wrong_one_refused() -> None:
    assert _read("{}", content_type="application/json; charset=utf-8") == Probe()
    for wrong in ("text/plain", "application/x-www-form-urlencoded"):
        with pytest.raises(ApiError) as refused:
            _read("{}", content_type=wrong)
        assert refused.value.code == "unsupported_media_type"
    assert _read("", content_type="text/plain") == Probe()


def test_a_body_is_read_up_to_a_megabyte() -> None:
    bodies.check_size(b"x" * bodies.LARGEST_BODY_BYTES)
    with pytest.raises(ApiError) as refused:
        bodies.check_size(b"x" * (bodies.LARGEST_BODY_BYTES + 1))
    assert (refused.value.code, refused.value.status) == ("too_large", 413)


def test_the_codes_of_a_bodys_members_are_documented() -> None:
    assert bodies.member_codes(Probe) == {"bad_page_budget", "bad_url"}


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["pageBudget", "parts", "x"]), inner)
        ),
        max_leaves=8,
    )
)
def test_whatever_json_is_sent_is_read_or_refused(sent: object) -> None:
    status = 200
    try:
        bodies.read(Probe, json.dumps(sent).encode(), {}, required=True)
    except ApiError as refused:
        status = refused.status
    assert status in (200, 400)


def test_a_body_that_is_nested_too_deeply_is_refused() -> None:
    for depth in (300, 900, 5_000):
        raw = b'{"pageBudget": ' + b"[" * depth + b"]" * depth + b"}"
        with pytest.raises(ApiError) as caught:
            bodies.read(Probe, raw, {}, required=False)
        assert caught.value.status == 400


def test_a_long_name_of_a_member_is_not_sent_back_whole() -> None:
    with pytest.raises(ApiError) as caught:
        bodies.read(Probe, b'{"' + b"k" * 100_000 + b'": 1}', {}, required=False)
    assert caught.value.code == "bad_body"
    assert len(caught.value.message) < 300
    assert len(str(caught.value.extras["param"])) <= 100
