"""Cursors are bound to their question, and any change of one is refused."""

import base64
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.http import cursors
from chalicelib.http.errors import ApiError
from chalicelib.settings.reading import forget_settings
from tests.lengths import examples

BINDING = ("site_1", "dimension=query", "from=2026-01-01", "version 7")
positions = st.lists(
    st.integers(-(2**62), 2**62) | st.text(max_size=30) | st.none() | st.floats(allow_nan=False), max_size=4
)


@pytest.fixture(autouse=True, scope="module")
def secret() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CURSOR_SECRET", "a secret of the tests")
        forget_settings()
        yield
    forget_settings()


def _is_refused(cursor: str, binding: tuple[str, ...] = BINDING) -> bool:
    try:
        cursors.read(cursor, binding)
    except ApiError as refused:
        return refused.code == "bad_cursor"
    return False


@given(positions)
def test_reading_a_cursor_returns_its_position(position: list[object]) -> None:
    cursor = cursors.make(position, BINDING)
    assert cursors.read(cursor, BINDING) == position
    assert set(cursor) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def test_a_cursor_can_end_with_any_character() -> None:
    made = [cursors.make([number], BINDING) for number in range(500)]
    assert len({cursor[-1] for cursor in made}) >= 16
    assert [cursors.read(cursor, BINDING) for cursor in made] == [[number] for number in range(500)]


@given(positions, st.data())
def test_a_cursor_with_a_changed_byte_is_refused(position: list[object], data: st.DataObject) -> None:
    cursor = cursors.make(position, BINDING)
    raw = bytearray(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    assert _is_refused(base64.urlsafe_b64encode(bytes(raw)).rstrip(b"=").decode())


@given(positions, st.data())
@settings(max_examples=examples(300))
def test_a_cursor_with_a_changed_character_is_refused(position: list[object], data: st.DataObject) -> None:
    cursor = cursors.make(position, BINDING)
    at = data.draw(st.integers(0, len(cursor) - 1))
    other = data.draw(st.characters(max_codepoint=0x2FF).filter(lambda character: character != cursor[at]))
    assert _is_refused(cursor[:at] + other + cursor[at + 1 :])


def test_adding_or_removing_a_character_of_a_cursor_is_refused() -> None:
    cursor = cursors.make([12, "boots"], BINDING)
    for at, kept in enumerate(cursor):
        for other in "Aa0-_=B":
            assert other == kept or _is_refused(cursor[:at] + other + cursor[at + 1 :])
        assert _is_refused(cursor[:at] + cursor[at + 1 :])
        assert _is_refused(cursor[:at] + "A" + cursor[at:])
    for spelled in (cursor + "=", cursor + "\n", " " + cursor, cursor + "A", cursor.lower(), ""):
        assert _is_refused(spelled)


@given(st.text(max_size=200))
def test_an_invalid_cursor_is_refused(anything: str) -> None:
    assert _is_refused(anything)


def test_a_cursor_of_another_query_is_refused() -> None:
    cursor = cursors.make([1], BINDING)
    for number in range(len(BINDING)):
        other = list(BINDING)
        other[number] += "x"
        assert _is_refused(cursor, tuple(other))
    assert _is_refused(cursor, BINDING[:-1])
    assert _is_refused(cursor, (*BINDING[:-2], BINDING[-2] + BINDING[-1]))


def test_a_cursor_signed_by_another_deployment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    cursor = cursors.make([1], BINDING)
    monkeypatch.setenv("CURSOR_SECRET", "another secret")
    forget_settings()
    assert _is_refused(cursor)
    monkeypatch.undo()
    forget_settings()
    assert not _is_refused(cursor)


def test_without_a_secret_no_cursor_can_be_created(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURSOR_SECRET", "")
    forget_settings()
    with pytest.raises(RuntimeError, match="CURSOR_SECRET"):
        cursors.make([1], BINDING)
    monkeypatch.undo()
    forget_settings()


def test_an_extremely_long_cursor_is_refused() -> None:
    assert _is_refused("A" * 1_000_000)


def test_a_cursor_has_the_same_form_as_one_issued_by_an_earlier_version() -> None:
    issued = "AZIMpWJvb3RzH-fK3H0BZQAlTDMKBDA8rA"
    assert cursors.make([12, "boots"], BINDING) == issued
    assert cursors.read(issued, BINDING) == [12, "boots"]


def test_a_correctly_signed_cursor_in_another_format_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cursors, "VERSION", b"\x02")
    cursor = cursors.make([1], BINDING)
    monkeypatch.undo()
    assert _is_refused(cursor)


def test_a_cursor_of_the_maximum_length_is_accepted() -> None:
    longest = cursors.make(["x" * (3_072 - 1 - 16 - 4)], BINDING)
    assert len(longest) == 4_096 and not _is_refused(longest)
    assert _is_refused(cursors.make(["x" * (3_072 - 1 - 16 - 3)], BINDING))


def test_the_error_for_a_cursor_names_the_parameter() -> None:
    with pytest.raises(ApiError) as refused:
        cursors.read("x", BINDING)
    assert refused.value.status == 400
    assert refused.value.body()["error"]["param"] == "cursor"
