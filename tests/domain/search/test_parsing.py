"""What the service tells, made into what is stored."""

from datetime import date

import pytest

from chalicelib.domain.search import parsing
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.pairs import parts
from chalicelib.domain.search.parsing import Told, TypeTold
from chalicelib.domain.search.periods import Period

DAY = date(2026, 11, 1)


def rows(*given: tuple[tuple[str, ...], float, float, float]) -> Told:
    return Told(*map(list, zip(*given, strict=True))) if given else Told([], [], [], [])  # type: ignore[arg-type]


def test_query_page_pairs_with_any_characters_are_parsed() -> None:
    found = parsing.day_pairs(DAY, rows((("a\0b", "https://x/ä"), 1, 2, 3.5), (("日本", "https://x/"), 0, 1, 1)))
    assert [parts(key) for key in found.keys.strings()] == [("ab", "https://x/ä"), ("日本", "https://x/")]


def test_days_without_data_are_left_out_and_country_and_device_are_in_lower_case() -> None:
    web = TypeTold(
        rows((("2026-11-02",), 3, 10, 2.0)),
        rows((("2026-11-02", "gbr"), 3, 9, 2.0), (("2026-11-02", "zzz"), 0, 1, 2.0)),
        rows((("2026-11-02", "MOBILE"), 3, 10, 2.0)),
    )
    nothing = TypeTold(rows(), rows(), rows())
    first, second = parsing.day_totals(Period(DAY, date(2026, 11, 2)), web, nothing)
    assert (first.web.total, first.web.countries, first.image) == (Figures(), {}, second.image)
    assert second.web.total == Figures(3, 10, 20)
    assert second.web.countries == {"gbr": Figures(3, 9, 18), "zzz": Figures(0, 1, 2)}
    assert second.web.devices == {"mobile": Figures(3, 10, 20)}


@pytest.mark.parametrize("figures", [(-1, 1, 1), (1, -1, 1), (1, 1e300, 1), (2.0**53, 1, 1), (0, 1, -2)])
def test_impossible_values_are_refused(figures: tuple[float, float, float]) -> None:
    nothing = rows()
    with pytest.raises(ValueError, match=r"below|from 0"):
        parsing.day_rows(DAY, rows((("query",), *figures)))
    with pytest.raises(ValueError, match="below zero, or too large"):
        parsing.day_totals(
            Period(DAY, DAY), TypeTold(rows((("2026-11-01",), *figures)), nothing, nothing), TypeTold(*[nothing] * 3)
        )
