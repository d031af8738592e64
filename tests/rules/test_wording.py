"""How rules word numbers."""

import pytest

from chalicelib.rules.wording import codes, part, spelled


@pytest.mark.parametrize(("number", "text"), [(0, "zero"), (5, "five"), (12, "twelve"), (13, "13"), (1_500, "1,500")])
def test_small_numbers_are_written_as_words(number: int, text: str) -> None:
    assert spelled(number) == text


@pytest.mark.parametrize(("share", "text"), [(0.5, "half"), (0.2, "a fifth"), (0.3, "30%"), (0.05, "5%")])
def test_common_fractions_are_written_as_words(share: float, text: str) -> None:
    assert part(share) == text


def test_status_codes_are_listed_in_ascending_order() -> None:
    assert codes({429, 401, 403}) == "401, 403, 429"
    assert codes({410, 404}, " or ") == "404 or 410"
    assert codes({404}) == "404"
