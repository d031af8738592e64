"""Medians of the lab, and whose value findings go by."""

import statistics

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.audit.inputs import PageSpeed
from chalicelib.domain.speed.field import FieldRecord
from chalicelib.domain.speed.measured import agentic_results, kept_speed, lab_of, page_speed, page_speeds
from chalicelib.domain.speed.records import Collected, FieldBook, Run, SpeedResult, result_after
from chalicelib.domain.speed.report import LabRun
from chalicelib.domain.speed.window import MeasuredDays
from tests import speed

NOW = 1_800_000_000.0
DAY = 86_400.0
URL = "https://shop.example/"
SLOW = FieldBook(phone=Collected(FieldRecord(True, lcp_ms=4_200.0, inp_ms=300.0, cls=0.3), NOW))


def of(*runs: Run) -> SpeedResult:
    return SpeedResult(URL, "mobile", NOW, None, speed.agentic(), runs)


def test_speed_values_are_medians_of_the_last_five_runs() -> None:
    found = None
    for number, lcp in enumerate([9_000.0, 1_000.0, 3_000.0, 2_000.0, 5_000.0, 4_000.0]):
        told = speed.report(URL, lab=LabRun(lcp, 0.1, 100.0))
        found = result_after(
            found, told, strategy="mobile", url=URL, template="home", now=NOW + number, measured=MeasuredDays()
        )
    lab = lab_of(found, MeasuredDays())
    assert lab is not None and (lab.runs, lab.lcp_ms) == (5, 3_000.0)


def measured(*days: int) -> MeasuredDays:
    """Days after that of ``NOW`` on which other pages were measured."""
    found = MeasuredDays()
    for day in days:
        found = found.measured(NOW + day * DAY)
    return found


def test_a_page_is_dropped_after_28_days_on_which_only_other_pages_were_tested() -> None:
    slow, fast = speed.result(URL, at=NOW, runs=3, lcp_ms=5_000.0), speed.result(URL + "fast", at=NOW, runs=3)
    weekly = [7 * week for week in range(1, 40)]
    for days, counts in (((), True), (weekly[:27], True), (weekly[:28], False), (range(28), True), (range(29), False)):
        speeds = page_speeds([slow, fast], FieldBook(), measured(0, *days))
        assert speeds.keys() == ({URL, URL + "fast"} if counts else set()), "both leave together, however slow they are"
        assert agentic_results([slow, fast], measured(0, *days)).keys() == speeds.keys()
    assert lab_of(slow, measured(0, 400)) is not None, "an outage of a year ages nothing"


def test_after_a_page_was_dropped_its_earlier_speed_tests_do_not_count() -> None:
    told = speed.report(URL, lab=LabRun(1.0))
    before = speed.result(URL, at=NOW, runs=3)
    for days, runs in ((range(28), 4), (range(29), 1)):
        again = result_after(
            before, told, strategy="mobile", url=URL, template=None, now=NOW + 50 * DAY, measured=measured(*days)
        )
        assert len(again.runs) == runs


def test_a_metric_is_null_if_too_few_runs_measured_it() -> None:
    lab = lab_of(of(Run(NOW, 1.0, 0.1), Run(NOW, 2.0), Run(NOW, 3.0), Run(NOW, None)), MeasuredDays())
    assert lab is not None and (lab.runs, lab.lcp_ms, lab.cls, lab.blocking_ms) == (4, 2.0, None, None)


def test_values_of_too_few_runs_are_shown_but_rules_do_not_judge_them() -> None:
    lab = lab_of(of(Run(NOW, 9_000.0), Run(NOW, 7_000.0)), MeasuredDays())
    assert lab is not None and lab.lcp_ms == 8_000.0
    assert PageSpeed(lab).source("lcp") is None


def test_a_slow_page_without_field_data_is_judged_by_the_websites_field_data() -> None:
    slow, fast = speed.result(URL, at=NOW, runs=3, lcp_ms=5_000.0), speed.result(URL, at=NOW, runs=3)
    assert page_speed(slow, URL, SLOW, MeasuredDays()).source("lcp") == "field_site"
    assert page_speed(fast, URL, SLOW, MeasuredDays()).source("lcp") == "lab"
    own = FieldBook(phone=SLOW.phone, pages={URL: Collected(FieldRecord(True, lcp_ms=1_000.0), NOW)})
    assert page_speed(slow, URL, own, MeasuredDays()).source("lcp") == "field_page"


def test_rules_judge_pages_with_a_phone_test_or_field_data_of_their_own() -> None:
    field = FieldBook(
        pages={
            URL + "seen": Collected(FieldRecord(True, lcp_ms=1.0), NOW),
            URL + "unseen": Collected(FieldRecord(False, "Too few visits."), NOW),
        }
    )
    results = [
        speed.result(URL, at=NOW),
        speed.result(URL + "desk", "desktop", at=NOW),
        speed.result(URL + "old", at=NOW - 40 * DAY),
    ]
    assert page_speeds(results, field, measured(*range(-39, 1))).keys() == {URL, URL + "seen"}
    assert page_speeds([], FieldBook(phone=SLOW.phone), MeasuredDays()) == {}


def test_agentic_results_prefer_phone_tests_and_list_recently_tested_pages_first() -> None:
    results = [
        speed.result(URL, "desktop", at=NOW),
        speed.result(URL, at=NOW - 9 * DAY),
        speed.result(URL + "b", "desktop", at=NOW - DAY),
        speed.result(URL + "none", at=NOW, checks={}),
    ]
    found = agentic_results(results, MeasuredDays())
    assert list(found) == [URL + "b", URL]
    assert found[URL].strategy == "mobile"


@given(st.lists(st.tuples(st.integers(0, 40 * 86_400), st.none() | st.floats(0, 20_000)), max_size=12))
def test_lab_values_are_the_medians_of_the_runs(runs: list[tuple[int, float | None]]) -> None:
    ordered = sorted(runs, key=lambda run: -run[0])
    found: SpeedResult | None = None
    for ago, lcp in ordered:
        told = speed.report(URL, lab=LabRun(lcp))
        found = result_after(
            found, told, strategy="mobile", url=URL, template=None, now=NOW - ago, measured=MeasuredDays()
        )
    kept = [lcp for _, lcp in ordered][-5:]
    lab = lab_of(found, MeasuredDays())
    assert (0 if lab is None else lab.runs) == len(kept)
    values = [lcp for lcp in kept if lcp is not None]
    enough = values and len(values) >= min(3, len(kept))
    assert (None if lab is None else lab.lcp_ms) == (statistics.median(values) if enough else None)


def test_an_audit_stores_medians_of_all_tested_pages_and_field_data() -> None:
    results = [
        speed.result("https://a.example/1", lcp_ms=1_000.0, blocking_ms=None),
        speed.result("https://a.example/2", lcp_ms=3_000.0, blocking_ms=None),
        speed.result("https://a.example/3", "desktop", lcp_ms=9_000.0),
    ]
    visitors = FieldBook(phone=Collected(FieldRecord(True, lcp_ms=2_500.0, cls=0.1), 1.0))
    kept = kept_speed(results, visitors, MeasuredDays())
    assert kept is not None and (kept.pages, kept.lab_lcp_ms, kept.lab_blocking_ms) == (2, 2_000.0, None)
    assert (kept.field_lcp_ms, kept.field_cls, kept.field_inp_ms) == (2_500.0, 0.1, None)
    none = FieldBook(phone=Collected(FieldRecord(False, reason="Too few visits."), 1.0))
    assert kept_speed([], none, MeasuredDays()) is None
    only = kept_speed([], visitors, MeasuredDays())
    assert only is not None and (only.pages, only.lab_lcp_ms, only.field_lcp_ms) == (0, None, 2_500.0)
