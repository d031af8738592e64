"""What must hold of everything that values are written through: the connector in a CMS, and a shop.

Each check takes a ``Subject``: a system that holds content, with a website behind it. It leaves the item's values as it
found them.
"""

import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import pytest

from chalicelib.connectors.errors import OutsideError, Unavailable
from chalicelib.connectors.target import Target
from chalicelib.domain.connector.messages import Change, Field, Outcome


class Subject(Protocol):
    """What can be written, and what its website shows. ``item`` and ``url``: a published item that has no values of its
    own; ``values``: one for each field that can be written."""

    item: str
    url: str
    values: Mapping[Field, str]

    def connect(self) -> Target:
        """A connection to it."""

    def edit(self, field: Field, value: str | None) -> None:
        """An editor writes the item's own value by himself."""

    def shown(self, field: Field) -> str | None:
        """What a visitor of ``url`` sees; None where the website makes the value by itself, or shows none."""

    def stored(self) -> Any:
        """Everything that a write could change, for comparison."""


class Named(Protocol):
    """Whatever names an item."""

    item: str
    url: str


_sequence = 0


def sequence() -> int:
    """A higher one each time."""
    global _sequence
    _sequence += 1
    return _sequence


def change(subject: "Named", field: Field, value: str | None, **more: Any) -> Change:
    given = {"change_id": secrets.token_hex(8), "sequence": sequence(), "cms_id": subject.item, "url": subject.url}
    return Change(**{**given, "field": field, "value": value, **more})


def undo(cms: Target, subject: "Named", field: Field, outcome: Outcome) -> Outcome:
    return cms.change(change(subject, field, None, restore=outcome.undo))


# -- items -------------------------------------------------------------------------------------------------


def check_items_come_in_pages_that_miss_and_repeat_none(subject: Subject) -> None:
    cms = subject.connect()
    whole = cms.items()
    assert whole.next is None and len(whole.items) > 5
    assert {item.cms_id: item.url for item in whole.items}[subject.item] == subject.url
    assert len({item.cms_id for item in whole.items}) == len({item.url for item in whole.items}) == len(whole.items)
    found, after = [], None
    while True:
        page = cms.items(after, 3)
        assert len(page.items) <= 3
        found += page.items
        after = page.next
        if after is None:
            break
    assert found == whole.items
    with pytest.raises(OutsideError):
        cms.items("no-such-cursor")
    with pytest.raises(OutsideError):
        cms.items(limit=201)


def check_items_tell_their_own_values(subject: Subject) -> None:
    cms = subject.connect()
    before = next(item for item in cms.items().items if item.cms_id == subject.item)
    assert before.published and before.fields.title is None and before.fields.noindex is None
    outcomes = {field: cms.change(change(subject, field, value)) for field, value in subject.values.items()}
    own = next(item for item in cms.items().items if item.cms_id == subject.item).fields
    for field, value in subject.values.items():
        assert getattr(own, field) == (True if field == "noindex" else value)
    for field, outcome in outcomes.items():
        undo(cms, subject, field, outcome)
    assert next(item for item in cms.items().items if item.cms_id == subject.item).fields == before.fields


# -- changes -----------------------------------------------------------------------------------------------


def check_each_field_is_written_seen_and_undone(subject: Subject) -> None:
    cms = subject.connect()
    stored = subject.stored()
    for field, value in subject.values.items():
        before = subject.shown(field)
        outcome = cms.change(change(subject, field, value))
        assert (outcome.state, outcome.before, outcome.after) == ("written", None, value), outcome
        assert subject.shown(field) == value != before
        back = undo(cms, subject, field, outcome)
        assert (back.state, back.before, back.after) == ("written", value, None)
        assert subject.shown(field) == before
    assert subject.stored() == stored


def check_none_takes_a_value_away_and_undo_brings_it_back(subject: Subject) -> None:
    cms = subject.connect()
    for field, value in subject.values.items():
        made, first = subject.shown(field), cms.change(change(subject, field, value))
        gone = cms.change(change(subject, field, None))
        assert (gone.state, gone.before, gone.after, subject.shown(field)) == ("written", value, None, made)
        back = undo(cms, subject, field, gone)
        assert (back.after, subject.shown(field)) == (value, value)
        # The value that the first change left stands again, so that it can be undone as well.
        assert undo(cms, subject, field, first).after is None


def check_a_known_change_is_answered_as_the_first_time(subject: Subject) -> None:
    cms = subject.connect()
    asked = change(subject, "title", "First")
    outcome = cms.change(asked)
    subject.edit("title", "An editor's")
    assert cms.change(asked) == outcome and subject.shown("title") == "An editor's"
    late = change(subject, "title", "Refused", cms_id="page:0", url=subject.url)
    refused = cms.change(late)
    assert refused.state == "refused" and refused.reason and cms.change(late) == refused
    assert undo(cms, subject, "title", outcome).state == "refused", "the editor's value is not undone"
    subject.edit("title", None)


def check_a_lower_sequence_is_superseded(subject: Subject) -> None:
    cms = subject.connect()
    early, now = sequence(), change(subject, "title", "Now")
    outcome = cms.change(now)
    assert cms.change(change(subject, "title", "Too late", sequence=early)).state == "superseded"
    assert subject.shown("title") == "Now"
    other = cms.change(change(subject, "meta_description", "Another field", sequence=early))
    assert other.state == "written"
    assert undo(cms, subject, "title", outcome).state == "written"
    assert undo(cms, subject, "meta_description", other).state == "written"


def check_what_cannot_be_written_is_refused_with_a_reason(subject: Subject) -> None:
    cms = subject.connect()
    stored = subject.stored()
    for asked in (
        change(subject, "title", "X", cms_id="no-such-item"),
        change(subject, "title", "X", cms_id="post:99999999"),
        change(subject, "title", "X", url=f"{subject.url}elsewhere/"),
        change(subject, "title", "   "),
        change(subject, "title", "Two\nlines"),
        change(subject, "title", "x" * 5_000),
        change(subject, "noindex", "yes"),
        change(subject, "canonical", "/relative/"),
        change(subject, "canonical", "javascript:alert(1)"),
        change(subject, "title", None, restore='{"store":"nobody","raw":["x"]}'),
    ):
        outcome = cms.change(asked)
        assert outcome.state == "refused" and outcome.reason and len(outcome.reason) <= 500, asked
    assert subject.stored() == stored


def check_one_change_sent_eight_times_at_once_happens_once(subject: Subject) -> None:
    cms = subject.connect()
    asked = change(subject, "title", "Once")

    def send(_: int) -> Outcome | None:
        try:
            return cms.change(asked)
        except Unavailable:
            return None  # another one is at work: to be sent again

    with ThreadPoolExecutor(8) as pool:
        answers = [answer for answer in pool.map(send, range(8)) if answer is not None]
    assert answers and set(map(repr, answers)) == {repr(cms.change(asked))}
    assert answers[0].before is None and answers[0].after == "Once" == subject.shown("title")
    undo(cms, subject, "title", answers[0])
    assert subject.shown("title") != "Once"


def check_many_changes_at_once_all_happen(subject: Subject) -> None:
    cms = subject.connect()
    asked = {field: change(subject, field, value) for field, value in subject.values.items()}
    with ThreadPoolExecutor(4) as pool:
        outcomes = dict(zip(asked, pool.map(cms.change, asked.values()), strict=True))
    assert {field: subject.shown(field) for field in asked} == subject.values
    for field, outcome in outcomes.items():
        assert outcome.state == "written" and undo(cms, subject, field, outcome).after is None


CHECKS: list[Callable[[Subject], None]] = [
    value for name, value in list(globals().items()) if name.startswith("check_")
]
# Of a connector only these: what ``conformance`` sees from outside is left to it.
OF_EDITORS = [
    check_each_field_is_written_seen_and_undone,
    check_a_known_change_is_answered_as_the_first_time,
    check_a_lower_sequence_is_superseded,
    check_many_changes_at_once_all_happen,
]
each = pytest.mark.parametrize("check", CHECKS, ids=[check.__name__.removeprefix("check_") for check in CHECKS])
