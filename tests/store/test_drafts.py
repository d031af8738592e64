"""Drafts and their reading are read as they were written, and a day is counted once."""

import pytest

from chalicelib import clock
from chalicelib.domain.draft_readings import ReadDraft, Reading
from chalicelib.domain.suggestion import Draft
from chalicelib.store import draft_readings, drafts, issues
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import commit
from tests import aws
from tests.crash.crashing import Killed, each_step, killed_at, points

pytestmark = pytest.mark.usefixtures("store")

DRAFT = Draft(
    text="A text.", rests_on=["It rests on – this."], by="openai m", at=1_700_000_000.5, digest="d", place="c#1"
)
NOTE = Draft(note="Why not.", by="openai m", at=1_700_000_001.0, digest="e", place="c#2")


def test_all_drafts_of_a_website_are_one_item() -> None:
    assert drafts.load("site_1") == {}
    commit([drafts.put("site_1", {"page_1": DRAFT, "page_2": NOTE}, DRAFT.at)])
    assert drafts.load("site_1") == {"page_1": DRAFT, "page_2": NOTE}
    assert len(aws.rows(issues.TABLE)) == 1 and drafts.load("site_2") == {}


def test_two_simultaneous_requests_for_drafts_conflict() -> None:
    for seen in (0, 3):
        assert drafts.taken_of_day("wsp_1", "2026-11-30") == seen
        commit([drafts.room_taken("wsp_1", "2026-11-30", seen, 3, clock.now())])
        with pytest.raises(Conflict) as caught:
            commit([drafts.room_taken("wsp_1", "2026-11-30", seen, 2, clock.now())])
        assert drafts.ROOM in caught.value.failed
    assert drafts.taken_of_day("wsp_1", "2026-11-30") == 6
    assert drafts.taken_of_day("wsp_1", "2026-12-01") == drafts.taken_of_day("wsp_2", "2026-11-30") == 0


def test_starting_a_review_of_drafts_deletes_the_previous_drafts() -> None:
    assert draft_readings.load() is None and draft_readings.load_drafts() == []
    reading = Reading(assistant="openai m v1", seed="7", at=clock.now())
    draft_readings.begin(reading)
    for number in (2, 10, 1):
        one = ReadDraft(number=number, url="https://acme.example/", text="A text.", rests_on=[], mark="good")
        draft_readings.put(reading.marked(number, ["good"]), one)
    assert [one.number for one in draft_readings.load_drafts()] == [1, 2, 10]
    assert draft_readings.load() == reading.marked(1, ["good"])
    draft_readings.begin(reading)
    assert draft_readings.load_drafts() == [] and draft_readings.load() == reading


@each_step
def test_a_review_killed_at_its_start_has_no_drafts_of_an_earlier_review(step: int) -> None:
    old = Reading(assistant="openai m v1", seed="7", at=clock.now())
    new = Reading(assistant="gemini m v1", seed="7", at=clock.now())
    for point, when in points(4, step):
        draft_readings.begin(old)
        for number in (1, 2, 3):
            one = ReadDraft(number=number, url="https://acme.example/", text="A text.", rests_on=[], mark="good")
            draft_readings.put(old.marked(number, ["good"] * number), one)
        with pytest.raises(Killed), killed_at(point, when):
            draft_readings.begin(new)
        numbers = [one.number for one in draft_readings.load_drafts()]
        if draft_readings.load() == new:
            assert numbers == []
        else:
            assert numbers == [1, 2, 3][: len(numbers)], "the old one can go on"


@pytest.mark.parametrize(
    ("drafts_of", "marks", "passes"),
    [
        (100, ["good"] * 100, True),
        (100, ["good"] * 97 + ["bad"] * 3, True),
        (100, ["good"] * 96 + ["bad"] * 4, False),
        (100, ["good"] * 99 + ["invented"], False),
        (100, ["good"] * 99, False),
        (99, ["good"] * 99, False),
        (0, [], False),
    ],
)
def test_a_review_of_100_drafts_passes_with_3_bad_but_no_invented_drafts(
    drafts_of: int, marks: list[str], passes: bool
) -> None:
    assert Reading(assistant="a", seed="1", at=0.0).marked(drafts_of, marks).passed is passes  # type: ignore[arg-type]
