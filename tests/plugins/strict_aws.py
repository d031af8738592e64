"""Refuses requests that DynamoDB and SQS refuse but moto, with the additions of ``local``, accepts.

A refusal raises AWS's error and is recorded, so a test also fails if the code swallows the error. Requests that the
store itself finds invalid are recorded too. A test that expects refusals takes ``refusals``.

All calls of this process are checked; calls of services that a test starts as separate programs are not.
"""

import hashlib
import marshal
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import botocore.client
import pytest
from botocore.exceptions import ClientError

from chalicelib.settings.core import core_settings
from management import template

BATCH_WRITES: Final = 25
MESSAGE_BYTES: Final = 256 * 1024  # SQS accepts more by now; no hint should need it
TOKEN_LENGTH: Final = 36
KEPT_TOKENS: Final = 1_000
EXPRESSION_BYTES: Final = 4_096
OPERATORS: Final = 300
IN_OPERANDS: Final = 100
DIGITS: Final = 38
MAGNITUDE: Final = 125
DEPTH: Final = 32
LONGEST_KEY: Final = {"HASH": 2_048, "RANGE": 1_024}

# The store's own errors for requests that are invalid whatever is stored.
INVALID: Final = frozenset(
    {
        *("ValidationException", "SerializationException", "InvalidParameterValue"),
        *("TooManyEntriesInBatchRequest", "BatchRequestTooLong", "BatchEntryIdsNotDistinct", "EmptyBatchRequest"),
    }
)
EXPRESSIONS: Final = (
    *("ConditionExpression", "FilterExpression", "KeyConditionExpression"),
    *("ProjectionExpression", "UpdateExpression"),
)
_PLACEHOLDER: Final = re.compile(r"[#:]\w+")
_OPERATOR: Final = re.compile(r"<>|<=|>=|[=<>+-]|\b(?:AND|OR|NOT|BETWEEN|IN)\b|\b\w+\s*\(", re.IGNORECASE)
_IN: Final = re.compile(r"\bIN\s*\(([^)]*)\)", re.IGNORECASE)
_COMPARED: Final = re.compile(r"(#?\w+)\s*(?:=|<=|>=|<|>|,|\bBETWEEN\b)\s*(:\w+)", re.IGNORECASE)
_NOT_IN_MESSAGES: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Json = Mapping[str, Any]


class _Refused(Exception):
    """The code and the message that AWS answers with."""

    def __init__(self, message: str, code: str = "ValidationException") -> None:
        super().__init__(message)
        self.code = code


# --------------------------------------------------------------------------------------------------- tables


@dataclass(frozen=True)
class _Table:
    """A table's keys by attribute name (HASH or RANGE), types, and what each index has: its keys, its attributes (None:
    all of them)."""

    keys: Mapping[str, str]
    types: Mapping[str, str]
    indexes: Mapping[str, tuple[frozenset[str], frozenset[str] | None]]


@lru_cache(maxsize=8)
def _tables(prefix: str) -> dict[str, _Table]:
    found = {}
    for table in template.tables():
        keys = {part["AttributeName"]: part["KeyType"] for part in table.create["KeySchema"]}
        types = {part["AttributeName"]: part["AttributeType"] for part in table.create["AttributeDefinitions"]}
        indexes = {}
        for index in table.create.get("GlobalSecondaryIndexes", []):
            own = frozenset(part["AttributeName"] for part in index["KeySchema"])
            projection = index["Projection"]
            carried = None
            if projection["ProjectionType"] != "ALL":
                carried = own | set(keys) | set(projection.get("NonKeyAttributes", ()))
            indexes[index["IndexName"]] = own, carried
        found[table.name] = _Table(keys, types, indexes)
    return found


def _table(name: str) -> _Table | None:
    """The table of the template that has this name. None: there is none, which the store itself says."""
    return _tables(core_settings().table_prefix).get(name)


def _check_key(name: str, key: Json) -> None:
    table = _table(name)
    if table is None:
        return
    if set(key) != set(table.keys):
        raise _Refused("The provided key element does not match the schema")
    for attribute, kind in table.keys.items():
        ((given, value),) = key[attribute].items()
        if given != table.types[attribute]:
            raise _Refused("The provided key element does not match the schema")
        if value in ("", b""):
            raise _Refused(
                "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
                f"empty string value. Key: {attribute}"
            )
        if len(value.encode() if isinstance(value, str) else value) > LONGEST_KEY[kind]:
            raise _Refused(f"One or more parameter values were invalid: the key {attribute} is too long")


def _check_value(value: Json, depth: int = 1) -> None:
    ((kind, content),) = value.items()
    if depth > DEPTH:
        raise _Refused("Nesting Levels have exceeded supported limits")
    if kind == "N":
        _check_number(content)
    elif kind == "M":
        for member in content.values():
            _check_value(member, depth + 1)
    elif kind == "L":
        for member in content:
            _check_value(member, depth + 1)
    elif kind in ("SS", "NS", "BS") and len(set(content)) < len(content):
        raise _Refused("One or more parameter values were invalid: Input collection contains duplicates.")


def _check_number(text: str) -> None:
    mantissa, _, exponent = text.lower().partition("e")
    digits = mantissa.lstrip("+-").replace(".", "").strip("0")
    if len(digits) > DIGITS:
        raise _Refused("Attempting to store more than 38 significant digits in a Number")
    whole = mantissa.lstrip("+-").partition(".")[0].lstrip("0")
    if digits and not -MAGNITUDE - 5 <= int(exponent or 0) + len(whole) - 1 <= MAGNITUDE:
        raise _Refused("Number overflow. Attempting to store a number with magnitude larger than supported range")


# --------------------------------------------------------------------------------------------------- expressions


@lru_cache(maxsize=4_096)
def _used(expressions: tuple[str, ...]) -> frozenset[str]:
    """The placeholders of expressions. Raises ``_Refused`` for one that is too long or too large."""
    found: set[str] = set()
    for expression in expressions:
        if not expression.strip():
            raise _Refused("Invalid expression: The expression can not be empty;")
        if len(expression.encode()) > EXPRESSION_BYTES:
            raise _Refused("Invalid expression: Expression size has exceeded the maximum allowed size;")
        if len(_OPERATOR.findall(expression)) > OPERATORS:
            raise _Refused("Invalid expression: The expression contains too many operators;")
        if any(operands.count(",") >= IN_OPERANDS for operands in _IN.findall(expression)):
            raise _Refused("Invalid expression: The IN operator is provided with too many operands;")
        found.update(_PLACEHOLDER.findall(expression))
    return frozenset(found)


def _check_expressions(request: Json) -> None:
    used = _used(tuple(request[name] for name in EXPRESSIONS if request.get(name) is not None))
    for parameter, sign in (("ExpressionAttributeNames", "#"), ("ExpressionAttributeValues", ":")):
        given = request.get(parameter)
        if given is not None and not given:
            raise _Refused(f"{parameter} must not be empty")
        wanted = {name for name in used if name[0] == sign}
        undefined, unused = sorted(wanted - set(given or ())), sorted(set(given or ()) - wanted)
        if undefined:
            raise _Refused(f"Invalid expression: {parameter} lacks what is used in an expression: {undefined}")
        if unused:
            raise _Refused(f"Value provided in {parameter} unused in expressions: keys: {unused}")
    for value in (request.get("ExpressionAttributeValues") or {}).values():
        _check_value(value)


def _check_query(request: Json) -> None:
    _check_expressions(request)
    if request.get("Limit", 1) < 1:
        raise _Refused("Limit must be at least 1")
    table = _table(request["TableName"])
    if table is None:
        return
    names, values = request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})
    keys, carried = frozenset(table.keys), None
    if "IndexName" in request and request["IndexName"] in table.indexes:
        keys, carried = table.indexes[request["IndexName"]]
    for name, value in _COMPARED.findall(request.get("KeyConditionExpression", "")):
        ((kind, content),) = values[value].items()
        if kind != table.types.get(names.get(name, name)) or content == "":
            raise _Refused("One or more parameter values were invalid: Condition parameter type does not match")
    filtered = {names.get(word, word) for word in re.findall(r"#?\w+", request.get("FilterExpression", ""))}
    if filtered & keys:
        raise _Refused("Filter Expression can only contain non-primary key attributes")
    if carried is not None and "ProjectionExpression" in request:
        wanted = {names.get(path, path) for path in re.split(r"\s*,\s*", request["ProjectionExpression"].strip())}
        if wanted - carried:
            raise _Refused(f"{request['IndexName']} does not project {sorted(wanted - carried)}")
    start = request.get("ExclusiveStartKey")
    if start is not None and set(start) != keys | set(table.keys):
        raise _Refused("The provided starting key is invalid")


# --------------------------------------------------------------------------------------------------- operations


def _check_put(request: Json) -> None:
    _check_expressions(request)
    for value in request["Item"].values():
        _check_value(value)


def _check_keyed(request: Json) -> None:
    _check_key(request["TableName"], request["Key"])
    _check_expressions(request)


def _check_batch_get(request: Json) -> None:
    if not request["RequestItems"]:
        raise _Refused("RequestItems must have at least one entry")
    for name, wanted in request["RequestItems"].items():
        if not wanted["Keys"]:
            raise _Refused("Keys must have at least one entry")
        for key in wanted["Keys"]:
            _check_key(name, key)
        _check_expressions(wanted)


def _check_batch_write(request: Json) -> None:
    requests = [(name, one) for name, found in request["RequestItems"].items() for one in found]
    if not requests or not all(request["RequestItems"].values()):
        raise _Refused("The batch write request list must have at least one entry")
    if len(requests) > BATCH_WRITES:
        raise _Refused("Too many items requested for the BatchWriteItem call")
    seen = set()
    for name, one in requests:
        ((_, content),) = one.items()
        item = content.get("Item") or content["Key"]
        table = _table(name)
        if table is None:
            continue
        key = {attribute: item[attribute] for attribute in table.keys if attribute in item}
        _check_key(name, content.get("Key") or key)
        for value in item.values():
            _check_value(value)
        place = name, *(str(key[attribute]) for attribute in table.keys)
        if place in seen:
            raise _Refused("Provided list of item keys contains duplicates")
        seen.add(place)


def _check_transaction(request: Json) -> None:
    if not request["TransactItems"]:
        raise _Refused("Member must have length greater than or equal to 1")
    for item in request["TransactItems"]:
        ((kind, action),) = item.items()
        (_check_put if kind == "Put" else _check_keyed)(action)
    token = request.get("ClientRequestToken")
    if token is None:
        return
    if not 1 <= len(token) <= TOKEN_LENGTH:
        raise _Refused("ClientRequestToken must have from 1 to 36 characters")
    if token in _tokens and _tokens[token] != _digest(request):
        raise _Refused("The request token was used for other content", "IdempotentParameterMismatchException")


def _digest(request: Json) -> bytes:
    # Version 2 writes equal values alike. Later versions also write which of them are one object.
    return hashlib.blake2b(marshal.dumps(request["TransactItems"], 2)).digest()


def _refuse_scan(request: Json) -> None:
    if _scans_allowed:
        return
    raise _Refused("AccessDenied: no function may scan a table", "AccessDeniedException")


def _check_message(message: Json) -> None:
    body, delay = message["MessageBody"], message.get("DelaySeconds", 0)
    if not body:
        raise _Refused("The request must contain the parameter MessageBody.", "MissingParameter")
    if _NOT_IN_MESSAGES.search(body):
        raise _Refused("Invalid binary character was found in the message body", "InvalidMessageContents")
    if type(delay) is not int or delay < 0:
        raise _Refused("DelaySeconds must be >= 0 and <= 900.", "InvalidParameterValue")


def _check_messages(request: Json) -> None:
    messages = request.get("Entries", [request])
    for message in messages:
        _check_message(message)
    if sum(len(message["MessageBody"].encode()) for message in messages) > MESSAGE_BYTES:
        raise _Refused(f"Messages must be shorter than {MESSAGE_BYTES} bytes together", "BatchRequestTooLong")


CHECKS: Final = {
    "GetItem": _check_keyed,
    "PutItem": _check_put,
    "UpdateItem": _check_keyed,
    "DeleteItem": _check_keyed,
    "Query": _check_query,
    "BatchGetItem": _check_batch_get,
    "BatchWriteItem": _check_batch_write,
    "TransactWriteItems": _check_transaction,
    "Scan": _refuse_scan,
    "ExecuteStatement": _refuse_scan,
    "SendMessage": _check_messages,
    "SendMessageBatch": _check_messages,
}


# --------------------------------------------------------------------------------------------------- the hook


_tokens: dict[str, bytes] = {}  # of the transactions that were done, oldest first
_lock = threading.Lock()
_refusals: list[str] = []
_scans_allowed = 0


@contextmanager
def scans_allowed() -> Iterator[None]:
    """Allow scans of a test's own, to look something up or to empty tables."""
    global _scans_allowed
    _scans_allowed += 1
    try:
        yield
    finally:
        _scans_allowed -= 1


def _called(original: Any, client: Any, operation: str, request: dict[str, Any]) -> Any:
    check = CHECKS.get(operation)
    if check is not None:
        try:
            check(request)
        except _Refused as refused:
            _refusals.append(f"{operation}: {refused.code}: {refused}")
            raise ClientError(
                {
                    "Error": {"Code": refused.code, "Message": str(refused)},
                    "ResponseMetadata": {"HTTPStatusCode": 400, "RetryAttempts": 0},
                },
                operation,
            ) from None
    try:
        answer = original(client, operation, request)
    except ClientError as error:
        code = error.response["Error"]["Code"].rsplit(".", 1)[-1]
        if code in INVALID:
            _refusals.append(f"{operation}: {code}: {error.response['Error']['Message']}")
        raise
    if operation == "TransactWriteItems" and "ClientRequestToken" in request:
        _remember(request["ClientRequestToken"], _digest(request))
    return answer


def _remember(token: str, digest: bytes) -> None:
    """Remember the transaction of a token, and forget the oldest. Several threads of a test may call this at once."""
    with _lock:
        _tokens[token] = digest
        if len(_tokens) > KEPT_TOKENS:
            del _tokens[next(iter(_tokens))]


def pytest_configure(config: pytest.Config) -> None:
    """Hooks into every call."""
    original = botocore.client.BaseClient._make_api_call

    def looked_at(self: Any, operation: str, request: dict[str, Any]) -> Any:
        return _called(original, self, operation, request)

    botocore.client.BaseClient._make_api_call = looked_at


@pytest.fixture
def refusals() -> Iterable[list[str]]:
    """The refusals of the running test, for its own checks: ``Operation: Code: message``."""
    return _refusals


@pytest.fixture(autouse=True)
def only_what_aws_takes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test that makes a request that AWS refuses."""
    _refusals.clear()
    yield
    if "refusals" not in request.fixturenames:
        check_nothing_was_refused()


def check_nothing_was_refused() -> None:
    """Fails when AWS refused something in this test."""
    assert _refusals == [], "AWS does not take this"
