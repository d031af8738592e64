"""Killed at any write, a sampling ends with every question answered or asked twice, and none counted twice."""

import contextlib
from collections.abc import Iterator

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain.visibility.samples import Week
from chalicelib.store import visibility
from chalicelib.workers import sampling
from local import embedded
from local.standins.assistants import Assistants
from tests.crash.crashing import Killed, each_step, killed_at, points
from tests.visibility import Sampled, sampled

PROVIDERS = ("openai", "anthropic")
WEEK = "2026-W49"


@pytest.fixture(scope="module")
def standin() -> Iterator[Assistants]:
    found = Assistants()
    yield found
    found.stop()


@contextlib.contextmanager
def due(standin: Assistants, fault: str) -> Iterator[Sampled]:
    """A website with three prompts on a Monday, 03:00 UTC; one question at a time, so that writes have an order."""
    embedded.clear()
    with pytest.MonkeyPatch.context() as monkeypatch, sampled(monkeypatch, standin, PROVIDERS) as house:
        monkeypatch.setattr(sampling, "AT_ONCE", 1)
        house.add("Which boots?", "Which tents?", "Which maps?")
        standin.misbehave(fault)
        clock.set_offset(clock.offset() + house.job().due_at - clock.now() + 1)
        yield house


def outcome(house: Sampled) -> tuple[Week | None, int, str | None]:
    """Everything that a reader can see of it: times and what was asked when are left out."""
    week = house.week(WEEK)
    shown = None if week is None else _without_times(week)
    return shown, visibility.answers_of_week(house.workspace_id, WEEK), house.job().error


def _without_times(week: Week) -> Week:
    """Prompts go by their texts: those that were added in one millisecond stand in the order of their random ids."""
    texts = {prompt.id: prompt.text for prompt in week.prompts}
    answers = sorted(
        (msgspec.structs.replace(one, at=0.0, prompt_id=texts[one.prompt_id]) for one in week.answers),
        key=lambda one: (one.prompt_id, one.provider),
    )
    prompts = sorted((msgspec.structs.replace(one, id="") for one in week.prompts), key=lambda one: one.text)
    return msgspec.structs.replace(week, answers=tuple(answers), prompts=tuple(prompts))


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("fault", ["none", "down", "quota"])
@each_step
def test_a_worker_killed_at_any_write_gives_the_same_result(standin: Assistants, fault: str, step: int) -> None:
    with due(standin, fault) as house, killed_at(None) as counter:
        house.work()
        house.until_done()
        undisturbed, asked = outcome(house), house.asked()
    assert undisturbed[0] is not None and undisturbed[0].asked >= 2 and undisturbed[1] == 6
    for number, when in points(counter.count, step):
        with due(standin, fault) as house:
            with contextlib.suppress(Killed), killed_at(number, when):
                house.work()
                house.until_done()
            house.until_done()
            found = outcome(house)
            named = (number, when, counter.operations[number])
            assert found[1] == undisturbed[1], named  # room is taken once
            assert found[0] is not None and found[0].asked + found[0].left_out == 6, named
            if fault != "quota":  # how many are asked before a provider is left alone differs by one
                assert found == undisturbed, named
            assert max(house.asked().values()) <= 2, named
            more = sum(house.asked().values()) - sum(asked.values())
            # The question that was under way; or, of each provider, the one that told that it takes no more.
            assert more <= (len(PROVIDERS) if fault == "quota" else 1), named
