"""The last days' totals: a sum is told only where every day of it is known."""

from datetime import date, timedelta

from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.periods import Period, ending
from chalicelib.domain.search.recent import KEPT_DAYS, Brought, RecentDays
from chalicelib.domain.search.totals import DayTotals, TypeTotals

FINAL = date(2026, 11, 19)


def totals(days: Period, clicks: int = 2) -> list[DayTotals]:
    return [DayTotals(day.isoformat(), TypeTotals(Figures(clicks, 10, 30))) for day in days.days()]


def test_the_last_two_periods_of_28_days_are_summed() -> None:
    known = RecentDays.of(totals(ending(FINAL, 70)), FINAL)
    assert len(known.clicks) == KEPT_DAYS and known.unknown == ()
    period = ending(FINAL, 28)
    assert known.within(period) == known.within(period.before) == Brought(56, 280)
    assert known.within(ending(FINAL, KEPT_DAYS + 1)) is None
    assert known.within(ending(FINAL + timedelta(1), 2)) is None


def test_the_sum_of_a_period_is_unknown_if_one_of_its_days_is_unknown() -> None:
    days = [day for day in totals(ending(FINAL, 60)) if day.day != "2026-11-02"]
    known = RecentDays.of(days, FINAL)
    assert known.within(ending(FINAL, 28)) is None
    assert known.within(ending(FINAL, 17)) == Brought(34, 170)
    assert known.within(ending(date(2026, 11, 1), 5)) == Brought(10, 50)
    for beside in (ending(date(2026, 11, 2), 1), ending(date(2026, 11, 3), 2), ending(date(2026, 11, 2), 9)):
        assert known.within(beside) is None


def test_the_age_of_data_is_measured_from_its_last_day() -> None:
    assert RecentDays.of([], date(1970, 1, 3)).ends_at == 3 * 86_400
