"""Totals of days."""

from datetime import date

from chalicelib.domain.search import totals
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.periods import Period
from chalicelib.domain.search.totals import DayTotals, TypeTotals

FIRST, SECOND, THIRD = (date(2026, 10, number) for number in (30, 31, 1))
ZERO = Figures()


def _day(day: date, clicks: int) -> DayTotals:
    shown = TypeTotals(Figures(clicks, 100, 250), {"deu": Figures(clicks, 60, 60)}, {"mobile": Figures(1, 10, 20)})
    return DayTotals(day.isoformat(), shown, TypeTotals(Figures(0, 7, 70)))


DAYS = [_day(SECOND, 2), _day(FIRST, 1)]


def test_known_days_are_returned_in_order_with_their_values() -> None:
    found = totals.by_day(DAYS, "web")
    assert list(found.items()) == [(FIRST, Figures(1, 100, 250)), (SECOND, Figures(2, 100, 250))]


def test_a_country_or_device_missing_on_a_day_has_zero_values() -> None:
    assert totals.by_day(DAYS, "web", country="deu")[SECOND] == Figures(2, 60, 60)
    assert totals.by_day(DAYS, "web", device="mobile")[SECOND] == Figures(1, 10, 20)
    assert totals.by_day(DAYS, "web", country="fra") == {FIRST: ZERO, SECOND: ZERO}


def test_image_search_has_its_own_totals_and_is_unknown_on_days_without_them() -> None:
    assert totals.by_day(DAYS, "image")[FIRST] == Figures(0, 7, 70)
    assert totals.by_day([DayTotals(FIRST.isoformat(), TypeTotals())], "image") == {}


def test_ctr_and_position_are_computed_from_sums() -> None:
    whole = totals.total(totals.by_day(DAYS, "web").values())
    assert (whole.ctr, whole.position) == (3 / 200, 2.5)
    assert (ZERO.ctr, ZERO.position) == (None, None)
    assert Figures.told(1.0, 3.0, 7 / 3) == Figures(1, 3, 7)


def test_a_period_without_known_days_has_no_values() -> None:
    found = totals.by_day(DAYS, "web")
    assert totals.within(found, Period(SECOND, SECOND)) == Figures(2, 100, 250)
    assert totals.within(found, Period(date(2025, 1, 1), date(2025, 1, 2))) is None
