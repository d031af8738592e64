"""JSON bodies: what is read, and what a refusal says."""

import json
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.previews import StartPreview
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


class Every(Body):
    """A member of each kind that bodies have."""

    rules: dict[str, Literal["allow", "deny"]] | UnsetType = UNSET
    kind: Literal["audit", "recheck", "alert"] = "audit"
    name: Annotated[str, Meta(min_length=1, max_length=200)] = "x"
    note: Annotated[str, Meta(max_length=2_000)] | None = None
    noindex: bool | None = None
    share: Annotated[int, Meta(ge=0, le=100)] = 0
    items: Annotated[list[Needs], Meta(min_length=1, max_length=3)] | UnsetType = UNSET


def _read(raw: str, **headers: str) -> Probe:
    return bodies.read(Probe, raw.encode(), {k.replace("_", "-"): v for k, v in headers.items()}, required=False)


def _refused(raw: str, model: type[Body] = Probe) -> ApiError:
    with pytest.raises(ApiError) as refused:
        bodies.read(model, raw.encode("utf-8", "surrogatepass"), {}, required=True)
    return refused.value


def test_a_json_number_without_a_fraction_is_an_integer() -> None:
    for written in ("5", "5.0", "5e0", "0.5e1"):
        budget = _read(f'{{"pageBudget": {written}}}').page_budget
        assert budget == 5
        assert type(budget) is int


@pytest.mark.parametrize("written", ["true", '"5"', "5.5", "null", "[]", "0", "-3", "1e400"])
def test_an_invalid_member_has_its_own_error_code_and_is_named(written: str) -> None:
    refused = _refused(f'{{"pageBudget": {written}}}')
    if written == "1e400":
        assert refused.code in ("bad_json", "bad_page_budget")
    else:
        assert (refused.code, refused.extras) == ("bad_page_budget", {"param": "pageBudget"})
        assert "pageBudget" in refused.message


def test_a_missing_or_unknown_member_has_the_code_bad_body_and_is_named() -> None:
    assert _refused("{}", Needs).extras == {"param": "url"}
    assert _refused('{"x": 1}').extras == {"param": "x"}
    assert _refused('{"parts": [{}]}').extras == {"param": "parts[0].url"}
    assert {_refused(raw).code for raw in ('{"x": 1}', '{"parts": [{}]}', "[]", "null", "3")} == {"bad_body"}


WRONG: dict[str, tuple[str | None, str]] = {
    '{"rules": {"GPTBot": "maybe"}}': ("rules.GPTBot", "`rules.GPTBot` must be `allow` or `deny`, not `maybe`."),
    '{"rules": {"GPTBot": 5}}': ("rules.GPTBot", "`rules.GPTBot` must be `allow` or `deny`, not `5`."),
    '{"rules": []}': ("rules", "`rules` must be an object, not a list."),
    '{"kind": "x"}': ("kind", "`kind` must be `alert`, `audit` or `recheck`, not `x`."),
    '{"name": 5}': ("name", "`name` must be text of 1 to 200 characters, not `5`."),
    '{"name": ""}': ("name", "`name` must be text of 1 to 200 characters, not an empty text."),
    '{"name": null}': ("name", "`name` must be text of 1 to 200 characters, not `null`."),
    json.dumps({"note": "\u202e\nb" * 1_000}): (
        "note",
        f"`note` must be text of at most 2,000 characters, or `null`, not 3,000 characters: `{'b ' * 29}b…`.",
    ),
    '{"noindex": "true"}': ("noindex", "`noindex` must be `true` or `false`, or `null`, not the text `true`."),
    '{"share": 101}': ("share", "`share` must be a whole number from 0 to 100, not `101`."),
    '{"share": 1.5}': ("share", "`share` must be a whole number from 0 to 100, not `1.5`."),
    '{"share": true}': ("share", "`share` must be a whole number from 0 to 100, not `true`."),
    '{"share": "5"}': ("share", "`share` must be a whole number from 0 to 100, not the text `5`."),
    '{"share": {}}': ("share", "`share` must be a whole number from 0 to 100, not an object."),
    '{"items": []}': ("items", "`items` must be a list of 1 to 3 entries, not an empty list."),
    '{"items": [1, 2, 3, 4]}': ("items", "`items` must be a list of 1 to 3 entries, not a list of 4."),
    '{"items": null}': ("items", "`items` must be a list of 1 to 3 entries, not `null`."),
    '{"items": [7]}': ("items[0]", "`items[0]` must be an object with `url`, not `7`."),
    '{"items": [{}]}': ("items[0].url", "`items[0].url` is required: text."),
    '{"items": [{"url": "x", "y": 1}]}': (
        "items[0].y",
        "The member `y` in `items[0]` is unknown. Accepted: `url`.",
    ),
    "[]": (None, "The body must be an object with {}, not a list."),
    '"x"': (None, "The body must be an object with {}, not `x`."),
    "7": (None, "The body must be an object with {}, not `7`."),
    "null": (None, "The body must be an object with {}, not `null`."),
}
MEMBERS = "`rules`, `kind`, `name`, `note`, `noindex`, `share`, `items`"


@pytest.mark.parametrize("raw", WRONG)
def test_the_error_names_the_member_the_sent_value_and_the_accepted_values(raw: str) -> None:
    param, message = WRONG[raw]
    refused = _refused(raw, Every)
    assert (refused.extras, refused.message) == ({"param": param}, message.replace("{}", MEMBERS))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("{", "The body is not JSON: it ends too early."),
        ("x", "The body is not JSON from character 1 on: `x`."),
        ("{'a': 1}", "The body is not JSON from character 2 on: `'a': 1}`."),
        ('{"a": 1}x', "The body is not JSON from character 9 on: `x`."),
        (
            '{"a": NaN}',
            "The body is not valid JSON: a number is invalid or out of range, or a text has a lone surrogate.",
        ),
        (
            '{"a": ' + "9" * 5_001 + "}",
            "The body is not valid JSON: a number is invalid or out of range, or a text has a lone surrogate.",
        ),
        ("[" * 100_000, "The body is nested too deeply to be read."),
        ("\ud800", "The body is not JSON: byte 1 is not UTF-8."),
    ],
)
def test_the_position_of_invalid_json_is_reported(raw: str, message: str) -> None:
    assert _refused(raw).message == message


def test_the_error_for_a_missing_body_lists_its_members() -> None:
    refused = _refused("", Needs)
    assert (refused.code, refused.message) == ("bad_body", "A JSON body is required: an object with `url`.")
    assert refused.extras == {"param": None}


def test_an_invalid_nested_member_has_its_own_error_code() -> None:
    refused = _refused('{"parts": [{"url": 3}]}')
    assert (refused.code, refused.extras) == ("bad_url", {"param": "parts[0].url"})


def test_an_invalid_body_is_not_quoted_if_it_may_contain_a_secret() -> None:
    raw = b'{"basicAuth": {"username": "u" "password": "hunter2"}}'
    with pytest.raises(ApiError) as refused:
        bodies.read(StartPreview, raw, {}, required=True)
    assert refused.value.message == "The body is not JSON from character 32 on."


def test_a_body_that_is_not_json_has_the_code_bad_json() -> None:
    for raw in ("{", "x", "{'a': 1}", '{"a": NaN}', '{"a": 1}x', "\ud800", '{"a": "\x00"}', "[" * 100_000):
        assert _refused(raw).code == "bad_json"


def test_a_body_may_be_missing_only_if_no_member_is_required() -> None:
    assert _read("").page_budget is UNSET
    assert _refused("", Needs).code == "bad_body"


def test_without_a_content_type_the_body_is_read_as_json() -> None:
    assert _read("{}", content_type="application/json; charset=utf-8") == Probe()
    for wrong in ("text/plain", "application/x-www-form-urlencoded"):
        with pytest.raises(ApiError) as refused:
            _read("{}", content_type=wrong)
        assert refused.value.code == "unsupported_media_type"
    assert _read("", content_type="text/plain") == Probe()


def test_a_body_of_one_megabyte_is_accepted() -> None:
    bodies.check_size(b"x" * bodies.LARGEST_BODY_BYTES)
    with pytest.raises(ApiError) as refused:
        bodies.check_size(b"x" * (bodies.LARGEST_BODY_BYTES + 1))
    assert (refused.value.code, refused.value.status) == ("too_large", 413)


def test_the_error_codes_of_body_members_are_documented() -> None:
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
def test_any_json_is_accepted_or_refused_without_an_exception(sent: object) -> None:
    status = 200
    try:
        bodies.read(Probe, json.dumps(sent).encode(), {}, required=True)
    except ApiError as refused:
        status = refused.status
    assert status in (200, 400)


def test_a_deeply_nested_body_is_refused() -> None:
    for depth in (300, 900, 5_000):
        raw = b'{"pageBudget": ' + b"[" * depth + b"]" * depth + b"}"
        with pytest.raises(ApiError) as caught:
            bodies.read(Probe, raw, {}, required=False)
        assert caught.value.status == 400


def test_the_error_shows_only_a_part_of_a_long_member_name() -> None:
    with pytest.raises(ApiError) as caught:
        bodies.read(Probe, b'{"' + b"k" * 100_000 + b'": 1}', {}, required=False)
    assert caught.value.code == "bad_body"
    assert len(caught.value.message) < 300
    assert len(str(caught.value.extras["param"])) <= 100
