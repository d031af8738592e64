"""One conversion from stored values to the shapes of answers."""

from typing import Annotated, NamedTuple

import pytest
from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shaped import shaped, shaped_or_none
from chalicelib.api.shapes.values import Timestamp
from chalicelib.http.answers import Shape


class Shown(Shape):
    name: str
    at: Timestamp
    ended_at: Annotated[Timestamp | None, Meta(description="Null until it ends.")]
    link: str
    note: str | UnsetType = UNSET


class Stored(NamedTuple):
    name: str
    at: float
    ended_at: float | None
    secret: str = "never shown"

    @property
    def link(self) -> str:
        return f"/{self.name}"


STORED = Stored("boots", 1_700_000_000.9, None)


def test_fields_are_copied_by_name_and_times_become_timestamps() -> None:
    assert shaped(Shown, STORED) == Shown("boots", "2023-11-14T22:13:20Z", None, "/boots")


class Seen(Shown, kw_only=True):
    seen_at: Annotated[Timestamp, Meta(description="When it was seen.")] | UnsetType = UNSET


def test_a_time_that_a_python_property_returns_becomes_a_timestamp() -> None:
    class StoredSeen(Stored):
        seen_at = 1_700_000_001.0

    found = shaped(Seen, StoredSeen("boots", 1_700_000_000.9, 1_700_000_002.0))
    assert (found.ended_at, found.seen_at) == ("2023-11-14T22:13:22Z", "2023-11-14T22:13:21Z")
    assert shaped(Seen, STORED).seen_at is UNSET


def test_a_given_value_replaces_the_stored_value() -> None:
    found = shaped(Shown, STORED, link="https://app.example.com/boots", note="New.")
    assert (found.link, found.note, found.name) == ("https://app.example.com/boots", "New.", "boots")


def test_a_response_can_be_built_from_another_response() -> None:
    shown = shaped(Shown, STORED)
    assert shaped(Shown, shown) == shown


def test_a_missing_member_is_an_error() -> None:
    with pytest.raises(TypeError, match="ended_at"):
        shaped(Shown, object(), name="boots", at="2023-11-14T22:13:20Z", link="/boots")


def test_a_missing_value_stays_none() -> None:
    assert shaped_or_none(Shown, None) is None
    assert shaped_or_none(Shown, STORED) == shaped(Shown, STORED)
