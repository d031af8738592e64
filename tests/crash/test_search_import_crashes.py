"""Killed at any write, an import of search data ends as if nothing had happened; meanwhile readers see the old data or
the new, and never half of either."""

import contextlib
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any, Final

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.search import importing
from chalicelib.domain.search.manifest import DATASETS
from chalicelib.domain.search.periods import Period, ending
from chalicelib.operations import sources
from chalicelib.store import search
from chalicelib.workers import imports, search_import
from chalicelib.workers.jobs import LEASE_SECONDS
from local import embedded
from tests import aws, webhooks
from tests.crash.crashing import Killed, before_each_write, dies_at, each_step, killed_at, points
from tests.searched import Searched, searched, today
from tests.workers.test_search_import import naive

SHORT: Final = 32  # the days that are kept: enough for pairs, and for an archive
FIELDS: Final = ("query", "page")


@contextlib.contextmanager
def connected() -> Iterator[Searched]:
    """A website that was just connected, whose import takes some steps. Its last final day is in a month that began
    two days before, so that another is over."""
    embedded.clear()
    clock.set_offset(0.0)
    with pytest.MonkeyPatch.context() as patch:
        second = (today().replace(day=1) + timedelta(32)).replace(day=2)
        clock.set_offset((second + timedelta(3) - today()).days * 86_400.0)
        patch.setattr(importing, "wanted", lambda final: ending(final, SHORT))
        patch.setattr(search_import, "DAYS_AT_ONCE", 16)
        with searched(patch, SHORT + 5) as house:
            house.connect()
            yield house


def outcome(house: Searched) -> dict[str, Any]:
    """Everything that a reader can see of it, without names and times."""
    source, job, recent = house.source(), house.job(), house.website().search
    assert source is not None and job is not None
    manifests = house.manifests()
    found = {
        "rows": {name: house.rows(name, *ending(house.data.final, SHORT)) for name in (*FIELDS, "pairs")},
        "totals": search.totals(house.site_id, manifests["totals"], *ending(house.data.final, SHORT)),
        "known": {name: (manifest.period, sorted(manifest.months)) for name, manifest in manifests.items()},
        "recent": recent,
        "source": (source.imported_at is not None, source.progress, source.trouble),
        "job": (job.error, job.lease_until, job.payload.get("tries")),
        "events": len(webhooks.pending()),
    }
    assert found["rows"]["query"] == naive(house, "query", *ending(house.data.final, SHORT))
    return found


def unnamed(house: Searched) -> int:
    """Blocks that neither a manifest names nor one has retired."""
    retired = sum(one.chunks for manifest in house.manifests().values() for one in manifest.retired)
    return len(house.blocks()) - len(house.named()) - retired


def assert_whole(house: Searched) -> None:
    """Whatever is known now is what was told, of each of the days that are known."""
    manifests = search.manifests(house.site_id, DATASETS, consistent=True)
    for dataset in FIELDS:
        known = manifests[dataset].period if dataset in manifests else None
        if known is not None:
            assert house.rows(dataset, *known) == naive(house, dataset, *known)  # type: ignore[arg-type]
    if "totals" in manifests:
        known = manifests["totals"].period
        assert known is not None
        days = [day.day for day in search.totals(house.site_id, manifests["totals"], *known)]
        assert days == [day.isoformat() for day in known.days()]


@pytest.mark.usefixtures("store")
def test_readers_see_only_complete_days_during_an_import() -> None:
    with connected() as house:
        looks = [0]

        def look() -> None:
            looks[0] += 1
            assert_whole(house)

        with before_each_write(look):
            house.work()
        assert looks[0] > 10
        assert unnamed(house) == 0


@pytest.mark.usefixtures("store")
@each_step
def test_a_worker_killed_at_any_write_gives_the_same_result(step: int) -> None:
    with connected() as house, killed_at(None) as counter:
        house.work()
        undisturbed = outcome(house)
        asked = len(house.search.asked)
    assert undisturbed["source"] == (True, None, None)
    assert any(months for _, months in undisturbed["known"].values())
    assert counter.operations.count("TransactWriteItems") >= 6
    for number, when in points(counter.count, step):
        with connected() as house:
            with dies_at(number, when):
                house.work()
            assert_whole(house)
            clock.set_offset(clock.offset() + LEASE_SECONDS + 60)
            house.work()
            assert outcome(house) == undisturbed, (when, number, counter.operations[number])
            assert unnamed(house) == 0, (when, number, counter.operations[number])
            assert len(house.search.asked) <= asked * 2


@pytest.mark.usefixtures("store")
@each_step
def test_two_workers_on_the_same_days_count_them_once(step: int) -> None:
    """One worker pauses at a write for longer than its lease while a second worker does the whole import."""
    with connected() as house, killed_at(None) as counter:
        house.work()
        undisturbed = outcome(house)
    for number, when in points(counter.count, step * 3):
        with connected() as house:

            def other(house: Searched = house) -> None:
                clock.set_offset(clock.offset() + LEASE_SECONDS + 60)
                house.work()

            with killed_at(number, when, instead=other):
                for message in aws.messages("imports"):
                    imports.handle(message, None)
            clock.set_offset(clock.offset() + LEASE_SECONDS + 60)
            house.work()
            assert outcome(house) == undisturbed, (when, number)
            assert unnamed(house) == 0, (when, number)


@pytest.mark.usefixtures("store")
def test_a_day_imported_twice_counts_once() -> None:
    with connected() as house:
        house.work()
        before = outcome(house)
        with pytest.MonkeyPatch.context() as patch:
            last = house.data.final
            behind = Period(last - timedelta(1), last)
            patch.setattr(importing, "missing", _once(importing.missing, [*behind.days()]))
            sources.run(OPERATOR, house.site_id, "search")
            house.work()
        assert outcome(house) == before


def _once(missing: Any, days: list[date]) -> Any:
    """Days that are said to be missing although they are known, once."""
    left = [days]

    def told(known: Period | None, kept: Period) -> list[date]:
        found: list[date] = missing(known, kept)
        return found or (left.pop() if left and known is not None else [])

    return told


@pytest.mark.usefixtures("store")
def test_a_refused_access_is_reported_once_despite_kills() -> None:
    for number in range(20):
        with connected() as house:
            house.work()
            house.search.misbehave("access")
            clock.set_offset(clock.offset() + 86_400)
            with contextlib.suppress(Killed), killed_at(number) as counter:
                house.later(0.0)
            clock.set_offset(clock.offset() + LEASE_SECONDS + 60)
            house.later(0.0)
            source = house.source()
            assert source is not None and source.broken
            assert len([event for event in webhooks.pending() if event.kind == "connection.broken"]) == 1
        if counter.count <= number:
            break
    assert number >= 2
