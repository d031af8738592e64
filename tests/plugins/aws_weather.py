"""``AWS_WEATHER=SEED``: random transient faults of AWS, repeatable by the same seed (``any`` draws one).

- A query of an index does not see the latest writes, up to ``BEHIND`` of them, until a second has passed.
- Batches come back with some of their items undone.
- Transactions are cancelled by another's, throttled, or still being done.
- A call is throttled, and botocore sends it again: the answer says so.
- A write is done, its answer is lost, and botocore sends it again.
- Where a crash test kills before a write, that write and all after it are throttled until the worker gives up.

The faults also affect a test's own calls during its setup. A test that counts calls exactly, or depends on the moment
at which an index has a write, is marked ``calm`` with the reason; the summary counts them.
"""

import os
import random
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import botocore.client
import pytest
from botocore.exceptions import ClientError

BEHIND: Final = 6  # writes that an index may lack
BEHIND_SECONDS: Final = 1.0
UNDONE: Final = 0.3  # the share of batches that come back with something undone
CANCELLED: Final = 0.15  # of transactions, each try
THROTTLED: Final = 0.1  # of all other calls
LOST: Final = 0.1  # of answers to writes

PASSING: Final = (
    "ThrottlingException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "TransactionInProgressException",
)
REASONS: Final = ("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")
WRITES: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"})

_VARIABLE: Final = "AWS_WEATHER"


class Weather:
    """The faults of one test's calls, drawn from a seed."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self.draw = random.Random(seed)
        self.calm = 0  # how many ``calm`` blocks are running
        self.befell: dict[str, int] = {}

    def begin_again(self) -> None:
        """Restart the drawing of faults, so that an example of Hypothesis, or a crash, repeats with the same faults."""
        self.draw = random.Random(self._seed)

    def happens(self, what: str, share: float) -> bool:
        if self.calm or self.draw.random() >= share:
            return False
        self.befell[what] = self.befell.get(what, 0) + 1
        return True

    def call(self, original: Any, client: Any, operation: str, request: dict[str, Any]) -> Any:
        """Do the call, a part of it, or nothing."""
        if operation == "TransactWriteItems" and self.happens("transactions cancelled", CANCELLED):
            raise self._cancelled(len(request["TransactItems"]))
        if operation == "BatchGetItem" and self.happens("keys unread", UNDONE):
            return self._partly(original, client, operation, request, "UnprocessedKeys")
        if operation == "BatchWriteItem" and self.happens("items unwritten", UNDONE):
            return self._partly(original, client, operation, request, "UnprocessedItems")
        if operation in WRITES and self.happens("answers lost", LOST):
            try:
                original(client, operation, request)
            except ClientError as refused:
                raise _again(refused) from None  # nothing was written that could be written twice
            return self._repeated(original, client, operation, request)
        if self.happens("calls throttled", THROTTLED):
            return self._repeated(original, client, operation, request)
        return original(client, operation, request)

    def _repeated(self, original: Any, client: Any, operation: str, request: dict[str, Any]) -> Any:
        try:
            answer = original(client, operation, request)
        except ClientError as refused:
            raise _again(refused) from None
        answer.setdefault("ResponseMetadata", {})["RetryAttempts"] = 1
        return answer

    def _cancelled(self, actions: int) -> ClientError:
        if self.draw.random() < 0.5:
            return refusal(self.draw.choice(PASSING), "TransactWriteItems")
        reasons = [{"Code": "None"} for _ in range(actions)]
        reasons[self.draw.randrange(actions)] = {"Code": self.draw.choice(REASONS)}
        error = refusal("TransactionCanceledException", "TransactWriteItems")
        error.response["CancellationReasons"] = reasons  # type: ignore[typeddict-unknown-key]
        return error

    def _partly(self, original: Any, client: Any, operation: str, request: dict[str, Any], undone: str) -> Any:
        """Does some of a batch, at least one item."""
        whole = request["RequestItems"]
        every = [(table, number) for table, wanted in whole.items() for number in range(len(_entries(wanted)))]
        some = set(self.draw.sample(every, self.draw.randint(1, len(every))))
        answer = original(client, operation, {**request, "RequestItems": _those(whole, some)})
        left = _those(whole, set(every) - some)
        for table, entries in left.items():
            before = answer.setdefault(undone, {}).get(table)
            answer[undone][table] = entries if before is None else _joined(before, entries)
        return answer


def _entries(wanted: Any) -> list[Any]:
    found: list[Any] = wanted["Keys"] if isinstance(wanted, dict) else wanted
    return found


def _those(whole: dict[str, Any], chosen: set[tuple[str, int]]) -> dict[str, Any]:
    found = {}
    for table, wanted in whole.items():
        kept = [entry for number, entry in enumerate(_entries(wanted)) if (table, number) in chosen]
        if kept:
            found[table] = {**wanted, "Keys": kept} if isinstance(wanted, dict) else kept
    return found


def _joined(before: Any, entries: Any) -> Any:
    if isinstance(before, dict):
        return {**before, "Keys": before["Keys"] + entries["Keys"]}
    return before + entries


def _again(error: ClientError) -> ClientError:
    """The error as it comes of a request that was sent a second time."""
    error.response.setdefault("ResponseMetadata", {})["RetryAttempts"] = 1  # type: ignore[typeddict-item]
    return error


def refusal(code: str, operation: str) -> ClientError:
    """The error of a call that AWS refuses for now, after all of botocore's own tries."""
    return ClientError(
        {
            "Error": {"Code": code, "Message": "AWS is busy (AWS_WEATHER)"},
            "ResponseMetadata": {"HTTPStatusCode": 400, "RetryAttempts": 2},  # type: ignore[typeddict-item]
        },
        operation,
    )


# --------------------------------------------------------------------------------------------------- indexes


class Behind:
    """Changes of indexes that queries do not see yet, oldest first."""

    def __init__(self, weather: Weather) -> None:
        self.weather = weather
        self.waiting: deque[tuple[Any, Any, Any, Any, int, float]] = deque()
        self.writes = 0

    def change(self, inner: Any, items: Any, index: Any, old: Any, new: Any) -> None:
        from chalicelib import clock

        self.writes += 1
        self.waiting.append((items, index, old, new, self.writes, clock.now()))
        self.catch_up(inner, BEHIND if not self.weather.calm else 0)

    def catch_up(self, inner: Any, behind: int) -> None:
        """Does all changes but the latest ``behind``, and those that are a second old."""
        from chalicelib import clock

        now = clock.now()
        while self.waiting:
            items, index, old, new, number, at = self.waiting[0]
            if self.writes - number < behind and abs(now - at) < BEHIND_SECONDS:
                return
            self.waiting.popleft()
            inner(items, index, old, new)

    def read(self, inner: Any) -> None:
        behind = self.weather.draw.randint(0, BEHIND) if self.weather.happens("indexes read", 0.5) else 0
        self.catch_up(inner, behind)

    def forget(self, items: Any) -> None:
        self.waiting = deque(one for one in self.waiting if one[0] is not items)


# --------------------------------------------------------------------------------------------------- the hook

_weather: Weather | None = None
_behind: Behind | None = None
_calm: pytest.StashKey[dict[str, int]] = pytest.StashKey()
_befell: dict[str, int] = {}


def bad() -> bool:
    """Whether calls may fail now."""
    return _weather is not None and not _weather.calm


@contextmanager
def calm() -> Iterator[None]:
    """No faults during the block."""
    weather = _weather
    if weather is None:
        yield
        return
    weather.calm += 1
    try:
        yield
    finally:
        weather.calm -= 1


def pytest_configure(config: pytest.Config) -> None:
    """Reads the seed, or draws one, and hooks into every call to AWS."""
    config.addinivalue_line("markers", "calm(reason): no bad weather of AWS (AWS_WEATHER) in this test, and why")
    config.stash[_calm] = {}
    seed = os.environ.get(_VARIABLE)
    if not seed:
        return
    if seed == "any":
        os.environ[_VARIABLE] = str(random.SystemRandom().randrange(1_000_000))
    elif not seed.isdecimal():
        raise pytest.UsageError(f"{_VARIABLE} is {seed!r}: a whole number, or any")
    _stand_between()


def pytest_report_header() -> str | None:
    """The seed, so that a failure can be repeated."""
    seed = os.environ.get(_VARIABLE)
    return f"weather of AWS: {_VARIABLE}={seed}" if seed else None


def _stand_between() -> None:
    from chalicelib.store import backoff
    from local import moto_items

    original = botocore.client.BaseClient._make_api_call
    index, partition, clear = moto_items.Items._index, moto_items.Items.index_partition, moto_items.Items.clear

    def call(self: Any, operation: str, request: dict[str, Any]) -> Any:
        if _weather is None:
            return original(self, operation, request)
        return _weather.call(original, self, operation, request)

    def change(self: Any, of: Any, old: Any, new: Any) -> None:
        if _behind is None:
            index(self, of, old, new)
        else:
            _behind.change(index, self, of, old, new)

    def read(self: Any, of: Any, hash_key: Any) -> Any:
        if _behind is not None:
            _behind.read(index)
        return partition(self, of, hash_key)

    def cleared(self: Any) -> None:
        if _behind is not None:
            _behind.forget(self)
            _behind.weather.begin_again()
        clear(self)

    botocore.client.BaseClient._make_api_call = call
    items: Any = moto_items.Items
    items._index, items.index_partition, items.clear = change, read, cleared
    backoff.FIRST_SECONDS = backoff.LONGEST_SECONDS = 0.0  # there is more to wait for than in good weather


@pytest.fixture(autouse=True)
def weather(request: pytest.FixtureRequest) -> Iterator[None]:
    """Draws the faults of this test."""
    global _weather, _behind
    seed = os.environ.get(_VARIABLE)
    reason = request.node.get_closest_marker("calm")
    if not seed:
        yield
        return
    if reason is not None:
        counted = request.config.stash[_calm]
        counted[reason.args[0]] = counted.get(reason.args[0], 0) + 1
        yield
        return
    _weather = Weather(f"{seed} {request.node.nodeid}")
    _behind = Behind(_weather)
    try:
        yield
    finally:
        from local import moto_items

        weather, behind, _weather, _behind = _weather, _behind, None, None
        behind.catch_up(moto_items.Items._index, 0)
        for what, times in weather.befell.items():
            _befell[what] = _befell.get(what, 0) + times


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The faults in this process (in a run without ``-n``), and the calm tests."""
    for what, times in sorted(_befell.items()):
        terminalreporter.write_line(f"weather of AWS: {what} {times} times")
    for reason, tests in sorted(config.stash[_calm].items()):
        terminalreporter.write_line(f"weather of AWS: calm in {tests} tests: {reason}")
