"""Spans of days."""

from datetime import date

import pytest

from chalicelib.domain.search.periods import Period, ending, longer_than, months_before, recent

TODAY = date(2026, 11, 22)


def test_a_recent_period_ends_three_days_ago_or_earlier_if_data_is_not_final_yet() -> None:
    assert recent(28, TODAY, None) == Period(date(2026, 10, 23), date(2026, 11, 19))
    assert recent(28, TODAY, date(2026, 11, 21)).last == date(2026, 11, 19)
    assert recent(7, TODAY, date(2026, 11, 10)) == Period(date(2026, 11, 4), date(2026, 11, 10))


def test_the_previous_period_is_as_long_and_ends_the_day_before() -> None:
    period = ending(date(2026, 3, 1), 7)
    assert period.length == 7 and period.before == Period(date(2026, 2, 16), date(2026, 2, 22))
    assert list(Period(date(2026, 2, 28), date(2026, 3, 1)).days()) == [date(2026, 2, 28), date(2026, 3, 1)]


def test_a_period_does_not_start_before_the_first_day_of_the_calendar() -> None:
    assert ending(date.min, 28) == Period(date.min, date.min)
    assert ending(date(1, 1, 28), 28) == Period(date.min, date(1, 1, 28))
    assert ending(date(1, 1, 29), 28) == Period(date(1, 1, 2), date(1, 1, 29))
    assert ending(date.max, 28).length == 28 and len(list(ending(date.max, 3).days())) == 3


@pytest.mark.parametrize(
    ("first", "last", "longer"),
    [
        (date(2025, 7, 22), date(2026, 11, 22), False),
        (date(2025, 7, 21), date(2026, 11, 22), True),
        (date(2025, 10, 31), date(2027, 2, 28), False),
        (date(2025, 10, 31), date(2027, 3, 1), True),
        (date.min, date.max, True),
        (date.min, date.min, False),
    ],
)
def test_sixteen_months_are_measured_by_the_calendar(first: date, last: date, longer: bool) -> None:
    assert longer_than(Period(first, last), 16) is longer


def test_going_back_a_month_keeps_the_day_number_if_that_month_has_it() -> None:
    assert months_before(TODAY, 16) == date(2025, 7, 22)
    assert months_before(date(2027, 6, 30), 16) == date(2026, 2, 28)
    assert months_before(date(2026, 12, 31), 1) == date(2026, 11, 30)
    assert months_before(date(2026, 12, 31), 12) == date(2025, 12, 31)
