"""Killed at any write, a request for drafts ends with each page drafted once and none asked about more than twice."""

import contextlib
from collections.abc import Iterator

import pytest

from chalicelib import clock
from chalicelib.store import drafts as stored
from local import embedded
from local.standins.assistants import Assistants
from tests.crash.crashing import Killed, each_step, killed_at, points
from tests.drafts import Drafted, drafted


@pytest.fixture(scope="module")
def standin() -> Iterator[Assistants]:
    found = Assistants()
    yield found
    found.stop()


@contextlib.contextmanager
def audited(standin: Assistants) -> Iterator[Drafted]:
    embedded.clear()
    with pytest.MonkeyPatch.context() as monkeypatch, drafted(monkeypatch, standin, 3) as house:
        yield house


def outcome(house: Drafted) -> tuple[list[tuple[str | None, str | None]], int, str | None]:
    """Everything that a reader can see of it, without times."""
    day = f"{clock.utc(house.job().queued_at):%Y-%m-%d}"
    shown = [(one.text, one.note) for one in house.shown()]
    return shown, stored.taken_of_day(house.website.workspace_id, day), house.job().error


@pytest.mark.usefixtures("store")
@each_step
def test_a_worker_killed_at_any_write_gives_the_same_result(standin: Assistants, step: int) -> None:
    with audited(standin) as house, killed_at(None) as counter:
        house.request()
        house.work()
        undisturbed, asked = outcome(house), len(standin.exchanges)
    assert len(undisturbed[0]) == undisturbed[1] == asked == 3 and undisturbed[2] is None
    assert all(text is not None for text, _ in undisturbed[0])
    for number, when in points(counter.count, step):
        with audited(standin) as house:
            with contextlib.suppress(Killed), killed_at(number, when):
                house.request()
                house.work()
            if number == 0 and when == "before":  # the request itself: nothing was written, and the person asks again
                assert stored.load(house.website.id) == {}
                house.request()
            house.until_done()
            named = (number, when, counter.operations[number])
            assert outcome(house) == undisturbed, named
            assert len(standin.exchanges) <= asked + 1, named


@pytest.mark.usefixtures("store")
def test_a_page_is_skipped_after_two_workers_were_killed_while_drafting_it(standin: Assistants) -> None:
    with audited(standin) as house:
        house.request()
        for _ in range(2):
            with contextlib.suppress(Killed), killed_at(2, "before"):  # claimed, noted, asked, and not stored
                house.work()
            house.until_free()
        assert len(standin.exchanges) == 2 and stored.load(house.website.id) == {}
        house.until_done()
        assert len(standin.exchanges) == 4 and len(house.shown()) == 2
