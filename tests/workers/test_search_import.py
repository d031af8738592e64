"""The import of search data, against the stand-in: what is brought, in which order, and what happens when it is not."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta

import pytest

from chalicelib import clock, metrics
from chalicelib.domain.connections import BROKEN_CHECK_SECONDS
from chalicelib.domain.jobs import STALLED_TAKEOVERS
from chalicelib.domain.search import importing
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.manifest import Dataset
from chalicelib.domain.search.periods import Period, ending
from chalicelib.domain.search.rows import Row, Stored, ranked
from chalicelib.store import search
from chalicelib.workers import imports, search_import
from chalicelib.workers.jobs import LEASE_SECONDS
from local.standins.search_console import MOST_ROWS
from local.standins.search_data import PairRow, by, totals_of
from tests import aws, webhooks
from tests.searched import Searched, days_until, searched, today

SHORT = 34  # days that are kept in these tests, so that each brings few
FIELDS = {"query": ["query"], "page": ["page"]}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "wanted", lambda final: ending(final, SHORT))
    monkeypatch.setattr(search_import, "DAYS_AT_ONCE", 12)


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Searched]:
    with searched(monkeypatch, SHORT + 10) as found:
        yield found


def naive(house: Searched, dataset: Dataset, first: date, last: date) -> list[Row]:
    """What was told, added up in the plainest way."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for day in Period(first, last).days():
        if day > house.data.final:
            continue
        for row in by(house.data.pairs(day), FIELDS[dataset]):
            found = sums[row.keys[0]]
            found[0] += row.clicks
            found[1] += row.impressions
            found[2] += round(row.position * row.impressions)
    rows = [Row(key, *found) for key, found in sums.items() if found[1]]
    return sorted(rows, key=lambda row: (-row.clicks, row.key))


def whole(house: Searched) -> Period:
    return ending(house.data.final, SHORT)


def assert_all_is_there(house: Searched) -> None:
    kept = whole(house)
    for first, last in (kept, ending(kept.last, 28), Period(kept.first, kept.first + timedelta(9))):
        for dataset in FIELDS:
            assert house.rows(dataset, first, last) == naive(house, dataset, first, last)  # type: ignore[arg-type]
    found = house.manifests()
    assert {name: manifest.period for name, manifest in found.items()} == {
        "query": kept,
        "page": kept,
        "totals": kept,
        "pairs": ending(kept.last, 28),
    }
    totals = search.totals(house.site_id, found["totals"], *kept)
    assert [day.day for day in totals] == [day.isoformat() for day in kept.days()]
    for day in totals:
        told = totals_of(house.data.pairs(date.fromisoformat(day.day)))
        assert day.web.total == (Figures() if told is None else Figures.told(*told))
        assert sum(part.impressions for part in day.web.countries.values()) == day.web.total.impressions
        assert sum(part.clicks for part in day.web.devices.values()) == day.web.total.clicks
        assert day.image is not None and day.image.total == Figures()
    assert set(house.blocks()) >= house.named()


def test_all_rows_are_imported_unchanged_and_newest_first(house: Searched) -> None:
    house.connect()
    house.work()
    assert_all_is_there(house)
    asked = [body["startDate"] for body in house.search.asked if body["dimensions"] == ["query"]]
    waves = [asked[at : at + 12] for at in range(0, len(asked), 12)]
    assert [max(wave) for wave in waves] == sorted((max(wave) for wave in waves), reverse=True)
    assert sorted(asked, reverse=True) == [day.isoformat() for day in days_until(house.data.final, SHORT)]
    source, recent = house.source(), house.website().search
    assert source is not None and source.imported_at is not None and (source.progress, source.trouble) == (None, None)
    assert source.imported_rows == sum(
        len(by(house.data.pairs(day), names)) for day in whole(house).days() for names in FIELDS.values()
    )
    assert recent is not None and recent.final_day == house.data.final
    told = [totals_of(house.data.pairs(day)) for day in ending(house.data.final, 28).days()]
    assert recent.within(ending(house.data.final, 28)) == (
        sum(one[0] for one in told if one),
        sum(one[1] for one in told if one),
    )


def test_finished_months_are_archived_and_the_current_one_is_stored_by_day(house: Searched) -> None:
    house.connect()
    house.work()
    found, kept = house.manifests()["query"], whole(house)
    month = kept.last.replace(day=1)
    assert set(found.days) == {day.isoformat() for day in Period(month, kept.last).days()}
    assert sorted(found.months) == sorted({day.isoformat()[:7] for day in kept.days()} - {month.isoformat()[:7]})


def test_the_import_of_the_next_day_requests_only_that_day(house: Searched) -> None:
    house.connect()
    house.work()
    house.search.asked.clear()
    house.goes_by(1)
    assert_all_is_there(house)
    asked = [(body["startDate"], tuple(body["dimensions"])) for body in house.search.asked if len(body["dimensions"])]
    rows = [one for one in asked if "date" not in one[1]]
    new = house.data.final.isoformat()
    assert sorted(rows) == [(new, ("page",)), (new, ("query",)), (new, ("query", "page"))]
    source = house.source()
    assert source is not None and source.imported_rows == sum(
        len(by(house.data.pairs(house.data.final), names)) for names in FIELDS.values()
    )


def test_an_import_after_a_pause_fills_the_missing_days(house: Searched) -> None:
    house.connect()
    house.work()
    silent = house.data.final + timedelta(5)
    house.goes_by(20, but=silent)
    assert_all_is_there(house)
    assert house.rows("query", silent, silent) == []


def test_rows_older_than_the_storage_period_are_removed(house: Searched) -> None:
    house.connect()
    house.work()
    old = house.rows("query", *whole(house))
    house.goes_by(30)
    assert_all_is_there(house)
    first = whole(house).first
    assert not [day for day in house.manifests()["query"].days if day < first.isoformat()]
    assert min(house.manifests()["query"].months) >= first.isoformat()[:7]
    assert old != house.rows("query", *whole(house))


def test_an_import_without_new_data_changes_nothing(house: Searched) -> None:
    house.connect()
    house.work()
    before, asked = house.manifests(), len(house.search.asked)
    house.later()
    assert house.manifests() == before
    assert len(house.search.asked) - asked <= 2, "only the last final day is asked for"


def test_days_of_a_website_that_never_appears_in_search_are_zero(house: Searched) -> None:
    house.data.days.clear()
    house.data.final = today()
    house.connect()
    house.work()
    found = house.manifests()
    assert found["query"].final_day == today() - timedelta(10), "what is younger may not be final"
    totals = search.totals(house.site_id, found["totals"], *ending(today() - timedelta(10), SHORT))
    assert len(totals) == SHORT and all(day.web.total == Figures() for day in totals)
    assert house.blocks() == [row for row in house.blocks() if "#totals" in row[0]]


def test_the_best_query_and_page_pairs_of_28_days_are_stored(house: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    from chalicelib.domain.search import pairs

    monkeypatch.setattr(pairs, "MOST", 4)
    house.connect()
    house.work()
    found = search.pairs(house.site_id, house.manifests()["pairs"])
    assert found is not None and (found.first, found.last) == ending(house.data.final, 28)
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for day in ending(house.data.final, 28).days():
        for row in house.data.pairs(day):
            one = sums[pairs.key(row.query, row.page)]
            for place, more in enumerate((row.clicks, row.impressions, round(row.position * row.impressions))):
                one[place] += more
    best = sorted(sums, key=lambda key: (-sums[key][0], -sums[key][1], key))[:4]
    ranked_pairs = ranked(Stored(found.keys, found.rows), found.first, found.last)
    assert {row.key: [*row[1:]] for row in ranked_pairs} == {key: sums[key] for key in best}


def test_a_day_of_fifty_thousand_rows_can_be_imported(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "wanted", lambda final: ending(final, 1))
    monkeypatch.setattr(importing, "window", lambda final: ending(final, 1))
    last = today() - timedelta(3)
    pages = ["https://shop.example/" + ("ü" * 980 if number == 0 else str(number)) for number in range(50)]
    many = [
        PairRow(f"登山 {number}", pages[0 if number < 5 else 1 + number % 49], 1 + number % 3, 5, 2.5)
        for number in range(2 * MOST_ROWS)
    ]
    with searched(monkeypatch, {last: many}) as house:
        house.connect()
        house.work()
        found = house.rows("query", last, last)
        assert len(found) == 50_000 and found == naive(house, "query", last, last)
        assert house.rows("page", last, last) == naive(house, "page", last, last)
        assert house.manifests()["query"].days[last.isoformat()].chunks >= 1
        source = house.source()
        assert source is not None and source.imported_rows == 50_050


def test_progress_is_shown_during_an_import(house: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_import, "SHOWN_SECONDS", 0.0)
    monkeypatch.setattr(search_import, "SLICE_SECONDS", 0.0)  # each worker does one step
    house.connect()
    told = []
    for _ in range(200):
        source = house.source()
        assert source is not None
        if source.imported_at is not None:
            break
        if source.progress is not None:
            told.append((source.progress.days, source.progress.of))
        waiting = aws.messages("imports")
        aws.purge("imports")
        for message in waiting:
            imports.handle(message, None)
    assert told == sorted(told) and told[-1] == (SHORT, SHORT) and len(set(told)) == 4
    assert_all_is_there(house)


# -- what goes wrong --------------------------------------------------------------------------------------


def test_refused_access_sends_one_event_and_is_retried_every_hour(house: Searched) -> None:
    house.connect()
    house.work()
    for _ in range(2):  # two incidents
        house.search.misbehave("access")
        house.later()
        for _ in range(3):
            source, job = house.source(), house.job()
            assert source is not None and source.broken and "permission" in (source.trouble or "")
            assert job is not None and 0 < job.due_at - clock.now() <= BROKEN_CHECK_SECONDS
            house.later()
        house.search.misbehave("none")
        house.later()
        source = house.source()
        assert source is not None and not source.broken and source.trouble is None
    told = [event for event in webhooks.pending() if event.kind == "connection.broken"]
    assert len(told) == len({event.id for event in told}) == 2


def test_a_refused_token_breaks_the_connection_too(house: Searched) -> None:
    house.connect()
    house.search.accounts.refuses = True
    house.search.accounts.forget_tokens()
    house.work()
    source = house.source()
    assert source is not None and source.broken and "invalid_grant" in (source.error or "")


def test_a_replaced_key_is_used_after_connecting_again(house: Searched) -> None:
    house.connect()
    house.search.accounts.refuses = True
    house.search.accounts.forget_tokens()
    house.work()
    house.search.accounts.refuses = False
    house.connect()
    house.work()
    assert_all_is_there(house)


def test_an_exhausted_quota_makes_the_import_wait_with_a_message(house: Searched) -> None:
    house.connect()
    house.search.misbehave("quota")
    house.work()
    for wait in (900, 3_600, 3_600):
        source, job = house.source(), house.job()
        assert source is not None and not source.broken
        assert "quota is used up. The import continues at" in (source.trouble or "")
        assert job is not None and wait - 60 < job.due_at - clock.now() <= wait
        house.later()
    house.search.misbehave("none")
    house.later()
    assert_all_is_there(house)
    source = house.source()
    assert source is not None and source.trouble is None
    assert not webhooks.pending()


@pytest.mark.parametrize("fault", ["down", "partial"])
def test_an_import_without_answers_is_tried_five_times_before_the_next_day(house: Searched, fault: str) -> None:
    house.connect()
    house.search.misbehave(fault)
    house.work()
    for wait in (60, 300, 1_200, 3_600):
        job = house.job()
        assert job is not None and wait - 60 < job.due_at - clock.now() <= wait
        house.later()
    job, source = house.job(), house.source()
    assert job is not None and job.due_at == search_import.next_time(house.site_id, clock.now())
    assert source is not None and "continues at" in (source.trouble or "") and not source.broken
    house.search.misbehave("none")
    house.later()
    assert_all_is_there(house)


def test_rows_imported_before_a_failure_are_kept_and_not_requested_again(
    house: Searched, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.connect()
    answer = house.search.answer
    left = [60]

    def breaks_down(*asked: object) -> object:
        left[0] -= 1
        if left[0] == 0:
            house.search.misbehave("down")
        return answer(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(house.search, "answer", breaks_down)
    house.work()
    known = house.manifests()["query"].period
    assert known is not None and known.last == house.data.final and 0 < known.length < SHORT
    assert house.rows("query", *known) == naive(house, "query", *known)
    monkeypatch.undo()
    monkeypatch.setattr(importing, "wanted", lambda final: ending(final, SHORT))
    house.search.asked.clear()
    house.search.misbehave("none")
    house.later()
    assert_all_is_there(house)
    again = {body["startDate"] for body in house.search.asked if body["dimensions"] == ["query"]}
    assert not again & {day.isoformat() for day in known.days()}


@pytest.mark.parametrize(
    ("figures", "said"),
    [((-1, 5, 1.0), "in an unexpected form"), ((1, 10**14, 1_000.0), "impossible figures")],
    ids=["below zero", "too large together"],
)
def test_impossible_figures_are_not_imported(house: Searched, figures: tuple[int, int, float], said: str) -> None:
    house.data.days[house.data.final] = [PairRow("a", "https://shop.example/", *figures)]
    house.connect()
    house.work()
    source = house.source()
    assert source is not None and said in (source.trouble or "")
    assert not {"query", "page"} & set(house.manifests())


def test_a_failing_key_store_does_not_break_the_connection(house: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    from chalicelib.store import secrets

    house.connect()

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the key store does not answer")

    with monkeypatch.context() as patch:
        patch.setattr(secrets, "unseal", broken)
        house.work()
    source, job = house.source(), house.job()
    assert source is not None and source.trouble is None and job is not None and job.due_at > clock.now()
    house.later()
    assert_all_is_there(house)


def test_an_import_whose_workers_are_repeatedly_killed_waits_a_day(
    house: Searched, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.connect()

    class Stopped(BaseException):
        """The process is gone."""

    def stop(*_: object) -> None:
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(search_import.SearchImport, "run", stop)
        for _ in range(STALLED_TAKEOVERS):
            with pytest.raises(Stopped):
                imports.handle({"siteId": house.site_id, "jobId": "search_import"}, None)
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
        imports.handle({"siteId": house.site_id, "jobId": "search_import"}, None)
    source, job = house.source(), house.job()
    assert source is not None and source.trouble == search_import.STALLED
    assert job is not None and job.due_at == search_import.next_time(house.site_id, clock.now())
    house.later()
    assert_all_is_there(house)


def test_changes_of_the_website_during_an_import_are_kept(house: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other writers change the connections of the website at the same time."""
    from chalicelib.store import connections
    from chalicelib.store.transactions import commit
    from tests.domain.test_connections import WORKING

    house.connect()
    make_seen = search_import.SearchImport._make_seen
    changes = [0]

    def meanwhile(self: search_import.SearchImport, *given: object) -> None:
        if changes[0] < 3:
            changes[0] += 1
            website = house.website()
            writer = WORKING if changes[0] % 2 else None
            commit([connections.shown(website, website.connections.with_writer("cms", writer))])
        make_seen(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(search_import.SearchImport, "_make_seen", meanwhile)
    house.work()
    assert changes[0] == 3 and house.website().connections.cms == WORKING
    assert_all_is_there(house)


def test_the_next_import_is_due_within_an_hour_after_six() -> None:
    at = clock.utc(search_import.next_time("site_1", 1_795_300_000.0))
    assert at.hour == 6 or (at.hour, at.minute, at.second) == (7, 0, 0)
    moments = {search_import.next_time(f"site_{number}", 1_795_300_000.0) for number in range(50)}
    assert len(moments) > 40 and max(moments) - min(moments) <= search_import.SPREAD_SECONDS
    for after in (0.0, 3 * 3_600.0, 6.5 * 3_600.0, 23 * 3_600.0):
        found = search_import.next_time("site_1", after)
        assert after < found <= after + 86_400


def test_replaced_blocks_are_deleted_after_a_day(house: Searched) -> None:
    house.connect()
    house.work()
    replaced = set(house.blocks()) - house.named()
    assert replaced
    for _ in range(2):
        house.goes_by(1)
        assert replaced <= set(house.blocks()) or clock.now() > 0
    house.goes_by(1)
    assert not replaced & set(house.blocks())


@pytest.mark.parametrize(
    ("fault", "outcome"), [("none", "done"), ("access", "refused"), ("quota", "limited"), ("down", "failed")]
)
def test_the_outcome_of_an_import_is_recorded_as_a_metric(
    house: Searched, monkeypatch: pytest.MonkeyPatch, fault: str, outcome: str
) -> None:
    told = []
    monkeypatch.setattr(metrics, "put", lambda line, *by, **values: told.append((line, by, values)))
    house.connect()
    house.search.misbehave(fault)
    house.work()
    found = [(by, values) for line, by, values in told if line is metrics.IMPORTS]
    source = house.source()
    assert source is not None
    rows = {"RowsImported": source.imported_rows} if outcome == "done" else {}
    assert found == [((outcome,), {"Imports": 1, **rows})]
