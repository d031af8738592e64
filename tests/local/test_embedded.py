"""The embedded AWS: nothing lost under threads, DynamoDB's rules where they matter, queues on the service's clock."""

import gc
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import botocore.session
import pytest
from botocore.exceptions import ClientError
from moto.dynamodb.models.dynamo_type import Item
from moto.sqs.models import Message

from chalicelib import clock
from chalicelib.store import client
from chalicelib.store.keys import TABLES, table_name
from local import embedded
from tests.reference import loops_of

TABLE = "wos-sites"
THREADS = 16
EACH = 80  # of what a thread does

pytestmark = pytest.mark.usefixtures("refusals")  # the store's own are looked at here


@pytest.fixture
def dynamodb() -> Iterator[Any]:
    with embedded.running():
        yield client.dynamodb()
    clock.set_offset(0.0)


@pytest.fixture
def sqs(dynamodb: Any) -> Any:
    return client.sqs()


@pytest.fixture
def outside(dynamodb: Any) -> Iterator[Any]:
    """A client as another process has one: it speaks to the endpoint over a socket."""
    endpoint = embedded.Endpoint()
    session = botocore.session.get_session()
    yield session.create_client("dynamodb", endpoint_url=endpoint.url, region_name="eu-west-1")
    endpoint.stop()


def key(sk: str, pk: str = "A") -> dict[str, Any]:
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def number(value: float) -> dict[str, str]:
    return {"N": str(value)}


def put(dynamodb: Any, sk: str, pk: str = "A", **values: Any) -> None:
    dynamodb.put_item(TableName=TABLE, Item={**key(sk, pk), **values})


def get(dynamodb: Any, sk: str, pk: str = "A") -> Any:
    return dynamodb.get_item(TableName=TABLE, Key=key(sk, pk)).get("Item")


def query(dynamodb: Any, **more: Any) -> Any:
    values = {":pk": {"S": "A"}, **more.pop("values", {})}
    return dynamodb.query(
        TableName=TABLE, ExpressionAttributeValues=values, **{"KeyConditionExpression": "pk = :pk", **more}
    )


def names(answer: Any) -> list[str]:
    return [item["sk"]["S"] for item in answer["Items"]]


def in_threads(work: Callable[[int], Any]) -> list[Any]:
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, range(THREADS)))


def error_code(call: Callable[[], Any]) -> str:
    with pytest.raises(ClientError) as caught:
        call()
    return str(caught.value.response["Error"]["Code"])


# ------------------------------------------------------------------------------------------------- concurrency


def test_no_increment_of_sixteen_threads_with_two_clients_is_lost(dynamodb: Any, outside: Any) -> None:
    def add(number_of_thread: int) -> None:
        side = outside if number_of_thread % 2 else dynamodb
        for _ in range(EACH):
            side.update_item(
                TableName=TABLE,
                Key=key("counter"),
                UpdateExpression="ADD n :one",
                ExpressionAttributeValues={":one": number(1)},
            )

    in_threads(add)
    assert get(dynamodb, "counter")["n"] == number(THREADS * EACH)


def test_simultaneous_transactions_never_spend_a_balance_twice(dynamodb: Any, outside: Any) -> None:
    put(dynamodb, "balance", left=number(50))

    def spend(number_of_thread: int) -> int:
        side = outside if number_of_thread % 2 else dynamodb
        won = 0
        for attempt in range(8):
            try:
                side.transact_write_items(
                    TransactItems=[
                        {"Put": {"TableName": TABLE, "Item": key(f"{number_of_thread}-{attempt}", "LEDGER")}},
                        {
                            "Update": {
                                "TableName": TABLE,
                                "Key": key("balance"),
                                "UpdateExpression": "SET #left = #left - :one",
                                "ConditionExpression": "#left >= :one",
                                "ExpressionAttributeNames": {"#left": "left"},
                                "ExpressionAttributeValues": {":one": number(1)},
                            }
                        },
                    ]
                )
                won += 1
            except side.exceptions.TransactionCanceledException:
                pass
        return won

    assert sum(in_threads(spend)) == 50
    assert get(dynamodb, "balance")["left"] == number(0)
    assert len(query(dynamodb, values={":pk": {"S": "LEDGER"}})["Items"]) == 50


# ------------------------------------------------------------------------------------------------- transactions


def test_a_transaction_whose_condition_fails_changes_nothing(dynamodb: Any) -> None:
    put(dynamodb, "taken", holder={"S": "first"})
    with pytest.raises(dynamodb.exceptions.TransactionCanceledException) as caught:
        dynamodb.transact_write_items(
            TransactItems=[
                {"Put": {"TableName": TABLE, "Item": key("other")}},
                {
                    "Put": {
                        "TableName": TABLE,
                        "Item": key("taken"),
                        "ConditionExpression": "attribute_not_exists(pk)",
                        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                    }
                },
            ]
        )
    reasons = caught.value.response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["None", "ConditionalCheckFailed"]
    assert reasons[1]["Item"]["holder"] == {"S": "first"}
    assert get(dynamodb, "other") is None


def test_a_transaction_that_cannot_be_completed_is_rolled_back(dynamodb: Any) -> None:
    put(dynamodb, "a", dueShard={"S": "1"}, nextAuditAt=number(5))
    put(dynamodb, "b", n={"S": "text"})
    writes = [
        {"Delete": {"TableName": TABLE, "Key": key("a")}},
        {"Put": {"TableName": TABLE, "Item": key("new")}},
        {
            "Update": {
                "TableName": TABLE,
                "Key": key("b"),
                "UpdateExpression": "ADD n :one",
                "ExpressionAttributeValues": {":one": number(1)},
            }
        },
    ]
    assert error_code(lambda: dynamodb.transact_write_items(TransactItems=writes)) == "TransactionCanceledException"
    assert names(query(dynamodb)) == ["a", "b"]
    due = query(dynamodb, IndexName="due", KeyConditionExpression="dueShard = :pk", values={":pk": {"S": "1"}})
    assert names(due) == ["a"]


def test_a_transaction_larger_than_4_mb_is_refused(dynamodb: Any) -> None:
    large = {"S": "x" * 300_000}
    writes = [{"Put": {"TableName": TABLE, "Item": {**key(str(n)), "text": large}}} for n in range(15)]
    assert error_code(lambda: dynamodb.transact_write_items(TransactItems=writes)) == "ValidationException"
    assert query(dynamodb)["Items"] == []


# ------------------------------------------------------------------------------------------------- items


def test_a_later_update_does_not_change_an_item_returned_before(dynamodb: Any) -> None:
    put(dynamodb, "a", m={"M": {"x": number(1)}}, l={"L": [number(1)]}, s={"SS": ["a"]})
    before = get(dynamodb, "a")
    dynamodb.update_item(
        TableName=TABLE,
        Key=key("a"),
        UpdateExpression="SET m.x = :two, l[0] = :two ADD s :b",
        ExpressionAttributeValues={":two": number(2), ":b": {"SS": ["b"]}},
    )
    assert before["m"] == {"M": {"x": number(1)}} and before["l"] == {"L": [number(1)]}
    after = get(dynamodb, "a")
    assert after["m"] == {"M": {"x": number(2)}} and sorted(after["s"]["SS"]) == ["a", "b"]


def test_a_refused_update_does_not_change_the_item(dynamodb: Any) -> None:
    put(dynamodb, "a", m={"M": {"x": number(1)}}, n={"S": "text"})
    failing = {
        "UpdateExpression": "SET m.x = :two ADD n :two",
        "ExpressionAttributeValues": {":two": number(2)},
    }
    assert error_code(lambda: dynamodb.update_item(TableName=TABLE, Key=key("a"), **failing)) == "ValidationException"
    assert get(dynamodb, "a")["m"] == {"M": {"x": number(1)}}


def test_a_binary_value_of_nearly_400_kb_can_be_stored(dynamodb: Any) -> None:
    content = bytes(range(256)) * 1590
    put(dynamodb, "a", block={"B": content})
    assert get(dynamodb, "a")["block"]["B"] == content


def test_an_item_larger_than_400_kb_is_refused(dynamodb: Any) -> None:
    assert error_code(lambda: put(dynamodb, "a", block={"B": b"x" * 409_600})) == "ValidationException"
    put(dynamodb, "a", block={"B": b"x" * 300_000})
    grow = {"UpdateExpression": "SET other = :x", "ExpressionAttributeValues": {":x": {"B": b"x" * 200_000}}}
    assert error_code(lambda: dynamodb.update_item(TableName=TABLE, Key=key("a"), **grow)) == "ValidationException"


def test_sums_of_decimal_numbers_are_exact(dynamodb: Any) -> None:
    put(dynamodb, "a", n={"N": "0.1"})
    for value in ("0.2", "1E+3"):
        dynamodb.update_item(
            TableName=TABLE,
            Key=key("a"),
            UpdateExpression="ADD n :x",
            ExpressionAttributeValues={":x": {"N": value}},
        )
    assert get(dynamodb, "a")["n"] == {"N": "1000.3"}


# ------------------------------------------------------------------------------------------------- queries


@pytest.mark.parametrize(
    ("condition", "values", "expected"),
    [
        ("sk = :x", {":x": "c"}, ["c"]),
        ("sk < :x", {":x": "c"}, ["a", "b"]),
        ("sk <= :x", {":x": "c"}, ["a", "b", "c"]),
        ("sk > :x", {":x": "c"}, ["ca", "cb", "d"]),
        ("sk >= :x", {":x": "c"}, ["c", "ca", "cb", "d"]),
        ("sk BETWEEN :x AND :y", {":x": "b", ":y": "ca"}, ["b", "c", "ca"]),
        ("begins_with(sk, :x)", {":x": "c"}, ["c", "ca", "cb"]),
    ],
)
def test_a_query_returns_the_matching_items_in_order(
    dynamodb: Any, condition: str, values: dict[str, str], expected: list[str]
) -> None:
    for sk in ("d", "b", "cb", "a", "c", "ca"):
        put(dynamodb, sk)
    put(dynamodb, "c", pk="B")
    answer = query(
        dynamodb,
        KeyConditionExpression=f"pk = :pk AND {condition}",
        values={name: {"S": value} for name, value in values.items()},
    )
    assert names(answer) == expected


@pytest.mark.parametrize("forward", [True, False])
def test_the_pages_of_a_query_together_contain_the_whole_result(dynamodb: Any, forward: bool) -> None:
    expected = [f"{n:03}" for n in range(25)]
    for sk in expected:
        put(dynamodb, sk)
    found: list[str] = []
    more: dict[str, Any] = {}
    while True:
        answer = query(dynamodb, Limit=5, ScanIndexForward=forward, **more)
        found += names(answer)
        if "LastEvaluatedKey" not in answer:
            break
        more = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    assert found == (expected if forward else expected[::-1])


def test_a_query_page_ends_at_one_megabyte(dynamodb: Any) -> None:
    for sk in "abcd":
        put(dynamodb, sk, block={"B": b"x" * 350_000})
    answer = query(dynamodb)
    assert names(answer) == ["a", "b"]
    assert answer["LastEvaluatedKey"] == key("b")


def test_an_index_contains_only_items_with_its_keys_sorted_by_number(dynamodb: Any) -> None:
    for sk, at in (("a", 100), ("b", 20), ("c", 3)):
        put(dynamodb, sk, dueShard={"S": "1"}, nextAuditAt=number(at), name={"S": "x"})
    put(dynamodb, "d", nextAuditAt=number(1))
    due = {"IndexName": "due", "KeyConditionExpression": "dueShard = :pk AND nextAuditAt <= :now"}
    values = {":pk": {"S": "1"}, ":now": number(50)}
    assert names(query(dynamodb, **due, values=values)) == ["c", "b"]
    dynamodb.update_item(TableName=TABLE, Key=key("c"), UpdateExpression="REMOVE dueShard")
    answer = query(dynamodb, **due, values=values)
    assert answer["Items"] == [{**key("b"), "dueShard": {"S": "1"}, "nextAuditAt": number(20)}]


def test_an_index_key_of_the_wrong_type_is_refused(dynamodb: Any) -> None:
    wrong = {"dueShard": {"S": "1"}, "nextAuditAt": {"S": "soon"}}
    assert error_code(lambda: put(dynamodb, "a", **wrong)) == "ValidationException"


def test_a_query_takes_no_longer_in_a_table_with_many_rows(dynamodb: Any) -> None:
    def fifty() -> None:
        for _ in range(50):
            query(dynamodb, KeyConditionExpression="pk = :pk AND sk = :sk", values={":sk": {"S": "x"}})

    put(dynamodb, "x")
    small = loops_of(fifty, times=3)
    for n in range(2000):
        put(dynamodb, str(n % 50), pk=str(n // 50), dueShard={"S": "1"}, nextAuditAt=number(n))
    assert loops_of(fifty, times=3) < small * 3


# ------------------------------------------------------------------------------------------------- queues


def queue_url(sqs: Any, name: str = "wos-outbox") -> str:
    return str(sqs.get_queue_url(QueueName=name)["QueueUrl"])


def receive(sqs: Any, wait: int = 0, name: str = "wos-outbox", **more: Any) -> list[Any]:
    answer = sqs.receive_message(QueueUrl=queue_url(sqs, name), WaitTimeSeconds=wait, MaxNumberOfMessages=10, **more)
    return list(answer.get("Messages", []))


def test_a_delayed_message_arrives_at_its_time_by_the_moved_clock(sqs: Any) -> None:
    sqs.send_message(QueueUrl=queue_url(sqs), MessageBody="later", DelaySeconds=900)
    assert receive(sqs) == []
    clock.set_offset(899)
    assert receive(sqs) == []
    clock.set_offset(901)
    assert [message["Body"] for message in receive(sqs)] == ["later"]


def test_an_undeleted_message_is_repeated_and_then_moved_to_the_dead_letters(sqs: Any) -> None:
    sqs.send_message(QueueUrl=queue_url(sqs), MessageBody="poison")
    for attempt in range(5):
        (message,) = receive(sqs, MessageSystemAttributeNames=["All"])
        assert message["Attributes"]["ApproximateReceiveCount"] == str(attempt + 1)
        assert receive(sqs) == []
        clock.set_offset(clock.offset() + 361)
    assert receive(sqs) == []
    assert [message["Body"] for message in receive(sqs, name="wos-outbox-dead")] == ["poison"]


def test_a_waiting_receiver_is_answered_when_a_message_comes_or_the_clock_moves(sqs: Any) -> None:
    found: list[float] = []

    def poll() -> None:
        started = time.monotonic()
        assert receive(sqs, wait=20)
        found.append(time.monotonic() - started)

    for send in (
        lambda: sqs.send_message(QueueUrl=queue_url(sqs), MessageBody="now"),
        lambda: (
            sqs.send_message(QueueUrl=queue_url(sqs), MessageBody="later", DelaySeconds=600),
            clock.set_offset(601),
            embedded.wake(),
        ),
    ):
        thread = threading.Thread(target=poll)
        thread.start()
        time.sleep(0.05)
        send()
        thread.join(60)
        assert not thread.is_alive()
    assert max(found) < 15, "the poll would have lasted twenty seconds, and was woken after a twentieth of one"


def test_eight_senders_and_receivers_neither_lose_nor_repeat_messages(sqs: Any) -> None:
    url = queue_url(sqs)
    bodies: list[str] = []

    def work(number_of_thread: int) -> None:
        for n in range(50):
            if number_of_thread % 2:
                sqs.send_message(QueueUrl=url, MessageBody=f"{number_of_thread}-{n}")
                continue
            for message in receive(sqs):
                bodies.append(message["Body"])
                sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])

    in_threads(work)
    while left := receive(sqs):
        bodies += [message["Body"] for message in left]
    assert len(bodies) == len(set(bodies)) == THREADS // 2 * 50


# ------------------------------------------------------------------------------------------------- life


def test_requests_to_other_aws_services_are_refused(dynamodb: Any) -> None:
    with pytest.raises(RuntimeError, match="nothing is sent to the real AWS"):
        botocore.session.get_session().create_client("s3").list_buckets()


def test_requests_to_aws_are_refused_after_the_embedded_store_has_ended(
    dynamodb: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that is still running then could use the user's own credentials."""
    with monkeypatch.context() as patch:
        patch.setattr(embedded, "_active", False)
        with pytest.raises(RuntimeError, match="nothing is sent to the real AWS"):
            dynamodb.list_tables()


def test_each_table_has_the_keys_and_time_to_live_of_the_template(dynamodb: Any) -> None:
    tables = dynamodb.list_tables()["TableNames"]
    assert sorted(tables) == sorted(map(table_name, TABLES))
    for table in tables:
        described = dynamodb.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
        assert described == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}


def test_an_embedded_store_inside_another_one_is_empty_and_separate(dynamodb: Any) -> None:
    put(dynamodb, "a", dueShard={"S": "1"}, nextAuditAt=number(1))
    with embedded.running():
        assert query(dynamodb)["Items"] == []
        due = query(dynamodb, IndexName="due", KeyConditionExpression="dueShard = :pk", values={":pk": {"S": "1"}})
        assert due["Items"] == []
    put(dynamodb, "b")
    assert names(query(dynamodb)) == ["b"]


def test_one_endpoint_forwards_to_an_external_store_and_embedded_queues(dynamodb: Any) -> None:
    own = embedded.Endpoint()  # stands for a store elsewhere
    endpoint = embedded.Endpoint({embedded.TABLES: own.url})
    session = botocore.session.get_session()
    outside = session.create_client("dynamodb", endpoint_url=endpoint.url, region_name="us-east-1")
    try:
        put(outside, "a", block={"B": b"\x00\xff"})
        assert get(outside, "a")["block"]["B"] == b"\x00\xff"
        conflict = {"ConditionExpression": "attribute_not_exists(pk)"}
        code = error_code(lambda: outside.put_item(TableName=TABLE, Item=key("a"), **conflict))
        assert code == "ConditionalCheckFailedException"
        assert queue_url(session.create_client("sqs", endpoint_url=endpoint.url, region_name="us-east-1"))
    finally:
        endpoint.stop()
        own.stop()


def test_the_memory_of_a_replaced_item_or_deleted_message_is_freed(dynamodb: Any, sqs: Any) -> None:
    queue = sqs.get_queue_url(QueueName="wos-crawl")["QueueUrl"]

    def live() -> int:
        gc.collect()
        return sum(isinstance(each, Item | Message) for each in gc.get_objects())

    def write(number: int) -> None:
        dynamodb.put_item(TableName=TABLE, Item={"pk": {"S": "a"}, "sk": {"S": "b"}, "n": {"N": str(number)}})
        sqs.send_message(QueueUrl=queue, MessageBody="x")
        (message,) = sqs.receive_message(QueueUrl=queue)["Messages"]
        sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])

    write(0)
    before = live()
    for number in range(20):
        write(number)
    assert live() == before
