"""``drafts``: 100 drafts are drawn by a seed, read, marked, and judged."""

import io
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import manage
from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.operations import draft_readings
from chalicelib.operations import drafts as operations
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import draft_readings as stored
from local.standins.assistants import Assistants
from tests.drafts import KINDS, Drafted, drafted
from tests.management.conftest import Run

Refuses = Callable[..., str]


@pytest.fixture(scope="module")
def standin() -> Iterator[Assistants]:
    made = Assistants()
    yield made
    made.stop()


@pytest.fixture
def house(run: Run, standin: Assistants, monkeypatch: pytest.MonkeyPatch) -> Iterator[Drafted]:
    """A service on which nothing was read yet, with pages for five drafts; a reading is of four."""
    monkeypatch.setattr(draft_readings, "READ_DRAFTS", 4)
    monkeypatch.setattr("chalicelib.domain.draft_readings.READ_DRAFTS", 4)
    monkeypatch.setattr("chalicelib.domain.draft_readings.MOST_BAD", 1)
    with drafted(monkeypatch, standin) as found:
        reading = stored.load()
        assert reading is not None
        stored.begin(type(reading)(assistant="somebody else v1", seed="0", at=0.0))
        yield found


@pytest.fixture
def read(run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """Runs ``drafts read`` with these lines typed, and gives what was shown."""

    def typed(lines: str) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        assert manage.main(["drafts", "read", "--json"]) == 0
        return capsys.readouterr().err

    return typed


def urls() -> list[str]:
    return [one.url for one in stored.load_drafts()]


def test_the_seed_selects_the_pages_of_the_review_and_users_do_not_see_its_drafts(run: Run, house: Drafted) -> None:
    first = run("drafts", "draw", "--seed", "7")
    assert (first["drafts"], first["good"], first["passed"]) == (4, 0, False)
    assert first["id"] == "openai gpt-5-mini v1" and first["seed"] == "7"
    drawn = urls()
    assert len(set(drawn)) == 4 and len(house.standin.exchanges) == 4
    assert run("drafts", "draw", "--seed", "7") == first and len(house.standin.exchanges) == 4
    assert house.shown() == []
    orders = {tuple(drawn)}
    for seed in "12345":
        run("drafts", "draw", "--seed", seed)
        orders.add(tuple(urls()))
    assert len(orders) > 1, "another seed draws others"
    run("drafts", "draw", "--seed", "7")
    assert urls() == drawn


def test_an_interrupted_draw_of_drafts_is_continued(
    run: Run, refused: Refuses, house: Drafted, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, asked = operations.draft_of, []

    def once(*arguments: Any) -> Any:
        asked.append(arguments)
        if len(asked) == 3:
            house.standin.misbehave("quota")
        return answer(*arguments)

    monkeypatch.setattr(draft_readings, "draft_of", once)
    assert "no more requests" in refused("drafts", "draw")
    assert len(urls()) == 2
    house.standin.misbehave("none")
    assert run("drafts", "draw")["drafts"] == 4
    assert len(set(urls())) == 4


@pytest.mark.parametrize("seed", ["1", "2"], ids=["same seed", "other seed"])
def test_a_draw_ends_if_another_draw_stores_drafts_meanwhile(
    run: Run, refused: Refuses, house: Drafted, monkeypatch: pytest.MonkeyPatch, seed: str
) -> None:
    answer, asked = operations.draft_of, []

    def beside(*arguments: Any) -> Any:
        asked.append(arguments)
        if len(asked) == 2:
            draft_readings.draw(OPERATOR, seed)
        return answer(*arguments)

    monkeypatch.setattr(draft_readings, "draft_of", beside)
    assert "Another `drafts draw` runs" in refused("drafts", "draw", "--seed", "1")
    reading = stored.load()
    assert reading is not None and (reading.seed, reading.drafts) == (seed, 4)
    drawn = urls()
    assert len(set(drawn)) == 4
    assert run("drafts", "draw", "--seed", seed)["drafts"] == 4 and urls() == drawn


def test_marks_of_good_and_bad_drafts_are_stored_one_by_one_and_counted(
    run: Run, house: Drafted, read: Callable[[str], str]
) -> None:
    run("drafts", "draw")
    shown = read("g\nperhaps\nB\nq\n")
    assert "1 of " in shown and "based on: It takes two days" in shown and shown.count("[g]ood") == 4
    half = run("drafts", "result")
    assert (half["good"], half["bad"], half["passed"]) == (1, 1, False)
    assert operations.why_off() is not None
    read("g\n")
    assert run("drafts", "result")["good"] == 2, "the end of the input stops it"
    read("g\n")
    assert run("drafts", "result")["passed"] is True and operations.why_off() is None
    assert read("") == ""


@pytest.mark.parametrize("marks", ["gggi", "ggbb"], ids=["an invented fact", "too many bad ones"])
def test_after_a_failed_review_drafts_remain_switched_off(
    marks: str, run: Run, house: Drafted, read: Callable[[str], str]
) -> None:
    run("drafts", "draw")
    read("\n".join(marks) + "\n")
    assert run("drafts", "result")["passed"] is False
    assert "have to be read first" in (operations.why_off() or "")
    run("drafts", "draw", "--seed", "another")
    assert run("drafts", "result")["good"] == 0, "a new drawing begins without marks"


def test_a_review_is_valid_only_for_its_assistant(
    run: Run, house: Drafted, read: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run("drafts", "draw")
    read("g\n" * 4)
    assert operations.why_off() is None
    with monkeypatch.context() as newer:
        newer.setattr("chalicelib.rules.drafting.VERSION", 2)
        assert operations.why_off() is not None, "other checks"
    assert operations.why_off() is None
    monkeypatch.setenv("ASSISTANT_MODEL", "another")
    forget_settings()
    assert operations.why_off() is not None


def test_too_few_pages_a_bad_seed_and_missing_rights_are_refused(
    refused: Refuses, house: Drafted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft_readings, "READ_DRAFTS", len(KINDS) + 3)
    assert "pages for 5 drafts" in refused("drafts", "draw")
    assert "printable" in refused("drafts", "draw", "--seed", "")
    owner = Actor(house.website.workspace_id, "usr_1", "owner")
    for ask in (lambda: draft_readings.draw(owner, "1"), lambda: draft_readings.unread(owner)):
        with pytest.raises(Refused) as caught:
            ask()
        assert caught.value.code == "not_allowed"
    first, *_ = draft_readings.unread(OPERATOR)
    draft_readings.mark(OPERATOR, first, "good")
    with pytest.raises(Refused, match="was replaced"):
        draft_readings.mark(OPERATOR, first, "bad")


def test_a_passed_review_is_kept_if_drafts_are_drawn_again(
    run: Run, house: Drafted, read: Callable[[str], str]
) -> None:
    run("drafts", "draw")
    read("g\n" * 4)
    clock.set_offset(clock.offset() + 100 * 86_400)  # the texts have expired
    assert stored.load_drafts() == [] and len(house.standin.exchanges) == 4
    assert run("drafts", "draw")["passed"] is True and len(house.standin.exchanges) == 4
    assert operations.why_off() is None


def test_no_more_drafts_are_drawn_after_too_many_unusable_ones(
    refused: Refuses, house: Drafted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft_readings, "MOST_ASKED", 3)
    monkeypatch.setattr("chalicelib.suggestions.drafts.fault_of", lambda *_: "it is bad")
    assert "asked 3 times" in refused("drafts", "draw")
    assert len(house.standin.exchanges) == 3 and stored.load_drafts() == []


def test_a_review_is_refused_if_no_drafts_were_drawn(refused: Refuses, run: Run) -> None:
    for command in ("read", "result"):
        assert "There are no drafts to read yet" in refused("drafts", command)
