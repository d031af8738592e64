"""Killed at any write, search engines are told of every page that shows what was written: once, or, where nobody can
know whether they were, once more after the ten minutes that the protocol asks for."""

import contextlib
import itertools
from collections.abc import Iterator
from typing import Literal

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.changes.index_now import APART_SECONDS
from chalicelib.operations import index_now as telling
from chalicelib.workers import imports
from local import embedded
from local.serving import Answer, Request
from tests.crash.crashing import Killed, each_step, killed_at, points
from tests.plugins import aws_weather
from tests.workers.test_index_now import Telling, open_telling

WORKER = imports.handle  # what these tests kill, with the writer before it


@pytest.fixture
def told(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Telling]:
    with open_telling(monkeypatch) as found:
        yield found


def renew(told: Telling) -> None:
    """Everything as at the beginning, with IndexNow turned on."""
    embedded.clear()
    told.engines.told.clear()
    told.house.cms.writes.clear()
    for path in told.house.shop.paths:
        told.house.cms.edit(f"page:{path}", "title", None)
    told.house.cms.edit("", "indexNowKey", None)
    told.house.settle()
    clock.set_offset(clock.offset() + 2)  # the connector knows a change by the second in which it was turned on
    told.turn_on()


@each_step
def test_a_worker_killed_at_any_write_submits_all_pages(told: Telling, step: int) -> None:
    times: list[float] = []
    respond = told.engines.respond

    def noting(request: Request) -> Answer:
        times.append(clock.now())
        return respond(request)

    told.engines.respond = noting  # type: ignore[method-assign]

    def work() -> None:
        told.write(a="All about A", b="All about B")
        told.settle()
        told.write(c="All about C")
        told.settle()

    renew(told)
    with killed_at(None) as counter:
        work()
    assert [sorted(paths) for paths in told.told()] == [["/a", "/b"], ["/c"]]
    for number, when in points(counter.count, step):
        renew(told)
        times.clear()
        with contextlib.suppress(Killed), killed_at(number, when):
            work()
        told.house.write()
        told.settle()
        held = {path for path in told.house.shop.paths if told.house.held(path) is not None}
        seen = [sorted(paths) for paths in told.told()]
        assert {path for paths in seen for path in paths} == held, (number, when, counter.operations[number])
        repeated = len(seen) - len({tuple(paths) for paths in seen})
        assert repeated <= (when == "before" or aws_weather.bad()), (number, when, counter.operations[number])
        assert all(later - earlier >= APART_SECONDS for earlier, later in itertools.pairwise(times))
        assert told.state().pending == () and told.job() is None
        assert (told.state().sent_at is not None) == bool(held)


@pytest.mark.parametrize("when", ["before", "after"])
def test_if_turning_indexnow_on_or_off_is_killed_it_is_done_completely_or_not_at_all(
    told: Telling, when: Literal["before", "after"]
) -> None:
    told.turn_on()
    told.write(a="All about A")
    with contextlib.suppress(Killed), killed_at(0, when):
        telling.turn_off(OPERATOR, told.site_id)
    state = told.state()
    assert (state.on_since is None) == (told.job() is None) == (state.pending == ()) == (when == "after")
    telling.turn_off(OPERATOR, told.site_id)
    with contextlib.suppress(Killed), killed_at(0, when):
        told.turn_on()
    assert told.state().goes == (when == "after") or aws_weather.bad()
    assert told.turn_on().key == state.key
