"""A write is done, its answer is lost, and botocore sends the request again: it is done once, and told as done."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.exceptions import ClientError

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.jobs import Job
from chalicelib.domain.visibility.samples import Sample
from chalicelib.http import idempotency
from chalicelib.http.answers import Answer
from chalicelib.http.errors import ApiError
from chalicelib.operations import endpoints as operations
from chalicelib.store import accounts, api_keys, client, deliveries, endpoints, items, jobs, keys, visibility
from chalicelib.store.errors import ITEM, Conflict
from chalicelib.store.lanes import LANES
from chalicelib.store.transactions import Put, commit
from tests import aws, webhooks
from tests.servers.receiver import Receiver
from tests.store.test_api_keys import HOUR, NOON, make_key, passes

pytestmark = pytest.mark.usefixtures("store", "loopback_allowed")
URL = "https://hook.example/"


def used(sha256: str) -> int:
    row = items.get(accounts.TABLE, *keys.key_secret(sha256))
    assert row is not None
    return int(row["used"])


# -- the hourly count of a key -----------------------------------------------------------------------------


def test_a_request_whose_answer_is_lost_counts_once() -> None:
    key = make_key()
    api_keys.authenticate(key.sha256, NOON)
    with aws.lost_answers("UpdateItem") as sent:
        auth = api_keys.authenticate(key.sha256, NOON)
    assert len(sent) == 2 and sent[0] == sent[1]
    assert auth.remaining == 1_198 and used(key.sha256) == 2


def test_a_request_whose_answer_is_lost_twice_counts_once() -> None:
    key = make_key()
    api_keys.authenticate(key.sha256, NOON)
    with aws.lost_answers("UpdateItem", times=2) as sent:
        api_keys.authenticate(key.sha256, NOON)
    assert len(sent) == 3 and used(key.sha256) == 2


def test_the_first_request_of_an_hour_counts_once_even_if_its_answer_is_lost() -> None:
    key = make_key()
    api_keys.authenticate(key.sha256, NOON)
    with aws.lost_answers("UpdateItem", after=1):  # after the refusal by the hour before
        assert api_keys.authenticate(key.sha256, NOON + HOUR).remaining == 1_199
    assert used(key.sha256) == 1


def test_the_last_request_within_the_limit_is_served_even_if_its_answer_is_lost() -> None:
    key = make_key()
    api_keys.authenticate(key.sha256, NOON)
    items.update(accounts.TABLE, *keys.key_secret(key.sha256), "SET used = :n", values={":n": 1_199})
    with aws.lost_answers("UpdateItem"):
        assert passes(key.sha256, NOON)
    assert not passes(key.sha256, NOON)


def test_lost_answers_do_not_reduce_the_number_of_served_requests() -> None:
    key = make_key()
    api_keys.authenticate(key.sha256, NOON)
    items.update(accounts.TABLE, *keys.key_secret(key.sha256), "SET used = :n", values={":n": 1_180})
    served = []
    for _ in range(24):
        with aws.lost_answers("UpdateItem"):
            served.append(passes(key.sha256, NOON))
    assert served == [True] * 20 + [False] * 4


@pytest.mark.calm("of requests at once one whose answer is lost may count twice, and they are counted")
def test_exactly_1200_of_1408_parallel_requests_pass_and_their_counter_stays_small() -> None:
    key = make_key()
    with ThreadPoolExecutor(16) as pool:
        served = sum(pool.map(lambda _: passes(key.sha256, NOON), range(1_408)))
    assert served == 1_200
    row = items.get(accounts.TABLE, *keys.key_secret(key.sha256))
    assert row is not None and sum(name.startswith("last") for name in row) <= 8
    assert len(str(row)) < 1_024, "one write unit a request"


# -- an Idempotency-Key ------------------------------------------------------------------------------------


def once() -> Answer:
    scope = ("key_1", "POST", "/api/v1/sites/s/audits", "given")
    return idempotency.once(scope, b"{}", clock.now(), lambda: Answer(202, "{}", {}))


@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem"])
def test_a_request_keeps_its_idempotency_key_even_if_an_answer_is_lost(operation: str) -> None:
    with aws.lost_answers(operation) as sent:
        assert once() == Answer(202, "{}", {})
    assert len(sent) == 2
    assert once().headers == {"Idempotency-Replayed": "true"}


def test_a_refused_request_releases_its_idempotency_key() -> None:
    def refuse() -> Answer:
        raise ApiError("already_running", "A crawl is running.")

    with aws.lost_answers("DeleteItem"), pytest.raises(ApiError, match="running"):
        idempotency.once(("key_1", "POST", "/x", "given"), b"{}", clock.now(), refuse)
    assert aws.rows("ops") == []


def test_a_second_request_must_wait_while_its_idempotency_key_is_in_use() -> None:
    scope = ("key_1", "POST", "/x", "given")

    def meanwhile() -> Answer:
        with aws.lost_answers("PutItem"), pytest.raises(ApiError, match="still running"):
            idempotency.once(scope, b"{}", clock.now(), lambda: Answer(500, "done twice", {}))
        return Answer(202, "{}", {})

    assert idempotency.once(scope, b"{}", clock.now(), meanwhile).body == "{}"


# -- deliveries and endpoints ------------------------------------------------------------------------------


def ended_delivery(receiver: Receiver) -> str:
    webhooks.endpoint(receiver.url())
    webhooks.send_all(webhooks.event())
    (delivery,) = webhooks.log()
    assert delivery.state == "delivered"
    return delivery.id


def test_a_replay_is_queued_once_even_if_its_answer_is_lost() -> None:
    with Receiver() as receiver:
        delivery_id = ended_delivery(receiver)
        with aws.lost_answers("TransactWriteItems") as sent:
            assert operations.replay(OPERATOR, webhooks.WORKSPACE, delivery_id).id == delivery_id
        assert len(sent) == 2
        assert webhooks.deliver() == 1 and len(receiver.arrivals) == 2


def test_a_second_replay_is_refused_even_if_its_answer_is_lost() -> None:
    with Receiver() as receiver:
        delivery_id = ended_delivery(receiver)
        seen = deliveries.get(delivery_id)
        assert seen is not None
        assert deliveries.replay(seen, clock.now() - 1)
        with aws.lost_answers("TransactWriteItems"):
            assert not deliveries.replay(seen, clock.now())


def test_a_delivery_is_postponed_once_even_if_the_answer_is_lost() -> None:
    webhooks.endpoint(URL)
    webhooks.publish(webhooks.event())
    webhooks.hand_over()
    (delivery,) = webhooks.log()
    with aws.lost_answers("UpdateItem"):
        assert deliveries.postpone(delivery, clock.now() + 60)
    assert not deliveries.postpone(delivery, clock.now() + 90)
    with aws.lost_answers("UpdateItem"):
        assert deliveries.end(delivery, "endpoint_off", clock.now())
    with aws.lost_answers("UpdateItem"):
        assert not deliveries.end(delivery, "endpoint_removed", clock.now())


def test_an_endpoint_is_added_once_even_if_the_answer_is_lost() -> None:
    with aws.lost_answers("TransactWriteItems") as sent:
        made = webhooks.endpoint(URL)
    assert len(sent) == 2 and webhooks.current() == made
    with aws.lost_answers("TransactWriteItems"), pytest.raises(Conflict):
        webhooks.endpoint("https://another.example/")


def test_switching_an_endpoint_off_ends_deliveries_even_if_the_answer_is_lost() -> None:
    webhooks.endpoint(URL)
    webhooks.publish(webhooks.event())
    webhooks.hand_over()
    with aws.lost_answers("TransactWriteItems"):
        assert operations.switch_off(OPERATOR, webhooks.WORKSPACE, "end_1").state == "off"
    assert [delivery.state for delivery in webhooks.log()] == ["endpoint_off"]
    assert webhooks.current().period == 1
    with aws.lost_answers("TransactWriteItems"):
        assert operations.switch_on(OPERATOR, webhooks.WORKSPACE, "end_1").state == "on"


def test_an_endpoint_is_removed_once_even_if_the_answer_is_lost() -> None:
    webhooks.endpoint(URL)
    webhooks.publish(webhooks.event())
    webhooks.hand_over()
    with aws.lost_answers("TransactWriteItems"):
        operations.remove(OPERATOR, webhooks.WORKSPACE, "end_1")
    assert [delivery.state for delivery in webhooks.log()] == ["endpoint_removed"]
    assert not endpoints.remove(webhooks.WORKSPACE, "end_1")


# -- items and transactions --------------------------------------------------------------------------------


def test_a_failed_condition_is_a_conflict_if_no_answer_was_lost() -> None:
    item = {"pk": "A", "sk": "1", "n": 1.5, "b": b"\x00", "gone": None}
    items.put("sites", item, condition="attribute_not_exists(pk)")
    with pytest.raises(Conflict) as caught:
        items.put("sites", item, condition="attribute_not_exists(pk)")
    found = caught.value.failed[ITEM]
    assert found is not None
    assert len(found.pop(items.WRITER)) == 16 and found == {"pk": "A", "sk": "1", "n": 1.5, "b": b"\x00"}
    with pytest.raises(Conflict):
        items.update("sites", "A", "1", "SET n = :n", condition="n < :n", values={":n": 1.5}, own={"n": 1.5})


def test_a_second_writer_gets_a_conflict_even_if_answers_are_lost() -> None:
    item = {"pk": "A", "sk": "1", "n": 1}
    with aws.lost_answers("PutItem") as sent:
        items.put("sites", item, condition="attribute_not_exists(pk)")
    assert len(sent) == 2 and sent[0] == sent[1]
    with aws.lost_answers("PutItem", times=2) as sent, pytest.raises(Conflict):
        items.put("sites", item, condition="attribute_not_exists(pk)")
    assert len(sent) == 3


def test_one_of_two_workers_claims_the_job_even_if_answers_are_lost() -> None:
    now = clock.now()
    job = Job(id="field_data", kind="field_data", site_id="site_1", workspace_id="wsp_1", queued_at=now, due_at=now)
    commit([jobs.put_new(job)])
    first = jobs.claim(job, now=now, lease_until=now + 240, lane=LANES["imports"])
    assert first is not None and first == jobs.get("site_1", "field_data")
    with aws.lost_answers("PutItem"):
        assert jobs.claim(job, now=now, lease_until=now + 240, lane=LANES["imports"]) is None


def test_only_one_of_two_workers_asks_a_question_even_if_dynamodb_answers_are_lost() -> None:
    sample = Sample(
        prompt_id="prm_1", prompt="Which boots?", locale=None, provider="openai", attempts=1, outcome="asked", at=1.0
    )
    with aws.lost_answers("PutItem"):
        assert visibility.put_asked("site_1", "2026-W48", sample)
    with aws.lost_answers("PutItem"):
        assert not visibility.put_asked("site_1", "2026-W48", sample)


def test_an_update_returns_the_new_item_even_if_the_answer_is_lost() -> None:
    items.put("sites", {"pk": "A", "sk": "1", "n": 1})
    with aws.lost_answers("UpdateItem"):
        after = items.update(
            "sites", "A", "1", "SET n = :two", condition="n < :two", values={":two": 2}, own={"n": 2}, returns="ALL_NEW"
        )
    assert after == {"pk": "A", "sk": "1", "n": 2}


def test_a_transaction_is_done_once_even_if_its_answers_are_lost() -> None:
    put = Put("sites", {"pk": "A", "sk": "2"}, condition="attribute_not_exists(pk)")
    with aws.lost_answers("TransactWriteItems", times=2) as sent:
        commit([put])
    assert len(sent) == 3 and len({request["ClientRequestToken"] for request in sent}) == 1
    with pytest.raises(Conflict):
        commit([put])


def test_a_cancelled_transaction_is_retried_with_a_new_token(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens: list[str] = []

    def cancelled(**request: str) -> None:
        tokens.append(request["ClientRequestToken"])
        codes = ["TransactionInProgressException", "TransactionCanceledException"]
        if len(tokens) <= len(codes):
            error = {"Code": codes[len(tokens) - 1], "Message": ""}
            reasons = [{"Code": "TransactionConflict"}]
            raise ClientError({"Error": error, "CancellationReasons": reasons}, "TransactWriteItems")  # type: ignore[typeddict-item]

    monkeypatch.setattr(client.dynamodb(), "transact_write_items", cancelled)
    commit([Put("sites", {"pk": "A", "sk": "2"})])
    assert tokens[0] == tokens[1] != tokens[2] and len(tokens) == 3
