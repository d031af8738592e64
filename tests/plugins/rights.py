"""Checks every call to AWS and every read of a secret setting in the suite against the rights of the calling function
(``infra/functions.py``).

A call belongs to the function whose entry is the innermost on the stack: the worker that ``app.py`` imports, or the
endpoint group whose view runs. A view's calls also belong to the app's function, which runs views in its own process.
Threads of a pool belong to the function that started them. A test's own calls, also inside a worker, belong to
no function. A call without a right fails the test.

After a run of the whole suite, rights that no function used fail the run. With ``RIGHTS_USED=FOLDER`` neither fails:
the calls are recorded there, one file a process, and ``python -m infra.functions FOLDER`` reports missing and unused
rights.
"""

import ast
import json
import os
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any, Final

import botocore.client
import botocore.signers
import pytest

from chalicelib.settings.core import core_settings
from chalicelib.settings.every import SUBJECTS
from chalicelib.settings.speed import speed_settings
from chalicelib.settings.writes import write_settings
from chalicelib.store import secrets
from infra.engine.resources import FUNCTION
from infra.function import Call, kind_of
from infra.functions import allowed, of_endpoint, unused

ROOT: Final = Path(__file__).resolve().parent.parent.parent
NOT_ASKED: Final = {"content", "previews"}  # what a connector sends, what pipelines start: the app asks none of it
_TRANSACTED: Final = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}

# The module of a room beside the API, whose ``answer`` takes its requests -> the room.
ROOMS: Final = {"chalicelib.mcp.room": "mcp", "chalicelib.web.serving": "web"}


class _OfThread(threading.local):
    """Whose calls a thread makes. Of the thread, since work may run in a context that was copied before."""

    functions: tuple[str, ...] = ()


_starter: Final = _OfThread()
_used: set[tuple[str, Call]] = set()
_refused: set[str] = set()
_noting = threading.RLock()
_UNUSED: Final = pytest.StashKey[list[str]]()


# -- whose call it is ----------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def entries() -> dict[tuple[str, str], str]:
    """(module, function) of each worker -> the name of its function in app.py."""
    found = {}
    for node in ast.parse((ROOT / "app.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            (line,) = (line for line in node.body if isinstance(line, ast.ImportFrom))
            (handle,) = (
                part.attr
                for part in ast.walk(node)
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "worker"
            )
            found[f"{line.module}.{line.names[0].name}", handle] = node.name
    return found


def _callers(frame: FrameType | None) -> tuple[str, ...]:
    """The functions of the deployment that this frame runs in; none for a test's own calls."""
    known = entries()
    keyed = False  # what finds out whose key it is
    while frame is not None:
        module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_name
        if (module, name) in known:
            return (known[module, name],)
        if module == "chalicelib.http.jobs" and name in ("consume", "run"):
            begun = frame.f_locals["handle" if name == "consume" else "work"]
            entry = getattr(begun, "__module__", ""), getattr(begun, "__name__", "")
            if entry in known:  # finds out whether the workers are held
                return (known[entry],)
        if module == "chalicelib.http.authentication":
            keyed = True
        if module == "chalicelib.http.edge" and name == "_answer":
            endpoint = frame.f_locals["endpoint"]
            own = of_endpoint(endpoint.group, endpoint.method).name
            if keyed or endpoint.scope is None or endpoint.group in NOT_ASKED:
                return (own,)
            return own, of_endpoint("web", endpoint.method).name
        if module in ROOMS and name == "answer":
            method = frame.f_locals["request"].method
            return (of_endpoint(ROOMS[module], "GET" if method == "HEAD" else method).name,)
        if module.startswith("tests.") and module != __name__:
            return ()
        frame = frame.f_back
    return _starter.functions


def _before_botocore() -> FrameType | None:
    """The frame that calls botocore, without the frames of tests that hook into each call."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and not _is_of_libraries(frame):
        frame = frame.f_back
    while frame is not None and _is_of_libraries(frame):
        frame = frame.f_back
    return frame


def _is_of_libraries(frame: FrameType) -> bool:
    return frame.f_globals.get("__name__", "").startswith("botocore.")


# -- what it asks for ----------------------------------------------------------------------------------


def asked(service: str, operation: str, request: dict[str, Any]) -> Iterator[Call]:
    """The IAM actions that a request needs."""
    if service == "dynamodb":
        yield from _of_tables(operation, request)
    elif service == "sqs":
        queue = request.get("QueueName") or request["QueueUrl"].rpartition("/")[2]
        yield Call("queue", queue.removeprefix(core_settings().queue_prefix), operation.removesuffix("Batch"))
    elif service == "kms":
        yield Call("key", kind_of(request["EncryptionContext"].items()), operation)
    elif service == "s3":
        yield Call("bucket", "exports", operation)
    elif service == "lambda":
        yield Call("function", _function(request["FunctionName"]), operation)
    else:
        yield Call(service, "", operation)


def _of_tables(operation: str, request: dict[str, Any]) -> Iterator[Call]:
    if operation in ("TransactWriteItems", "TransactGetItems"):
        for item in request["TransactItems"]:
            ((kind, content),) = item.items()
            yield Call("table", _table(content["TableName"]), _TRANSACTED.get(kind, "GetItem"))
    elif operation in ("BatchGetItem", "BatchWriteItem"):
        for table in request["RequestItems"]:
            yield Call("table", _table(table), operation)
    elif "IndexName" in request:
        yield Call("index", request["IndexName"], operation)
    else:
        yield Call("table", _table(request["TableName"]), operation)


def _function(name: str) -> str:
    """The name in the template of the function that a setting names."""
    known = {speed_settings().engine_function: FUNCTION, write_settings().live_reader_function: "Reader"}
    return known.get(name, name)


def _table(name: str) -> str:
    return name.removeprefix(core_settings().table_prefix)


# -- what is known -------------------------------------------------------------------------------------


def _note(function: str, calls: Iterable[Call]) -> None:
    for call in calls:
        with _noting:  # a screen asks for its parts in threads
            if (function, call) not in _used:
                _used.add((function, call))
                _write_down()
        if not allowed(function, call):
            _refused.add(f"{function}: {call.action} {call.kind} {call.name}")


def _write_down() -> None:
    """Writes the calls of this process so far to the folder in ``RIGHTS_USED``."""
    folder = os.environ.get("RIGHTS_USED")
    if folder:
        Path(folder, f"{os.getpid()}.json").write_text(json.dumps(_rows()), encoding="utf-8")


def _rows() -> list[list[str]]:
    return sorted([function, *call] for function, call in _used)


def pytest_configure(config: pytest.Config) -> None:
    """Hooks into every call."""
    _look_at_calls()
    _look_at_secrets()
    _look_at_addresses()
    _look_at_secret_settings()
    _look_at_pools()


def _look_at_calls() -> None:
    original = botocore.client.BaseClient._make_api_call

    def looked_at(self: Any, operation: str, request: dict[str, Any]) -> Any:
        for function in _callers(_before_botocore()):
            _note(function, asked(self.meta.service_model.service_name, operation, request))
        return original(self, operation, request)

    botocore.client.BaseClient._make_api_call = looked_at


def _look_at_secrets() -> None:
    """Checks the right also if a secret comes from the cache of decrypted secrets."""
    original = secrets.unseal

    def looked_at(sealed: bytes, **context: str) -> secrets.Secret:
        for function in _callers(sys._getframe(1)):
            _note(function, [Call("key", kind_of(context.items()), "Decrypt")])
        return original(sealed, **context)

    secrets.unseal = looked_at


def _look_at_addresses() -> None:
    """Checks a signed address against the rights of its signer."""
    original = botocore.signers.RequestSigner.generate_presigned_url

    def looked_at(self: Any, *, operation_name: str, **named: Any) -> Any:
        for function in _callers(_before_botocore()):
            _note(function, [Call("bucket", "exports", operation_name)])
        return original(self, operation_name=operation_name, **named)

    botocore.signers.RequestSigner.generate_presigned_url = looked_at


class _Noted:
    """A secret setting, read by somebody."""

    def __init__(self, variable: str, inner: Any) -> None:
        self._variable, self._inner = variable, inner

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is not None:
            for function in _callers(sys._getframe(1)):
                _note(function, [Call("setting", self._variable, "read")])
        return self._inner.__get__(instance, owner)

    def __set__(self, instance: Any, value: Any) -> None:
        self._inner.__set__(instance, value)


def _look_at_secret_settings() -> None:
    for subject in SUBJECTS:
        for setting in fields(subject):
            if not setting.repr:
                noted = _Noted(setting.metadata["env"], vars(subject)[setting.name])
                setattr(subject, setting.name, noted)


def _look_at_pools() -> None:
    original = ThreadPoolExecutor.submit

    def submit(self: Any, work: Any, /, *arguments: Any, **named: Any) -> Any:
        functions = _callers(sys._getframe(1))

        def run(*arguments: Any, **named: Any) -> Any:
            before, _starter.functions = _starter.functions, functions
            try:
                return work(*arguments, **named)
            finally:
                _starter.functions = before

        return original(self, run, *arguments, **named)

    ThreadPoolExecutor.submit = submit  # type: ignore[method-assign]


def refused() -> list[str]:
    """The calls without a right in this test, one line each. Clears the list."""
    found = sorted(_refused)
    _refused.clear()
    return found


@pytest.fixture(autouse=True)
def only_what_a_function_may() -> Iterator[None]:
    """Fails a test in which a function made a call without a right."""
    _refused.clear()
    yield
    assert os.environ.get("RIGHTS_USED") or refused() == [], "infra/functions.py gives no such right"


# -- the whole suite -----------------------------------------------------------------------------------


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Receives the calls of a process that ran a part of the suite."""
    rows = getattr(node, "workeroutput", {}).get("rights", [])
    _used.update((function, Call(*call)) for function, *call in rows)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fails a run of the whole suite that passed and left rights unused."""
    config = session.config
    if hasattr(config, "workeroutput"):
        config.workeroutput["rights"] = _rows()
    elif exitstatus == pytest.ExitCode.OK and is_whole(config) and "RIGHTS_USED" not in os.environ:
        config.stash[_UNUSED] = unused(_used)
        if config.stash[_UNUSED]:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def is_whole(config: pytest.Config) -> bool:
    options = config.option
    return (
        config.args_source is pytest.Config.ArgsSource.TESTPATHS
        and options.markexpr in config.getini("addopts")
        and not (options.keyword or options.deselect or options.collectonly)
        and not (getattr(options, "lf", False) or getattr(options, "stepwise", False))
    )


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Lists the unused rights."""
    lines = config.stash.get(_UNUSED, [])
    if lines:
        terminalreporter.section("rights of infra/functions.py that no function used")
        for line in lines:
            terminalreporter.line(line)
