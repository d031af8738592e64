"""Killed at any write, an approved redirect and its undo end as if nothing had happened: the CMS or shop writes each
once, and the address leads where it should, or is gone again."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.connections import WRITER_KINDS
from chalicelib.operations import changes
from chalicelib.rules.missing_addresses import LINKED_BY, LISTED_BY
from chalicelib.store import pages
from chalicelib.workers import writes
from tests.changes import House, open_house
from tests.crash.crashing import Killed, each_step, killed_at, points

PATHS = ("/shop/tents", "/shop/boots")
WANTED = {"/old/tents": "/shop/tents", "/old/boots?x=1": "/shop/boots"}
WORKER = writes.handle  # what these tests kill, with the rechecks behind it


@pytest.fixture(params=WRITER_KINDS)
def house(store: None, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[House]:
    with open_house(monkeypatch, PATHS, kind=request.param, broken=dict.fromkeys(WANTED, "More")) as found:
        yield found


def renew(house: House) -> None:
    """Everything as at the beginning."""
    house.cms.misbehave("none")
    for path in WANTED:
        house.cms.edit("", f"redirect {path}", None)
    house.cms.writes.clear()
    house.begin_again()


def kept_missing(house: House) -> list[tuple[str, str | None]] | None:
    """The stored addresses that no longer exist, each with its proposal."""
    summary = house.current().summary
    assert summary is not None
    found = pages.load_missing(house.site_id, summary.generation.crawl_id)
    return None if found is None else [(one.missing.url, one.target) for one in found]


def outcome(house: House) -> dict[str, Any]:
    """Everything that somebody can see of it, without times and ids that are made at random."""
    issues = [house.issue(ids.issue_id(house.site_id, rule_id)) for rule_id in (LISTED_BY, LINKED_BY)]
    return {
        "issues": [(issue.status, issue.affected_pages, issue.pending_recheck) for issue in issues],
        "batches": [
            (batch.kind, batch.field, batch.status, [(one.key, one.value, one.status, one.error) for one in found])
            for batch, found in house.batches()
        ],
        "place": house.place(),
        "cms": sorted(house.cms.writes, key=str),
        "redirects": house.shop.redirects,
        "missing": kept_missing(house),
        "events": sorted(event.kind for event in house.events() if event.kind != "score.changed"),
    }


def work(house: House) -> None:
    house.write()
    house.work()


def killed_everywhere(
    house: House, step: int, prepare: Callable[[], None], act: Callable[[], object]
) -> dict[str, Any]:
    renew(house)
    prepare()
    with killed_at(None) as counter:
        act()
        work(house)
    undisturbed = outcome(house)
    for number, when in points(counter.count, step):
        renew(house)
        prepare()
        batches = len(house.batches())
        with contextlib.suppress(Killed), killed_at(number, when):
            act()
            work(house)
        if len(house.batches()) == batches:
            act()
        work(house)
        assert outcome(house) == undisturbed, (number, when, counter.operations[number])
    return undisturbed


@each_step
def test_each_redirect_is_written_once_despite_kills(house: House, step: int) -> None:
    ended = killed_everywhere(house, step, lambda: None, lambda: house.redirect(WANTED))
    assert ended["redirects"] == {path: house.url(target) for path, target in WANTED.items()}
    assert ended["issues"] == [("resolved", 0, None)] * 2 and len(ended["cms"]) == 2 and ended["missing"] == []
    assert ended["events"] == ["audit.finished", "issue.resolved", "issue.resolved", "write.applied"]


@each_step
def test_redirects_are_undone_once_despite_kills(house: House, step: int) -> None:
    def prepare() -> None:
        house.redirect(WANTED)
        work(house)

    def undo() -> None:
        (batch, _), *_ = house.batches()
        changes.undo(OPERATOR, house.site_id, batch.id)

    ended = killed_everywhere(house, step, prepare, undo)
    assert ended["redirects"] == {} and len(ended["cms"]) == 4 and len(ended["missing"]) == 2
    assert {status for *_, found in ended["batches"][:1] for _, _, status, _ in found} == {"reverted"}
