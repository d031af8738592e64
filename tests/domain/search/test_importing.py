"""Which days, months and pairs an import brings next: whatever it was stopped at, what is known has no gap."""

from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.search import importing
from chalicelib.domain.search.manifest import Manifest, Stored, months_of
from chalicelib.domain.search.periods import Period
from tests.lengths import examples

FINAL = date(2026, 11, 19)
KEPT = importing.wanted(FINAL)
few = settings(max_examples=examples(50))
days = st.integers(0, 700).map(lambda number: date(2025, 3, 1) + timedelta(number))
periods = st.tuples(days, days).map(sorted).map(lambda pair: Period(*pair))


def test_search_data_of_sixteen_months_is_kept() -> None:
    assert (KEPT.first, KEPT.last) == (date(2025, 7, 19), FINAL)
    assert importing.wanted(date(2026, 6, 30)).first == date(2025, 2, 28)


def test_a_first_import_starts_with_the_newest_day() -> None:
    missing = importing.missing(None, KEPT)
    assert missing == [FINAL - timedelta(number) for number in range(KEPT.length)]


def test_a_later_import_reads_new_days_before_older_ones() -> None:
    known = Period(date(2026, 10, 1), date(2026, 11, 16))
    missing = importing.missing(known, KEPT)
    assert missing[:4] == [date(2026, 11, 17), date(2026, 11, 18), FINAL, date(2026, 9, 30)]
    assert importing.together(missing, known, 4) == missing[:3]
    assert importing.together(missing[3:], known, 4) == missing[3:7]
    assert importing.missing(KEPT, KEPT) == []


@few
@given(st.none() | periods, days, st.integers(1, 40))
def test_each_day_is_imported_once_and_the_imported_days_leave_no_gap(
    known: Period | None, final: date, at_once: int
) -> None:
    kept = importing.wanted(final)
    brought: set[date] = set()
    before = importing.overlap(known, kept)
    while missing := importing.missing(known, kept):
        wave = importing.together(missing, known, at_once)
        assert wave and not brought & set(wave)
        assert before is None or not any(day in before for day in wave)
        brought |= set(wave)
        known = importing.spanning(known, kept, wave)
        inside = set(known.days())
        assert inside == brought | (set(before.days()) if before else set())
    assert importing.overlap(known, kept) == kept
    assert importing.progress(known, kept) == (kept.length, kept.length)


@few
@given(st.none() | periods, days)
def test_totals_are_requested_for_each_month_that_has_a_missing_day(known: Period | None, final: date) -> None:
    kept = importing.wanted(final)
    months = importing.totals_months(known, kept)
    assert len(months) == len(set(months))
    assert {day.isoformat()[:7] for day in importing.missing(known, kept)} == set(months)
    for number in range(1, len(months) + 1):  # whatever is brought first leaves no gap
        got = [day for month in months[:number] for day in importing.month_days(month).days() if day in kept]
        span = importing.spanning(known, kept, got)
        inside = importing.overlap(known, kept)
        assert set(span.days()) == set(got) | (set(inside.days()) if inside else set())


def manifest(first: date, last: date, archived: tuple[str, ...] = ()) -> Manifest:
    stored = {
        day.isoformat(): Stored("t", 1) for day in Period(first, last).days() if day.isoformat()[:7] not in archived
    }
    months = dict.fromkeys(archived, 1)
    return Manifest(dataset="query", version="v", first_day=first, final_day=last, days=stored, months=months)


def test_a_month_is_finished_when_all_of_its_days_are_imported() -> None:
    assert importing.finished_months(manifest(date(2026, 10, 2), FINAL), KEPT) == []
    assert importing.finished_months(manifest(date(2026, 10, 1), FINAL), KEPT) == ["2026-10"]
    assert importing.finished_months(manifest(date(2026, 10, 1), date(2026, 10, 30)), KEPT) == []
    assert importing.finished_months(manifest(date(2026, 10, 1), date(2026, 10, 31)), KEPT) == ["2026-10"]
    assert importing.finished_months(Manifest(dataset="query", version=""), KEPT) == []


def test_the_oldest_month_is_finished_once_its_days_within_the_storage_period_are() -> None:
    whole = manifest(KEPT.first, FINAL)
    assert importing.finished_months(whole, KEPT) == months_of(KEPT.first, date(2026, 10, 31))
    assert importing.to_archive(whole, KEPT) == months_of(KEPT.first, date(2026, 10, 31))


def test_months_are_archived_while_older_days_are_still_missing() -> None:
    assert importing.to_archive(manifest(date(2026, 8, 1), FINAL), KEPT) == []
    assert len(importing.to_archive(manifest(date(2026, 7, 1), FINAL), KEPT)) == importing.ARCHIVED_MONTHS
    archived = manifest(KEPT.first, date(2026, 11, 30), ("2026-09", "2026-10"))
    assert importing.to_archive(archived, importing.wanted(date(2026, 11, 30)))[-1] == "2026-11"


def test_a_period_is_split_into_its_months() -> None:
    assert months_of(date(2025, 12, 31), date(2026, 2, 1)) == ["2025-12", "2026-01", "2026-02"]
    assert months_of(date(2026, 2, 28), date(2026, 2, 28)) == ["2026-02"]
    assert importing.month_days("2028-02") == Period(date(2028, 2, 1), date(2028, 2, 29))
