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


def test_each_known_day_has_its_figures_in_the_order_of_days() -> None:
    found = totals.by_day(DAYS, "web")
    assert list(found.items()) == [(FIRST, Figures(1, 100, 250)), (SECOND, Figures(2, 100, 250))]


def test_a_country_or_a_device_that_a_day_does_not_name_was_not_shown() -> None:
    assert totals.by_day(DAYS, "web", country="deu")[SECOND] == Figures(2, 60, 60)
    assert totals.by_day(DAYS, "web", device="mobile")[SECOND] == Figures(1, 10, 20)
    assert totals.by_day(DAYS, "web", country="fra") == {FIRST: ZERO, SECOND: ZERO}


def test_images_have_totals_of_their_own_and_days_without_are_unknown() -> None:
    assert totals.by_day(DAYS, "image")[FIRST] == Figures(0, 7, 70)
    assert totals.by_day([DayTotals(FIRST.isoformat(), TypeTotals())], "image") == {}


def test_ctr_and_position_come_from_sums_and_are_unknown_without_impressions() -> None:
    whole = totals.total(totals.by_day(DAYS, "web").values())
    assert (whole.ctr, whole.position) == (3 / 200, 2.5)
    assert (ZERO.ctr, ZERO.position) == (None, None)
    assert Figures.told(1.0, 3.0, 7 / 3) == Figures(1, 3, 7)


def test_a_period_of_which_no_day_is_known_has_no_figures() -> None:
    found = totals.by_day(DAYS, "web")
    assert totals.within(found, Period(SECOND, SECOND)) == Figures(2, 100, 250)
    assert totals.within(found, Period(date(2025, 1, 1), date(2025, 1, 2))) is None
