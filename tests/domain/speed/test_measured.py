"""Medians of the lab, and whose value findings go by."""

import statistics

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.audit.inputs import PageSpeed
from chalicelib.domain.speed.field import FieldRecord
from chalicelib.domain.speed.measured import agentic_results, lab_of, page_speed, page_speeds
from chalicelib.domain.speed.records import RUN_SECONDS, Collected, FieldBook, Run, SpeedResult, result_after
from chalicelib.domain.speed.report import LabRun
from tests import speed

NOW = 1_800_000_000.0
DAY = 86_400.0
URL = "https://shop.example/"
SLOW = FieldBook(phone=Collected(FieldRecord(True, lcp_ms=4_200.0, inp_ms=300.0, cls=0.3), NOW))


def of(*runs: Run) -> SpeedResult:
    return SpeedResult(URL, "mobile", NOW, None, speed.agentic(), runs)


def test_values_are_medians_of_the_last_five_runs_of_four_weeks() -> None:
    found = None
    for number, lcp in enumerate([9_000.0, 1_000.0, 3_000.0, 2_000.0, 5_000.0, 4_000.0]):
        told = speed.report(URL, lab=LabRun(lcp, 0.1, 100.0))
        found = result_after(found, told, strategy="mobile", url=URL, template="home", now=NOW + number)
    assert found is not None
    lab = lab_of(found, NOW + 6)
    assert lab is not None and (lab.runs, lab.lcp_ms) == (5, 3_000.0)
    assert lab_of(found, NOW + RUN_SECONDS + 4) == lab._replace(runs=1, lcp_ms=4_000.0)
    assert lab_of(found, NOW + RUN_SECONDS + 6) is None


def test_a_metric_that_too_few_of_the_runs_measured_is_unknown() -> None:
    lab = lab_of(of(Run(NOW, 1.0, 0.1), Run(NOW, 2.0), Run(NOW, 3.0), Run(NOW, None)), NOW)
    assert lab is not None and (lab.runs, lab.lcp_ms, lab.cls, lab.blocking_ms) == (4, 2.0, None, None)


def test_with_fewer_runs_than_a_median_needs_values_are_shown_and_not_judged_by() -> None:
    lab = lab_of(of(Run(NOW, 9_000.0), Run(NOW, 7_000.0)), NOW)
    assert lab is not None and lab.lcp_ms == 8_000.0
    assert PageSpeed(lab).source("lcp") is None


def test_a_page_without_visitors_goes_by_those_of_the_website_where_it_is_slow_in_the_lab_too() -> None:
    slow, fast = speed.result(URL, at=NOW, runs=3, lcp_ms=5_000.0), speed.result(URL, at=NOW, runs=3)
    assert page_speed(slow, URL, SLOW, NOW).source("lcp") == "field_site"
    assert page_speed(fast, URL, SLOW, NOW).source("lcp") == "lab"
    own = FieldBook(phone=SLOW.phone, pages={URL: Collected(FieldRecord(True, lcp_ms=1_000.0), NOW)})
    assert page_speed(slow, URL, own, NOW).source("lcp") == "field_page"


def test_rules_see_pages_that_were_tested_on_a_phone_or_have_visitors_of_their_own() -> None:
    field = FieldBook(
        pages={
            URL + "seen": Collected(FieldRecord(True, lcp_ms=1.0), NOW),
            URL + "unseen": Collected(FieldRecord(False, "Too few visits."), NOW),
        }
    )
    results = [
        speed.result(URL, at=NOW),
        speed.result(URL + "desk", "desktop", at=NOW),
        speed.result(URL + "old", at=NOW - RUN_SECONDS),
    ]
    assert page_speeds(results, field, NOW).keys() == {URL, URL + "seen"}
    assert page_speeds([], FieldBook(phone=SLOW.phone), NOW) == {}


def test_checks_of_a_phone_go_before_those_of_a_desktop_and_the_newest_page_comes_first() -> None:
    results = [
        speed.result(URL, "desktop", at=NOW),
        speed.result(URL, at=NOW - 9 * DAY),
        speed.result(URL + "b", "desktop", at=NOW - DAY),
        speed.result(URL + "none", at=NOW, checks={}),
    ]
    found = agentic_results(results)
    assert list(found) == [URL + "b", URL]
    assert found[URL].strategy == "mobile"


@given(st.lists(st.tuples(st.integers(0, 40 * 86_400), st.none() | st.floats(0, 20_000)), max_size=12))
def test_the_lab_is_the_naive_median(runs: list[tuple[int, float | None]]) -> None:
    ordered = sorted(runs, key=lambda run: -run[0])
    found: SpeedResult | None = None
    for ago, lcp in ordered:
        told = speed.report(URL, lab=LabRun(lcp))
        found = result_after(found, told, strategy="mobile", url=URL, template=None, now=NOW - ago)
    kept = [lcp for ago, lcp in ordered if ago < RUN_SECONDS][-5:]
    lab = lab_of(found, NOW)
    assert (0 if lab is None else lab.runs) == len(kept)
    measured = [lcp for lcp in kept if lcp is not None]
    enough = measured and len(measured) >= min(3, len(kept))
    assert (None if lab is None else lab.lcp_ms) == (statistics.median(measured) if enough else None)
