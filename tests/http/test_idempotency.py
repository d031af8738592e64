"""Idempotency-Key: done once, answered again, safe against a crash at each write."""

import threading
from collections.abc import Callable

import pytest

from chalicelib import clock
from chalicelib.http import idempotency
from chalicelib.http.answers import Answer
from chalicelib.http.errors import ApiError
from tests import aws

SCOPE = ("key_1", "POST", "/api/v1/sites/s/audits", "given")


class Work:
    """What a view does: counts how often it was done."""

    def __init__(self) -> None:
        self.done = 0

    def __call__(self) -> Answer:
        self.done += 1
        return Answer(202, f'{{"n":{self.done}}}', {"Content-Type": "application/json", "Location": "/there"})


def _once(run: Callable[[], Answer], body: bytes = b"{}", scope: tuple[str, str, str, str] = SCOPE) -> Answer:
    return idempotency.once(scope, body, clock.now(), run)


def _code(run: Callable[[], Answer], body: bytes = b"{}") -> str:
    with pytest.raises(ApiError) as refused:
        _once(run, body)
    return refused.value.code


def test_a_repeated_request_is_executed_once_and_gets_the_stored_answer(store: None) -> None:
    work = Work()
    first, again = _once(work), _once(work)
    assert work.done == 1
    assert (again.status, again.body) == (first.status, first.body)
    assert again.headers == {**first.headers, "Idempotency-Replayed": "true"}
    assert "Idempotency-Replayed" not in first.headers


def test_an_idempotency_key_is_separate_for_each_method_and_path(store: None) -> None:
    work = Work()
    _once(work)
    for number in range(4):
        other = list(SCOPE)
        other[number] += "2"
        _once(work, scope=(other[0], other[1], other[2], other[3]))
    assert work.done == 5


def test_another_body_with_the_same_key_is_a_mismatch(store: None) -> None:
    work = Work()
    _once(work)
    assert _code(work, b'{"pageBudget":5}') == "idempotency_mismatch"
    assert work.done == 1


def test_a_second_request_is_refused_while_the_first_is_running(store: None) -> None:
    started, ended = threading.Event(), threading.Event()
    work = Work()

    def slow() -> Answer:
        started.set()
        assert ended.wait(60)
        return work()

    answers: list[Answer] = []
    first = threading.Thread(target=lambda: answers.append(_once(slow)))
    first.start()
    assert started.wait(60)
    with pytest.raises(ApiError) as refused:
        _once(work)
    assert refused.value.code == "idempotency_in_progress"
    assert 0 < int(refused.value.headers["Retry-After"]) <= idempotency.LEASE_SECONDS
    assert _code(work, b"other") == "idempotency_mismatch"
    ended.set()
    first.join(60)
    assert _once(work).body == answers[0].body
    assert work.done == 1


def test_only_one_of_many_simultaneous_requests_is_executed(store: None) -> None:
    work = Work()
    outcomes: list[str] = []

    def send() -> None:
        try:
            outcomes.append(_once(work).body)
        except ApiError as refused:
            outcomes.append(refused.code)

    threads = [threading.Thread(target=send) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert work.done == 1
    assert set(outcomes) <= {'{"n":1}', "idempotency_in_progress"}


def test_after_24_hours_a_key_can_be_used_again(store: None) -> None:
    work = Work()
    _once(work)
    clock.set_offset(24 * 3_600 - 60)
    _once(work)
    assert work.done == 1
    clock.set_offset(24 * 3_600 + 1)
    _once(work, b"another body")
    assert work.done == 2


def test_after_a_refusal_the_next_request_with_the_same_key_is_executed(store: None) -> None:
    work = Work()

    def refuse() -> Answer:
        raise ApiError("already_running", "A crawl is running.")

    assert _code(refuse) == "already_running"
    assert _once(work).body == '{"n":1}'


def test_a_killed_request_can_run_again_after_its_lease(store: None) -> None:
    work = Work()

    def killed() -> Answer:
        work()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _once(killed)
    assert _code(work) == "idempotency_in_progress"
    clock.set_offset(idempotency.LEASE_SECONDS + 1)
    assert _code(work, b"another body") == "idempotency_mismatch"
    assert _once(work).body == '{"n":2}'
    assert _once(work).headers["Idempotency-Replayed"] == "true"


def test_a_request_that_lost_its_lease_does_not_overwrite_the_newer_answer(store: None) -> None:
    late, quick = Work(), Work()

    def overtaken() -> Answer:
        answer = late()
        clock.set_offset(idempotency.LEASE_SECONDS + 1)
        assert _once(quick).body == '{"n":1}'
        return Answer(answer.status, "late", answer.headers)

    assert _once(overtaken).body == "late"
    assert _once(Work()).body == '{"n":1}'


def test_a_request_with_an_idempotency_key_takes_two_additional_writes(store: None) -> None:
    with aws.counted_calls() as calls:
        _once(Work())
    assert calls == {"PutItem": 1, "UpdateItem": 1}
    with aws.counted_calls() as calls:
        _once(Work())
    assert calls == {"PutItem": 1}


@pytest.mark.parametrize("given", ["", " ", "a b", "x" * 256, "\x7f", "é"])
def test_a_key_must_have_1_to_255_visible_ascii_characters(given: str) -> None:
    with pytest.raises(ApiError) as refused:
        idempotency.once((*SCOPE[:3], given), b"", 0.0, Work())
    assert refused.value.code == "bad_idempotency_key"
