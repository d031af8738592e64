"""The simulated Sunday: its rules on few websites, and its kept waves."""

from typing import Any

import pytest
from chalice.app import SQSEventConfig

from app import app
from bench import load, sunday
from chalicelib.store import crawls
from chalicelib.workers import weekly

KEPT = load.counts()
FEW = 600


def _wave(websites: int = FEW, **asked: Any) -> sunday.Wave:
    return sunday.simulate(KEPT, websites=websites, **asked)


@pytest.fixture(scope="module")
def few() -> sunday.Wave:
    return _wave()


def test_every_website_is_audited_once_and_every_event_is_sent(few: sunday.Wave) -> None:
    assert few.done["weekly start"] == few.done["audit"] == sum(hour.ended for hour in few.hours) == FEW
    assert few.hours[-1].due == 0
    told = few.done["audit"] + few.done["recheck"]
    assert few.done["event"] >= told - 5 and few.done["delivery"] >= told - 5  # the last ends are told after the wave


def test_a_simulation_gives_the_same_result_each_time(few: sunday.Wave) -> None:
    assert _wave() == few


def test_the_simulation_uses_the_deployed_concurrency() -> None:
    deployed = {one.name: one.maximum_concurrency for one in app.event_sources if isinstance(one, SQSEventConfig)}
    assert {queue: sunday.functions_of(queue) for queue in sunday.QUEUES}.items() <= deployed.items()


def test_the_weekly_audits_take_about_as_long_as_their_functions_need() -> None:
    wave = _wave(2_000, functions=20)
    least = 2_000 * wave.seconds / wave.functions
    assert least < wave.lasts < 1.1 * least + 2 * wave.seconds
    assert _wave(2_000, functions=40).lasts < 0.6 * wave.lasts


def test_a_weekly_run_starts_a_limited_number_of_audits() -> None:
    most = weekly.WAITING
    wave = _wave(4 * most, functions=5 * most, seconds=1.0)
    assert wave.lasts > 3 * sunday.MINUTE, "the fourth run starts the last"
    assert wave.hours[0].functions <= most + 20


def test_a_limited_start_queues_no_audit_twice() -> None:
    assert sunday.taken_in_time(sunday.functions_of("crawl"), load.MONTH["audit"].seconds) == weekly.WAITING
    wave = _wave(3_000, functions=48, waiting=sunday.taken_in_time(48, 60.0))
    assert (wave.waiting, wave.repeated) == (86, 0) and max(hour.waiting for hour in wave.hours) <= 86


def test_audits_that_wait_too_long_are_queued_again() -> None:
    kept, many = _wave(3_000, functions=48, waiting=86), _wave(3_000, functions=48, waiting=860)
    assert many.repeated > 0 and max(hour.oldest for hour in many.hours) > crawls.QUEUED_GRACE_SECONDS
    assert kept.lasts < 1.1 * many.lasts


def test_simulated_writes_match_the_measured_units() -> None:
    wave = _wave(2_000, functions=50)
    audit = KEPT["each"]["audit"]["writeUnits"]
    steady = wave.functions / wave.seconds * audit
    assert steady < wave.hours[0].writes < 1.3 * steady
    assert wave.hours[0].crawls / wave.hours[0].writes == pytest.approx(
        KEPT["tables"]["audit"]["crawls"] / audit, rel=0.02
    )


def test_an_exceeded_limit_is_reported_with_its_minute() -> None:
    assert [one.what for one in _wave(FEW, functions=50).breaks] == [
        "audits wait more than 120 seconds, so their messages are sent again each minute"
    ]
    first = _wave(4_000, functions=200).breaks[0]
    assert first.what.startswith("table `crawls` throttles") and first.at < 2 * sunday.MINUTE
    assert sunday.clock_of(first.at).startswith("Sun 02:0")


def test_a_throttled_partition_is_reported() -> None:
    hot = {**KEPT, "hottest": {"crawls": 90_000}}
    wave = sunday.simulate(hot, websites=FEW)
    assert wave.hours[0].hottest == ("one audit's rows in `crawls`", 1_500)
    assert "one audit's rows in `crawls` throttle at 1,000 write units a second" in {one.what for one in wave.breaks}


def test_the_simulated_clock_continues_into_the_next_day() -> None:
    assert [sunday.clock_of(seconds) for seconds in (0, 22 * sunday.HOUR, 86_399)] == [
        "Sun 02:00",
        "Mon 00:00",
        "Mon 01:59",
    ]


def test_the_simulation_of_the_weekly_audits_equals_the_stored_one() -> None:
    found, kept = sunday.simulate(KEPT), sunday.kept()
    assert sunday.problems([found], kept[:1]) == [], "python -m bench.sunday --write"
    # What the page says, by hand from the counted units.
    a_second = found.functions / found.seconds * KEPT["tables"]["audit"]["crawls"]
    assert found.hours[5].crawls == pytest.approx(a_second, rel=0.1)
    assert found.lasts == pytest.approx(load.WEBSITES * found.seconds / found.functions, rel=0.05)
    assert found.breaks[0].what.startswith("table `crawls` throttles at 4,000")


def test_a_simulation_that_differs_from_the_stored_one_is_reported(few: sunday.Wave) -> None:
    assert sunday.problems([few], [few]) == []
    assert len(sunday.problems([few], [_wave(FEW - 1)])) == 1
    assert sunday.problems([few], []) == ["1 waves were simulated, but 0 are stored"]


@pytest.mark.deep
def test_the_simulations_for_all_numbers_of_websites_equal_the_stored_ones() -> None:
    assert sunday.problems(sunday.waves(KEPT), sunday.kept()) == []
