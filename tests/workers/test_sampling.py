"""Samplings: what is asked, how often, and what is kept."""

import http.client
import threading
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from chalicelib import clock
from chalicelib.connectors.assistants.openai import OpenAi
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.visibility.models import PROVIDERS
from chalicelib.domain.visibility.names import Names
from chalicelib.domain.visibility.samples import answer
from chalicelib.operations import assistant_keys, prompts, websites
from chalicelib.operations import sampling as samplings
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import visibility
from chalicelib.store.secrets import Secret
from chalicelib.workers import sampling
from local.standins.assistants import KEY, RETRY_AFTER_SECONDS, Assistants
from tests import aws
from tests.visibility import OWN, Sampled, sampled

pytestmark = pytest.mark.usefixtures("store")
DAY = 86_400


@pytest.fixture(scope="module")
def standin() -> Iterator[Assistants]:
    found = Assistants()
    yield found
    found.stop()


@pytest.fixture
def house(standin: Assistants, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sampled]:
    with sampled(monkeypatch, standin) as found:
        yield found


def test_every_prompt_is_sent_once_to_every_provider_each_monday(house: Sampled) -> None:
    first, second = house.add("Which boots?", "Which tents?")
    assert house.standin.exchanges == type(house.standin.exchanges)([]), "nothing is asked before"
    house.next_week()
    assert clock.utc(clock.now()).strftime("%a %H") == "Mon 03"
    assert house.asked() == {(p, text): 1 for p in PROVIDERS for text in ("Which boots?", "Which tents?")}
    week = house.week()
    assert week is not None and week.week == "2026-W49"
    assert {(one.prompt_id, one.provider) for one in week.answers} == {
        (p, q) for p in (first, second) for q in PROVIDERS
    }
    assert sorted(prompt.text for prompt in week.prompts) == ["Which boots?", "Which tents?"]
    assert (week.asked, week.failed, week.refused, week.unsearched, week.left_out) == (8, 0, 0, 0, 0)
    house.next_week()
    assert set(house.asked().values()) == {2} and house.week("2026-W50") is not None
    assert house.week("2026-W49") == week


def test_mentions_and_citations_are_read_from_an_answer(house: Sampled) -> None:
    house.add("Which boots?", "Which tents?", "Which maps?")
    house.next_week()
    week, samples = house.week(), {(one.prompt_id, one.provider): one for one in house.samples()}
    assert week is not None
    assert {one.named for one in week.answers} == {True, False}, "the stand-in names the website in some answers"
    for one in week.answers:
        sample = samples[one.prompt_id, one.provider]
        assert one == answer(sample, Names.of("shop.example", ["Acme"]), "shop.example")
        assert one.named == (OWN.name in sample.text)
        assert (one.position is not None) == (one.named and one.listed > 0)
        assert one.cited_us == ("shop.example" in one.sources)
        assert "encyclopedia.example" not in one.sources


def test_at_most_four_questions_are_sent_at_once(house: Sampled, monkeypatch: pytest.MonkeyPatch) -> None:
    house.add(*(f"Question {number}?" for number in range(5)))
    house.standin.delay = 0.02  # for a fifth to come, if one may
    four, begin = threading.Barrier(sampling.AT_ONCE), house.standin.begin

    def together() -> None:
        begin()
        four.wait(30)

    monkeypatch.setattr(house.standin, "begin", together)
    house.next_week()
    assert house.standin.most_at_once == sampling.AT_ONCE == 4


def test_the_stand_in_counts_a_request_as_open_only_until_it_has_answered(
    house: Sampled, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = house.standin.end

    def slowly() -> None:
        time.sleep(0.05)
        end()

    monkeypatch.setattr(house.standin, "end", slowly)
    for _ in range(3):
        connection = http.client.HTTPConnection(house.standin.url.removeprefix("http://"), timeout=30)
        connection.request("POST", "/v1/responses", body=b"{}")
        assert connection.getresponse().read()
        connection.close()
    assert house.standin.most_at_once == 1


def test_a_website_is_also_recognised_by_its_aliases(house: Sampled) -> None:
    websites.edit(OPERATOR, house.site_id, name="Something else", aliases=["Northpeak"])
    house.add("Which boots?", "Which tents?")
    house.next_week()
    week = house.week()
    assert week is not None
    texts = {(one.prompt_id, one.provider): one.text for one in house.samples()}
    assert [one.named for one in week.answers] == [
        "Northpeak" in texts[one.prompt_id, one.provider] for one in week.answers
    ]
    assert any(one.named for one in week.answers)


@pytest.mark.parametrize(
    ("fault", "failed", "refused", "unsearched", "times"),
    [("down", 4, 0, 0, 2), ("partial", 4, 0, 0, 2), ("long", 4, 0, 0, 2), ("unsearched", 0, 0, 4, 1)],
)
def test_invalid_answers_are_counted_and_failed_requests_are_retried_once(
    house: Sampled, fault: str, failed: int, refused: int, unsearched: int, times: int
) -> None:
    house.add("Which boots?")
    house.standin.misbehave(fault)
    house.next_week()
    week = house.week()
    assert week is not None and week.answers == ()
    assert (week.failed, week.refused, week.unsearched) == (failed, refused, unsearched)
    assert set(house.asked().values()) == {times}
    house.standin.misbehave("none")
    with pytest.raises(Refused, match="asked in"):
        samplings.run(OPERATOR, house.site_id)
    assert set(house.asked().values()) == {times}


def test_a_refused_question_is_not_asked_again(house: Sampled) -> None:
    house.add("Which boots?")
    house.standin.misbehave("refuse")
    house.next_week()
    week = house.week()
    assert week is not None and (week.refused, week.failed) == (3, 1)
    assert sorted(house.asked().values()) == [1, 1, 1, 2]  # Perplexity answers nothing, which is no refusal


def test_an_answer_at_the_second_attempt_counts_like_any_other(house: Sampled, monkeypatch: pytest.MonkeyPatch) -> None:
    house.add("Which boots?")
    house.standin.misbehave("down")
    last = sampling.Sampling._left

    def healed(self: sampling.Sampling, *, last: bool, whole: object = last) -> object:
        if last:
            house.standin.misbehave("none")
        return whole(self, last=last)  # type: ignore[operator]

    monkeypatch.setattr(sampling.Sampling, "_left", healed)
    house.next_week()
    week = house.week()
    assert week is not None and len(week.answers) == 4 and week.failed == 0
    assert {one.attempts for one in house.samples()} == {2}


@pytest.mark.parametrize("fault", ["access", "quota"])
def test_a_provider_that_refuses_the_first_prompts_does_not_get_all_the_others(house: Sampled, fault: str) -> None:
    house.add(*(f"Question {number}?" for number in range(20)))
    house.standin.misbehave(fault)
    house.next_week()
    # The questions under way when the first is refused: at most so many of one provider, and once more at the end.
    of_each = Counter(exchange.provider for exchange in house.standin.exchanges)
    assert max(of_each.values()) <= 2 * sampling.AT_ONCE
    assert max(house.asked().values()) <= 2
    week = house.week()
    assert week is not None
    assert week.failed == len(house.samples()) and week.failed + week.left_out == 80
    assert "refused the API key" in str(house.job().error) or "no more requests" in str(house.job().error)
    assert KEY not in str(house.job())


def test_a_quota_error_is_retried_after_the_named_time(house: Sampled) -> None:
    house.add("Which boots?")
    house.standin.misbehave("quota")
    clock.set_offset(clock.offset() + house.job().due_at - clock.now() + 1)
    house.work()
    job = house.job()
    assert job.due_at - clock.now() == pytest.approx(max(RETRY_AFTER_SECONDS, sampling.SHORTEST_WAIT), abs=5)
    assert aws.delays("sampling") and job.lease_until == 0
    house.standin.misbehave("none")
    house.until_done()
    week = house.week()
    assert week is not None and len(week.answers) == 4 and house.job().error is None


def test_the_answers_of_a_workspace_in_a_week_are_limited(house: Sampled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMPLING_ANSWERS", "10")
    forget_settings()
    house.add(*(f"Question {number}?" for number in range(2)))
    other = websites.add(OPERATOR, house.workspace_id, "https://other.example/")
    second = house._replace(site_id=other.id)
    second.add("Which maps?", "Which tents?")
    house.next_week()
    second.until_done()
    counted = visibility.answers_of_week(house.workspace_id, "2026-W49")
    assert counted == 10 == len(house.samples()) + len(second.samples())
    weeks = [one.week() for one in (house, second)]
    assert sorted((week.asked, week.left_out) for week in weeks if week is not None) == [(2, 6), (8, 0)]


def test_prompts_already_asked_this_week_are_not_asked_again(house: Sampled) -> None:
    house.add("Which boots?")
    first = samplings.run(OPERATOR, house.site_id)
    assert len(first.plan.pairs) == 4 and len(aws.messages("sampling")) == 1
    house.until_done()
    house.add("Which tents?")
    assert (
        samplings.run(OPERATOR, house.site_id).plan.pairs
        == samplings.plan(
            websites.existing(OPERATOR, house.site_id, "work"),
            visibility.load_prompts(house.site_id),
            samplings.assistants_of(house.workspace_id),
            clock.now(),
        ).pairs
    )
    house.until_done()
    assert set(house.asked().values()) == {1}
    week = house.week()
    assert week is not None and len(week.prompts) == 2 and len(week.answers) == 8


def test_the_cost_is_estimated_without_asking_a_question(house: Sampled) -> None:
    house.add("Which boots?", "Which tents?")
    found = samplings.estimate(OPERATOR, house.site_id)
    assert [(cost.provider, cost.answers) for cost in found.costs] == [(provider, 2) for provider in PROVIDERS]
    assert found.total is not None and 0 < found.total < 2 and found.currency == "USD"
    assert not house.standin.exchanges and aws.messages("sampling") == []


def test_the_cost_of_a_model_without_a_known_price_is_unknown(house: Sampled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMPLING_MODELS", "openai=gpt-of-tomorrow")
    forget_settings()
    house.add("Which boots?")
    found = samplings.estimate(OPERATOR, house.site_id)
    assert found.total is None and found.costs[0].cost is None and found.costs[1].cost is not None


def test_no_question_is_asked_if_prompts_or_keys_are_missing_or_paused(
    house: Sampled, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Refused, match="no active prompt"):
        samplings.run(OPERATOR, house.site_id)
    (prompt,) = house.add("Which boots?")
    websites.pause(OPERATOR, house.site_id)
    with pytest.raises(Refused, match="paused"):
        samplings.run(OPERATOR, house.site_id)
    house.next_week()
    websites.resume(OPERATOR, house.site_id)
    prompts.pause(OPERATOR, house.site_id, prompt)
    house.next_week()
    prompts.resume(OPERATOR, house.site_id, prompt)
    for provider in PROVIDERS:
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", "")
    forget_settings()
    with pytest.raises(Refused, match="no key"):
        samplings.run(OPERATOR, house.site_id)
    house.next_week()
    assert not house.standin.exchanges and house.week() is None
    assert house.job().error == sampling.NO_KEYS and not house.job().ended


def test_the_workspaces_own_key_is_used(house: Sampled, monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in PROVIDERS:
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", "operators-key")
    forget_settings()
    assistant_keys.put(OPERATOR, house.workspace_id, "anthropic", Secret(KEY))
    house.add("Which boots?")
    house.next_week()
    week = house.week()
    assert week is not None and [one.provider for one in week.answers] == ["anthropic"]


def test_one_unreadable_answer_does_not_affect_the_others(house: Sampled, monkeypatch: pytest.MonkeyPatch) -> None:
    house.add("Which boots?")

    def broken(self: OpenAi, body: bytes) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(OpenAi, "_read_answer", broken)
    house.next_week()
    week = house.week()
    assert week is not None and (len(week.answers), week.failed) == (3, 1)


@pytest.mark.parametrize("trouble", ["no key any more", "stopped again and again"])
def test_prompts_not_asked_in_a_week_that_ends_early_are_counted(
    house: Sampled, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    house.add("Which boots?", "Which tents?", "Which stoves?")
    house.standin.delay = 1.1
    clock.set_offset(clock.offset() + house.job().due_at - clock.now() + 1)
    with monkeypatch.context() as short:
        short.setattr(sampling, "SLICE_SECONDS", 1.0)  # so that a worker asks one round, and no more
        house.work()
    house.standin.delay = 0.0
    assert house.job().payload["run"] is not None
    if trouble == "no key any more":
        for provider in PROVIDERS:
            monkeypatch.setenv(f"{provider.upper()}_API_KEY", "")
        forget_settings()
    else:
        monkeypatch.setattr(sampling, "STALLED_TAKEOVERS", -1)
    house.until_done()
    week = house.week()
    assert week is not None and 0 < week.asked <= sampling.AT_ONCE
    assert week.asked + week.left_out == 12


def test_removing_the_website_ends_its_job_and_removes_its_data(house: Sampled) -> None:
    house.add("Which boots?")
    samplings.run(OPERATOR, house.site_id)
    house.until_done()
    assert house.week() is not None
    websites.remove(OPERATOR, house.site_id)
    house_rows = [pk for pk, _ in aws.rows("ai") if house.site_id in pk]
    assert house_rows == [] and not any(house.site_id in pk for pk, _ in aws.rows("jobs"))


def test_two_simultaneous_workers_ask_each_question_once(house: Sampled) -> None:
    house.add("Which boots?", "Which tents?")
    house.standin.delay = 0.02
    clock.set_offset(clock.offset() + house.job().due_at - clock.now() + 1)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: house.work(), range(3)))
    house.until_done()
    assert set(house.asked().values()) == {1}
    assert Counter(one.outcome for one in house.samples()) == {"answered": 8}
