"""What passes by itself is tried again, so often and no more; and what is asked of DynamoDB, word for word."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from chalicelib.store import backoff, client, items
from chalicelib.store.errors import Conflict
from chalicelib.store.marshalling import to_item
from chalicelib.store.transactions import Put, commit

pytestmark = [pytest.mark.usefixtures("store"), pytest.mark.calm("it counts the tries, and says what they meet")]

PUT = Put("sites", {"pk": "A", "sk": "1"}, name="the first")
Operation = Callable[..., Any]


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The tries after which the code waited."""
    after: list[int] = []
    monkeypatch.setattr(backoff, "wait", after.append)
    return after


def answered(
    monkeypatch: pytest.MonkeyPatch, operation: str, answer: Callable[[Operation, dict[str, Any]], Any]
) -> list[dict[str, Any]]:
    """Lets ``answer`` answer an operation, given the real one; the list has the requests as they come."""
    asked: list[dict[str, Any]] = []
    real = getattr(client.dynamodb(), operation)

    def instead(**request: Any) -> Any:
        asked.append(request)
        return answer(real, request)

    monkeypatch.setattr(client.dynamodb(), operation, instead)
    return asked


def failure(code: str, *reasons: str) -> ClientError:
    said: dict[str, Any] = {"Error": {"Code": code, "Message": ""}}
    if reasons:
        said["CancellationReasons"] = [{"Code": reason} for reason in reasons]
    return ClientError(said, "TransactWriteItems")  # type: ignore[arg-type]


CANCELLED = "TransactionCanceledException"
PASSING = [
    *((CANCELLED, reason) for reason in ("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")),
    (CANCELLED, "None", "TransactionConflict"),
    ("TransactionInProgressException",),
    ("ThrottlingException",),
    ("ProvisionedThroughputExceededException",),
    ("RequestLimitExceeded",),
]


@pytest.mark.parametrize("said", PASSING, ids=" ".join)
def test_a_transaction_with_conflicts_is_tried_eight_times(
    said: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, waits: list[int]
) -> None:
    def refuse(real: Operation, request: dict[str, Any]) -> None:
        raise failure(*said)

    asked = answered(monkeypatch, "transact_write_items", refuse)
    with pytest.raises((ClientError, Conflict)) as refused:
        commit([PUT])
    if "TransactionConflict" in said:  # others were quicker each time: what was loaded is out of date by now
        assert isinstance(refused.value, Conflict) and refused.value.failed == {}
    else:
        assert isinstance(refused.value, ClientError) and refused.value.response["Error"]["Code"] == said[0]
    assert len(asked) == 8 and waits == list(range(7))
    tokens = {request["ClientRequestToken"] for request in asked}
    assert len(tokens) == (8 if said[0] == CANCELLED else 1)
    assert all(len(token) == 32 for token in tokens)


@pytest.mark.parametrize(
    "said", [("ValidationException",), (CANCELLED, "ValidationError"), (CANCELLED,), ("AccessDeniedException",)]
)
def test_a_transaction_with_any_other_error_is_not_retried(
    said: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, waits: list[int]
) -> None:
    def refuse(real: Operation, request: dict[str, Any]) -> None:
        raise failure(*said)

    asked = answered(monkeypatch, "transact_write_items", refuse)
    with pytest.raises(ClientError):
        commit([PUT])
    assert len(asked) == 1 and waits == []


def test_a_failed_condition_is_a_conflict_even_if_another_write_failed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(real: Operation, request: dict[str, Any]) -> None:
        raise failure(CANCELLED, "ConditionalCheckFailed", "TransactionConflict")

    asked = answered(monkeypatch, "transact_write_items", refuse)
    with pytest.raises(Conflict) as conflict:
        commit([PUT, Put("sites", {"pk": "A", "sk": "2"})])
    assert conflict.value.failed == {"the first": None}
    assert len(asked) == 1


def test_a_batch_read_repeats_the_unprocessed_keys(monkeypatch: pytest.MonkeyPatch, waits: list[int]) -> None:
    for number in range(3):
        items.put("sites", {"pk": "A", "sk": str(number)})

    def one_a_call(real: Operation, request: dict[str, Any]) -> Any:
        ((table, part),) = request["RequestItems"].items()
        answer = real(RequestItems={table: {**part, "Keys": part["Keys"][:1]}})
        left = part["Keys"][1:]
        return {**answer, "UnprocessedKeys": {table: {**part, "Keys": left}} if left else {}}

    asked = answered(monkeypatch, "batch_get_item", one_a_call)
    found = items.batch_get([("sites", "A", str(number)) for number in range(3)])
    assert {sk for _, _, sk in found} == {"0", "1", "2"}
    assert len(asked) == 3 and waits == [0, 1]
    assert all(part["ConsistentRead"] is True for request in asked for part in request["RequestItems"].values())


def test_a_batch_that_is_never_completed_times_out(monkeypatch: pytest.MonkeyPatch, waits: list[int]) -> None:
    reads = answered(
        monkeypatch,
        "batch_get_item",
        lambda real, request: {"Responses": {}, "UnprocessedKeys": request["RequestItems"]},
    )
    with pytest.raises(TimeoutError):
        items.batch_get([("sites", "A", "1")])
    assert len(reads) == 10 and waits == list(range(10))
    waits.clear()
    writes = answered(
        monkeypatch, "batch_write_item", lambda real, request: {"UnprocessedItems": request["RequestItems"]}
    )
    with pytest.raises(TimeoutError):
        items.batch_write(puts=[("sites", {"pk": "A", "sk": "1"})])
    assert len(writes) == 10 and waits == list(range(10))


def test_a_batch_writes_25_items_a_call_and_retries_the_rest(monkeypatch: pytest.MonkeyPatch, waits: list[int]) -> None:
    items.put("accounts", {"pk": "A", "sk": "old"})

    def all_but_one(real: Operation, request: dict[str, Any]) -> Any:
        (table, *others), wanted = request["RequestItems"], request["RequestItems"]
        if len(wanted[table]) == 1:
            return real(**request)
        real(RequestItems={table: wanted[table][1:]} | {other: wanted[other] for other in others})
        return {"UnprocessedItems": {table: wanted[table][:1]}}

    asked = answered(monkeypatch, "batch_write_item", all_but_one)
    items.batch_write(
        puts=[("sites", {"pk": "A", "sk": f"{number:02d}"}) for number in range(26)], deletes=[("accounts", "A", "old")]
    )
    sizes = [sum(map(len, request["RequestItems"].values())) for request in asked]
    assert sizes == [25, 1, 2] and waits == [0]
    assert len(items.query("sites", "A")[0]) == 26
    assert items.get("accounts", "A", "old") is None


def test_reads_are_strongly_consistent_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    gets = answered(monkeypatch, "get_item", lambda real, request: real(**request))
    queries = answered(monkeypatch, "query", lambda real, request: real(**request))
    batches = answered(monkeypatch, "batch_get_item", lambda real, request: real(**request))
    for options in ({}, {"consistent": False}):
        items.get("sites", "A", "1", **options)
        items.query("sites", "A", **options)
        items.batch_get([("sites", "A", "1")], **options)
    assert [request["ConsistentRead"] for request in gets] == [True, False]
    assert [request["ConsistentRead"] for request in queries] == [True, False]
    assert [
        part["ConsistentRead"] for request in batches for part in request["RequestItems"].values()
    ] == [True, False]  # fmt: skip


def test_expired_items_do_not_count_towards_the_limit_of_a_query(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        items.put("ops", {"pk": "A", "sk": str(number), "ttl": 1 if number in (0, 2) else None})
    asked = answered(monkeypatch, "query", lambda real, request: real(**request))
    found, position = items.query("ops", "A", limit=2)
    assert [row["sk"] for row in found] == ["1", "3"]
    assert [request["Limit"] for request in asked] == [2, 1, 1]
    assert position == {"pk": "A", "sk": "3"}
    rest, end = items.query("ops", "A", limit=2, start=position)
    assert [row["sk"] for row in rest] == ["4"] and end is None
    assert asked[3]["ExclusiveStartKey"] == to_item(position)


def test_a_query_for_keys_includes_the_expiry_time(monkeypatch: pytest.MonkeyPatch) -> None:
    items.put("ops", {"pk": "A", "sk": "1", "ttl": 4_000_000_000, "data": "x"})
    assert items.query("ops", "A", keys_only=True)[0] == [{"pk": "A", "sk": "1", "ttl": 4_000_000_000}]
    items.put("sites", {"pk": "A", "sk": "1", "dueShard": "DUE#00", "nextAuditAt": 1, "data": "x"})
    found, _ = items.query("sites", "DUE#00", index="due", before=("nextAuditAt", 1), keys_only=True)
    assert found == [{"pk": "A", "sk": "1"}]


def test_an_index_is_read_page_by_page_in_order_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        items.put("sites", {"pk": "A", "sk": str(number), "dueShard": "DUE#00", "nextAuditAt": 100 - number})
    asked = answered(monkeypatch, "query", lambda real, request: real(**request))
    assert [row["sk"] for row in items.query_index("due", "DUE#00", 99, page=2)] == ["4", "3", "2", "1"]
    assert [request["Limit"] for request in asked] == [2, 2, 2]
    assert all(request["IndexName"] and "ConsistentRead" not in request for request in asked)
    assert next(items.query_index("due", "DUE#00", 95), None) is None
    assert asked[-1]["Limit"] == 100
