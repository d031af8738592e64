"""Weeks, rates, gaps and intervals, against naive counts."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.visibility.calendar import next_sampling, week_of, weeks_back
from chalicelib.domain.visibility.citations import Citation
from chalicelib.domain.visibility.costs import cost_of_answer, prices
from chalicelib.domain.visibility.intervals import Interval, wilson
from chalicelib.domain.visibility.models import PROVIDERS, model_name
from chalicelib.domain.visibility.names import Names
from chalicelib.domain.visibility.prompts import BadPrompt, checked_locale, checked_text, place_of
from chalicelib.domain.visibility.rates import gaps, rates
from chalicelib.domain.visibility.samples import Outcome, Sample, Week, week_of_samples

HOST = "acme.example"
NAMES = Names.of(HOST, ["Acme"])
OUTCOMES: tuple[Outcome, ...] = ("asked", "answered", "unsearched", "refused", "failed")
TEXTS = ("Acme is good.", "Take Beta.", "1. Beta\n2. Gamma", "1. **Beta**\n2. **Acme**", "see acme.com")
HOSTS = ("acme.example", "blog.acme.example", "beta.example", "gamma.example")

samples = st.lists(
    st.builds(
        lambda prompt, provider, outcome, text, hosts: Sample(
            prompt_id=f"prm_{prompt}",
            prompt=f"Question {prompt}?",
            locale=None,
            provider=provider,
            attempts=1,
            outcome=outcome,
            at=1.0,
            text=text,
            citations=tuple(Citation(f"https://{host}/", host) for host in hosts),
        ),
        st.integers(0, 4),
        st.sampled_from(PROVIDERS),
        st.sampled_from(OUTCOMES),
        st.sampled_from(TEXTS),
        st.lists(st.sampled_from(HOSTS), max_size=3),
    ),
    unique_by=lambda sample: (sample.prompt_id, sample.provider),
    max_size=20,
)


def week(found: list[Sample], name: str = "2026-W47") -> Week:
    return week_of_samples(name, found, NAMES, HOST)


@given(samples)
def test_rates_are_computed_from_answers_only_and_failures_are_counted_separately(found: list[Sample]) -> None:
    made = week(found)
    answered = [one for one in found if one.outcome == "answered"]
    counted = rates(made.answers)
    assert counted.answers == len(answered)
    assert counted.named == sum("Acme" in one.text for one in answered)
    assert counted.cited == sum(any(c.host.endswith("acme.example") for c in one.citations) for one in answered)
    assert (made.refused, made.unsearched) == tuple(
        [one.outcome for one in found].count(outcome) for outcome in ("refused", "unsearched")
    )
    assert made.asked == len(found)
    if answered:
        assert counted.mention_rate == counted.named / len(answered)
        assert counted.citation_rate == counted.cited / len(answered)
    else:
        assert counted.mention_rate is counted.citation_rate is None
    assert {prompt.id for prompt in made.prompts} == {one.prompt_id for one in found}


@given(samples, samples, st.sets(st.sampled_from([f"prm_{number}" for number in range(5)])))
def test_a_gap_is_an_active_prompt_whose_answers_name_only_other_brands(
    now: list[Sample], before: list[Sample], active: set[str]
) -> None:
    found = {gap.prompt_id: gap for gap in gaps([week(now), week(before, "2026-W46")], active, HOST)}
    for prompt in {f"prm_{number}" for number in range(5)}:
        answers = [one for one in now + before if one.prompt_id == prompt and one.outcome == "answered"]
        others = {c.host for one in answers for c in one.citations if not c.host.endswith("acme.example")}
        lists = any(one.text.startswith("1.") for one in answers)
        is_gap = prompt in active and bool(answers) and not any("Acme" in one.text for one in answers)
        assert (prompt in found) == (is_gap and (bool(others) or lists))
        if prompt in found:
            assert found[prompt].answers == len(answers)
            assert set(found[prompt].others) == others


@given(samples)
def test_the_order_of_samples_does_not_change_the_rates(found: list[Sample]) -> None:
    assert week(found) == week(list(reversed(found)))


@given(st.integers(0, 500).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_a_confidence_interval_contains_its_rate_and_narrows_with_more_answers(counts: tuple[int, int]) -> None:
    found, of = counts
    interval = wilson(found, of)
    if of == 0:
        assert interval is None
        return
    assert interval is not None
    assert 0 <= interval.low <= found / of <= interval.high <= 1
    ten_times = wilson(10 * found, 10 * of)
    assert ten_times is not None and ten_times.high - ten_times.low < interval.high - interval.low
    other = wilson(of - found, of)
    assert other is not None and other.low == pytest.approx(1 - interval.high)


def test_the_worked_example_in_the_documentation_is_correct() -> None:
    text = (Path(__file__).parents[3] / "docs" / "visibility.md").read_text(encoding="utf-8")
    for found, of in ((60, 200), (72, 200), (90, 200), (5, 10)):
        interval = wilson(found, of)
        assert interval is not None and f"**{interval.low:.1%} and {interval.high:.1%}**" in " ".join(text.split())


def test_the_confidence_interval_is_the_wilson_interval() -> None:
    assert wilson(60, 200) == pytest.approx(Interval(0.2408, 0.3668), abs=1e-4)
    assert wilson(0, 10) == pytest.approx(Interval(0.0, 0.2775), abs=1e-4)
    assert wilson(5, 10) == pytest.approx(Interval(0.2366, 0.7634), abs=1e-4)


@given(st.floats(0, 4e9), st.integers(1, 12))
def test_weeks_are_iso_calendar_weeks(now: float, count: int) -> None:
    found = weeks_back(now, count)
    assert len(set(found)) == count
    assert found == sorted(found, reverse=True)
    assert found[0] == datetime.fromtimestamp(now, UTC).strftime("%G-W%V")


@pytest.mark.usefixtures("own_week")
@given(st.floats(0, 4e9))
def test_sampling_runs_on_mondays_at_three_o_clock(now: float) -> None:
    at = datetime.fromtimestamp(next_sampling(now), UTC)
    assert now < at.timestamp() <= now + 7 * 86_400
    assert (at.weekday(), at.hour, at.minute, at.second) == (0, 3, 0, 0)
    assert week_of(at.timestamp()) == at.strftime("%G-W%V")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-5-mini-2025-08-07", "GPT-5 mini"),
        ("gpt-5", "GPT-5"),
        ("claude-haiku-4-5-20251001", "Claude Haiku 4.5"),
        ("gemini-2.5-flash", "Gemini 2.5 Flash"),
        ("models/gemini-flash-latest", "Gemini Flash Latest"),
        ("perplexity/sonar", "Sonar"),
        ("-", "-"),
    ],
)
def test_model_ids_are_shown_as_common_names(model: str, name: str) -> None:
    assert model_name(model) == name


def test_each_price_has_a_known_provider_and_an_unknown_model_has_no_price() -> None:
    assert {price.provider for price in prices().models} == set(PROVIDERS)
    assert all(0 < price.of_answer < 1 for price in prices().models)
    assert cost_of_answer("openai", "gpt-of-tomorrow") is None


@pytest.mark.parametrize(
    ("text", "kept"), [("\ufeff Which  boots\tare best? ", "Which boots are best?"), ("é" * 300, "é" * 300)]
)
def test_a_prompt_is_stored_in_one_line(text: str, kept: str) -> None:
    assert checked_text(text) == kept


@pytest.mark.parametrize("text", ["", " \n", "a" * 301, "a\x00b", "a\u202eb"])
def test_an_invalid_prompt_is_refused(text: str) -> None:
    with pytest.raises(BadPrompt):
        checked_text(text)


@pytest.mark.parametrize(
    ("given", "kept", "language", "country"),
    [("de", "de", "de", None), ("DE-at", "de-AT", "de", "AT"), ("zh-hans-CN", "zh-Hans-CN", "zh", "CN")],
)
def test_a_language_tag_is_split_into_language_and_country(
    given: str, kept: str, language: str, country: str | None
) -> None:
    assert checked_locale(given) == kept
    place = place_of(kept)
    assert (place.language, place.country) == (language, country)


@pytest.mark.parametrize("given", ["", "german", "de_DE", "de-", "1", "de-DE-x"])
def test_an_invalid_language_tag_is_refused(given: str) -> None:
    with pytest.raises(BadPrompt):
        checked_locale(given)
