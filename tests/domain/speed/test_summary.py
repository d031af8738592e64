"""What all tested pages show together equals a naive count over them."""

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.agentic import Check, CheckState
from chalicelib.domain.speed.records import SpeedResult
from chalicelib.domain.speed.summary import summary_of
from tests import speed

STATES: list[CheckState] = ["pass", "fail", "na", "info", "error"]
CHECK = st.builds(Check, state=st.sampled_from(STATES), title=st.sampled_from(["A", "B"]))
PAGES = st.lists(st.dictionaries(st.sampled_from(["a11y", "layout", "llms"]), CHECK, max_size=3), max_size=8)


def results(pages: list[dict[str, Check]]) -> list[SpeedResult]:
    return [
        speed.result(f"https://shop.example/{number}", at=1_000.0 + number, checks=checks)
        for number, checks in enumerate(pages)
    ]


@given(PAGES)
def test_summary_counts_equal_the_number_of_checks(pages: list[dict[str, Check]]) -> None:
    found = summary_of(results(pages))
    with_checks = [checks for checks in pages if checks]
    if found is None:
        assert with_checks == []
        return
    states = [check.state for checks in with_checks for check in checks.values()]
    assert found.pages == len(with_checks)
    assert (found.passed, found.applicable) == (states.count("pass"), states.count("pass") + states.count("fail"))
    assert {check.id for check in found.checks} == {name for checks in with_checks for name in checks}
    for check in found.checks:
        of_it = [checks[check.id].state for checks in with_checks if check.id in checks]
        assert (check.passed, check.failed) == (of_it.count("pass"), of_it.count("fail"))
        assert (check.state == "fail") == ("fail" in of_it)
        assert (check.state == "na") == set(of_it).issubset({"na", "error"})
    assert summary_of(reversed(results(pages))) == found


def test_a_failing_check_shows_the_most_recently_tested_page() -> None:
    old, new, fine = Check("fail", detail="old"), Check("fail", detail="new"), Check("pass")
    found = summary_of(results([{"a11y": old}, {"a11y": new}, {"a11y": fine}]))
    assert found is not None and found.checks[0].example.detail == "new"


def test_without_tested_pages_the_summary_is_null() -> None:
    assert summary_of([]) is None
    assert summary_of(results([{}])) is None
