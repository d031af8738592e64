"""Each refusal of the strict AWS fires, as the real one words it, and none on what may be asked."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError

from chalicelib.store import client, keys, queues
from tests.aws import stored
from tests.plugins import strict_aws

pytestmark = pytest.mark.usefixtures("store")

Json = dict[str, Any]
Call = Callable[[], Any]
KEY = {"pk": {"S": "p"}, "sk": {"S": "1"}}
ONE = {":one": {"N": "1"}}


def ops() -> str:
    return keys.table_name("ops")


def key(number: int = 1, **more: Any) -> Json:
    return {"pk": {"S": "p"}, "sk": {"S": str(number)}, **more}


def put(**more: Any) -> Json:
    return client.dynamodb().put_item(TableName=ops(), Item=key(**more))  # type: ignore[return-value]


def update(expression: str = "SET a = :one", values: Json | None = ONE, **more: Any) -> Any:
    given = {} if values is None else {"ExpressionAttributeValues": values}
    return client.dynamodb().update_item(TableName=ops(), Key=KEY, UpdateExpression=expression, **given, **more)


def query(condition: str = "pk = :p", table: str = "ops", **more: Any) -> Any:
    more.setdefault("ExpressionAttributeValues", {":p": {"S": "p"}})
    return client.dynamodb().query(TableName=keys.table_name(table), KeyConditionExpression=condition, **more)


def write_batch(*requests: Json) -> Any:
    return client.dynamodb().batch_write_item(RequestItems={ops(): list(requests)})


def transact(*actions: Json, **more: Any) -> Any:
    return client.dynamodb().transact_write_items(TransactItems=list(actions), **more)


def send(body: str = "{}", **more: Any) -> Any:
    return client.sqs().send_message(QueueUrl=queues.url_of("outbox"), MessageBody=body, **more)


def send_batch(*bodies: str) -> Any:
    entries = [{"Id": str(number), "MessageBody": body} for number, body in enumerate(bodies)]
    return client.sqs().send_message_batch(QueueUrl=queues.url_of("outbox"), Entries=entries)  # type: ignore[arg-type]


def nested(depth: int) -> Json:
    value: Json = {"S": "x"}
    for _ in range(depth - 1):
        value = {"L": [value]}
    return value


def put_action(number: int, **more: Any) -> Json:
    return {"Put": {"TableName": ops(), "Item": key(number, **more)}}


def replay_with_other_content() -> None:
    for number in (1, 2):
        transact(put_action(number), ClientRequestToken="a token")


EMPTY = {"pk": {"S": "p"}, "sk": {"S": ""}}
REFUSED: dict[str, Call] = {
    "a 26th item of a batch": lambda: write_batch(*({"PutRequest": {"Item": key(number)}} for number in range(26))),
    "an empty batch": lambda: client.dynamodb().batch_write_item(RequestItems={}),
    "a table without items in a batch": write_batch,
    "an item written and deleted in a batch": lambda: write_batch(
        {"PutRequest": {"Item": KEY}}, {"DeleteRequest": {"Key": KEY}}
    ),
    "an empty batch of keys": lambda: client.dynamodb().batch_get_item(RequestItems={}),
    "a table without keys in a batch": lambda: client.dynamodb().batch_get_item(RequestItems={ops(): {"Keys": []}}),
    "a 101st key of a batch": lambda: client.dynamodb().batch_get_item(
        RequestItems={ops(): {"Keys": [key(number) for number in range(101)]}}
    ),
    "an empty transaction": transact,
    "a 101st action of a transaction": lambda: transact(*(put_action(number) for number in range(101))),
    "a token of another transaction": replay_with_other_content,
    "a token that is too long": lambda: transact(put_action(1), ClientRequestToken="a" * 37),
    "an empty token": lambda: transact(put_action(1), ClientRequestToken=""),
    "a scan": lambda: client.dynamodb().scan(TableName=ops()),
    "a scan in PartiQL": lambda: client.dynamodb().execute_statement(Statement=f'SELECT * FROM "{ops()}"'),
    "a value that no expression uses": lambda: query(ExpressionAttributeValues={":p": {"S": "p"}, ":q": {"S": "q"}}),
    "a value that a delete does not use": lambda: client.dynamodb().delete_item(
        TableName=ops(), Key=KEY, ConditionExpression="attribute_exists(pk)", ExpressionAttributeValues=ONE
    ),
    "a value that an update of a transaction does not use": lambda: transact(
        {
            "Update": {
                "TableName": ops(),
                "Key": KEY,
                "UpdateExpression": "REMOVE a",
                "ExpressionAttributeValues": ONE,
            }
        }
    ),
    "values without an expression": lambda: client.dynamodb().put_item(
        TableName=ops(), Item=KEY, ExpressionAttributeValues=ONE
    ),
    "a name that no expression uses": lambda: update(ExpressionAttributeNames={"#b": "b"}),
    "no names": lambda: client.dynamodb().put_item(
        TableName=ops(), Item=KEY, ConditionExpression="attribute_not_exists(pk)", ExpressionAttributeNames={}
    ),
    "a name that is not defined": lambda: update("SET #b = :one"),
    "a value that is not defined": lambda: update(ConditionExpression="attribute_not_exists(pk) OR a = :two"),
    "a projected name that is not defined": lambda: query(ProjectionExpression="#a"),
    "a reserved word": lambda: update("SET status = :one"),
    "a reserved word in a condition": lambda: update(ConditionExpression="attribute_not_exists(ttl)"),
    "an empty condition": lambda: client.dynamodb().put_item(TableName=ops(), Item=KEY, ConditionExpression=" "),
    "an expression of more than 4 KB": lambda: update(f"SET {'a' * 4_096} = :one"),
    "more than 300 operators": lambda: update(ConditionExpression=" OR ".join(["a = :one"] * 151)),
    "more than 100 values in one condition": lambda: update(ConditionExpression=f"a IN ({', '.join([':one'] * 101)})"),
    "a limit of zero": lambda: query(Limit=0),
    "a filter by a key": lambda: query(FilterExpression="sk <> :p"),
    "a key of another type": lambda: query(ExpressionAttributeValues={":p": {"N": "1"}}),
    "an attribute that an index does not carry": lambda: query(
        "logOf = :p", "webhooks", IndexName="log", ProjectionExpression="pk, endpointId"
    ),
    "a start that is no key": lambda: query(ExclusiveStartKey={"pk": {"S": "p"}}),
    "an empty key to get": lambda: client.dynamodb().get_item(TableName=ops(), Key=EMPTY),
    "an empty key to update": lambda: client.dynamodb().update_item(
        TableName=ops(), Key=EMPTY, UpdateExpression="REMOVE a"
    ),
    "an empty key to delete": lambda: client.dynamodb().delete_item(TableName=ops(), Key=EMPTY),
    "an empty key in a batch": lambda: write_batch({"DeleteRequest": {"Key": EMPTY}}),
    "an empty key among those of a batch": lambda: client.dynamodb().batch_get_item(
        RequestItems={ops(): {"Keys": [EMPTY]}}
    ),
    "an empty key in a transaction": lambda: transact({"Delete": {"TableName": ops(), "Key": EMPTY}}),
    "an empty key of an item": lambda: client.dynamodb().put_item(TableName=ops(), Item=EMPTY),
    "a key with more than the key": lambda: client.dynamodb().get_item(TableName=ops(), Key=key(a={"S": "x"})),
    "a key that is too long": lambda: client.dynamodb().get_item(
        TableName=ops(), Key={"pk": {"S": "p"}, "sk": {"S": "x" * 1_025}}
    ),
    "39 digits": lambda: put(a={"N": "1" * 39}),
    "a number that is too large": lambda: put(a={"N": "1e126"}),
    "a number that is too large, to compare with": lambda: update(values={":one": {"N": "1e126"}}),
    "a value twice in a set": lambda: put(a={"SS": ["x", "x"]}),
    "33 levels": lambda: put(a=nested(33)),
    "an item of more than 400 KB": lambda: put(a={"B": b"x" * 410_000}),
    "eleven messages": lambda: send_batch(*["{}"] * 11),
    "an empty message": lambda: send(""),
    "a message with what XML cannot say": lambda: send("\x00"),
    "a message that is too long": lambda: send("x" * 262_145),
    "messages that are too long together": lambda: send_batch(*["x" * 30_000] * 9),
    "a delay below zero": lambda: send(DelaySeconds=-1),
    "a delay with a fraction": lambda: send(DelaySeconds=1.5),
    "a delay of more than 15 minutes": lambda: send(DelaySeconds=901),
}


@pytest.mark.parametrize("what", REFUSED)
def test_invalid_aws_requests_are_refused(what: str, refusals: list[str]) -> None:
    with pytest.raises(ClientError) as caught:
        REFUSED[what]()
    assert caught.value.response["Error"]["Code"].rpartition(".")[2] in refusals[-1]
    if what != "a token of another transaction":
        assert stored("ops") == []


def test_a_suppressed_refusal_fails_its_test(refusals: list[str]) -> None:
    queues.hint("outbox", {"text": "x" * 1_000})
    strict_aws.check_nothing_was_refused()
    queues.hint("outbox", {"text": "x" * 300_000})
    with pytest.raises(AssertionError, match="AWS does not take this"):
        strict_aws.check_nothing_was_refused()
    assert len(refusals) == 1


def test_valid_aws_requests_are_not_refused(refusals: list[str]) -> None:
    put(a={"N": "-1.5e-7"}, b={"N": "12345678901234567890123456789012345678"}, c={"N": "0"}, d={"SS": ["x", "y"]})
    put(a=nested(32), b={"M": {"empty": {"S": ""}}}, c={"S": ""}, d={"NULL": True})
    update("SET #s = :one ADD #n :one", ExpressionAttributeNames={"#s": "status", "#n": "count"})
    update(ConditionExpression=" OR ".join(["attribute_exists(a)"] * 100))
    for _ in range(2):
        transact(put_action(1), ClientRequestToken="the same")
    with pytest.raises(ClientError):
        transact(
            {"ConditionCheck": {"TableName": ops(), "Key": key(9), "ConditionExpression": "attribute_exists(pk)"}},
            ClientRequestToken="of a transaction that was cancelled",
        )
    transact(put_action(3), ClientRequestToken="of a transaction that was cancelled")
    found = query("pk = :p AND begins_with(sk, :s)", ExpressionAttributeValues={":p": {"S": "p"}, ":s": {"S": "1"}})
    assert found["Count"] == 1
    query("logOf = :p", "webhooks", IndexName="log", ProjectionExpression="pk, createdAt")
    write_batch(*({"PutRequest": {"Item": key(number)}} for number in range(25)))
    send_batch(*["x" * 26_000] * 10)
    send("x" * 262_144, DelaySeconds=900)
    assert refusals == []


def test_every_aws_operation_that_the_store_uses_is_checked() -> None:
    reads_and_writes = {"GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "BatchGetItem", "BatchWriteItem"}
    assert {*reads_and_writes, "TransactWriteItems", "Scan", "SendMessage", "SendMessageBatch"} <= set(
        strict_aws.CHECKS
    )


def test_threads_of_a_test_can_commit_transactions_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, bytes] = {}
    monkeypatch.setattr(strict_aws, "_tokens", known)
    monkeypatch.setattr(strict_aws, "KEPT_TOKENS", 3)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            works = [pool.submit(strict_aws._remember, str(number), b"") for number in range(20_000)]
            for work in works:
                work.result()
    finally:
        sys.setswitchinterval(before)
    assert len(known) == 3
