"""Expressions are parsed once, and every request has its own names, values and item."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError

from chalicelib.settings.core import core_settings
from chalicelib.store import client
from local import moto_expressions

pytestmark = pytest.mark.calm("asks botocore itself, which tries nothing again")
KEY = {"pk": {"S": "P"}, "sk": {"S": "S"}}


@pytest.fixture(autouse=True)
def empty(store: None) -> None:
    """Empty tables."""


def update(expression: str, condition: str | None = None, names: Any = None, values: Any = None) -> dict[str, Any]:
    """The item after an update."""
    given = {
        "ConditionExpression": condition,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }
    answer = client.dynamodb().update_item(
        TableName=core_settings().table_prefix + "sites",
        Key=KEY,
        UpdateExpression=expression,
        ReturnValues="ALL_NEW",
        **{name: value for name, value in given.items() if value is not None},  # type: ignore[arg-type]
    )
    return {name: value for name, value in answer["Attributes"].items() if name not in KEY}


def number(value: int) -> dict[str, str]:
    return {"N": str(value)}


def test_a_parsed_update_expression_is_reused_with_other_names_and_values() -> None:
    expression = "SET #a = if_not_exists(#a, :zero) + :one"
    for name, one in (("x", 1), ("y", 2), ("x", 3)):
        item = update(expression, names={"#a": name}, values={":zero": number(0), ":one": number(one)})
    assert item == {"x": number(4), "y": number(2)}


def test_threads_that_share_an_expression_do_not_affect_each_other() -> None:
    """Every call holds the lock from copying the parsed expression until the item is stored."""
    expression, count = "SET #a = if_not_exists(#a, :zero) + :step", 20

    def add(thread: int) -> None:
        for _ in range(count):
            update(expression, names={"#a": f"t{thread}"}, values={":zero": number(0), ":step": number(thread)})

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(add, range(16)))
    item = update("SET z = :z", values={":z": number(0)})
    assert item == {"z": number(0)} | {f"t{thread}": number(count * thread) for thread in range(16)}


VALUES = {":a": {"S": "one"}, ":b": {"N": "2"}, ":c": {"N": "3"}}
SCHEMA = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]


@pytest.mark.parametrize(
    "expression",
    [
        *(
            "pk = :a",
            "#p = :a AND sk = :b",
            "pk=:a and begins_with(sk, :c)",
            "pk=:a and begins_with(sk, :x)",
            "pk = :a AND sk BETWEEN :b AND :c",
        ),
        *(
            "(pk = :a) AND (sk <= :b)",
            "pk = :b AND sk > :a",
            "sk = :a",
            "pk > :a",
            "pk = :missing",
            "pk = :a AND x = :b",
        ),
        *("size(pk) = :a", "pk = literal AND sk = :b", "pk = :a AND sk = literal "),
    ],
)
def test_a_key_condition_is_parsed_as_moto_parses_it(expression: str) -> None:
    def parsed(parse: Any, values: Any) -> Any:
        try:
            return parse(
                key_condition_expression=expression,
                expression_attribute_values=values,
                expression_attribute_names={"#p": "pk"},
                schema=SCHEMA,
            )
        except Exception as error:
            return str(error)

    for values in (
        VALUES,
        VALUES,
        VALUES | {":a": {"S": "two"}},
        VALUES | {":a": {"S": ""}},
        VALUES | {":b": {"S": ""}},
    ):
        assert parsed(moto_expressions.keys_of, values) == parsed(moto_expressions._moto_keys, values)


def test_repeated_updates_append_to_a_list() -> None:
    expression, empty_list = "SET #a = list_append(if_not_exists(#a, :none), :more)", {"L": []}
    for text in ("first", "second", "third"):
        item = update(expression, names={"#a": "texts"}, values={":none": empty_list, ":more": {"L": [{"S": text}]}})
    assert item == {"texts": {"L": [{"S": "first"}, {"S": "second"}, {"S": "third"}]}}


def test_a_parsed_condition_is_reused_with_other_names_and_values() -> None:
    update("SET x = :x, y = :y", values={":x": number(1), ":y": number(2)})
    condition = "#a = :a AND (attribute_not_exists(z) OR #a IN (:a, :b))"
    for name, value, holds in (("x", 1, True), ("x", 2, False), ("y", 2, True), ("y", 1, False)):
        values = {":a": number(value), ":b": number(9), ":same": number(5)}
        if holds:
            assert update("SET w = :same", condition, {"#a": name}, values)["w"] == number(5)
        else:
            with pytest.raises(ClientError, match="ConditionalCheckFailed"):
                update("SET w = :same", condition, {"#a": name}, values)


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("SET #a = :v, #b = :v", {"#a": "x", "#b": "x"}),  # one path twice
        ("SET #a = :v REMOVE #b", {"#a": "pk", "#b": "x"}),  # a key
        ("SET #a = :v SET #b = :v", {"#a": "x", "#b": "y"}),  # two clauses
        ("SET #a = #b + :v", {"#a": "x", "#b": "missing"}),
        ("SET #a.#b = :v", {"#a": "missing", "#b": "x"}),
    ],
)
def test_an_invalid_update_is_refused_every_time(expression: str, names: dict[str, str], refusals: list[str]) -> None:
    for _ in range(3):
        with pytest.raises(ClientError, match="ValidationException"):
            update(expression, names=names, values={":v": number(1)})
    assert len(refusals) == 3


def test_an_expression_works_with_valid_names_after_an_invalid_update(refusals: list[str]) -> None:
    expression = "SET #a = :v, #b = :v"
    with pytest.raises(ClientError, match="ValidationException"):
        update(expression, names={"#a": "x", "#b": "x"}, values={":v": number(1)})
    assert update(expression, names={"#a": "x", "#b": "y"}, values={":v": number(1)}).keys() == {"x", "y"}
    assert len(refusals) == 1


@pytest.mark.parametrize("condition", ["((#a = :v))", "#a = :v AND", "#a = :v)", "size(:v) = :v"])
def test_an_invalid_condition_is_refused_every_time(condition: str, refusals: list[str]) -> None:
    for _ in range(2):
        with pytest.raises((ClientError, ValueError)):
            update("SET y = :v", condition, {"#a": "x"}, {":v": number(1)})
