"""What a function does is told apart from what a test does, and what it has no right to is found."""

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest

from chalicelib.connectors import live_files
from chalicelib.connectors.errors import OutsideError
from chalicelib.connectors.live_reader import LiveReaderFunction
from chalicelib.settings.every import SUBJECTS
from chalicelib.store import client, keys, queues, secrets
from chalicelib.workers import weekly
from infra import functions
from infra.function import Call
from infra.functions import FUNCTIONS, allowed, missing, unused
from tests.api.client import Client
from tests.api.conftest import settle
from tests.plugins import rights
from tests.reader import read_by_function
from tests.web.conftest import Browser

ROOT = Path(__file__).resolve().parent.parent
TABLE = keys.table_name("ops")
KEY = {"pk": {"S": "a"}, "sk": {"S": "b"}}


@pytest.fixture
def without_rights(monkeypatch: pytest.MonkeyPatch) -> None:
    """No function may do anything."""
    monkeypatch.setattr(functions, "_RIGHTS", {})


@pytest.mark.parametrize(
    ("operation", "request_", "calls"),
    [
        ("GetItem", {"TableName": TABLE}, [("table", "ops", "GetItem")]),
        ("Query", {"TableName": TABLE}, [("table", "ops", "Query")]),
        (
            "Query",
            {"TableName": keys.table_name("jobs"), "IndexName": "overdueJobs"},
            [("index", "overdueJobs", "Query")],
        ),
        (
            "BatchGetItem",
            {"RequestItems": {TABLE: {}, keys.table_name("jobs"): {}}},
            [("table", "ops", "BatchGetItem"), ("table", "jobs", "BatchGetItem")],
        ),
        (
            "TransactWriteItems",
            {"TransactItems": [{kind: {"TableName": TABLE}} for kind in ("Put", "Update", "Delete", "ConditionCheck")]},
            [("table", "ops", action) for action in ("PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem")],
        ),
    ],
)
def test_a_batch_or_transaction_needs_the_rights_for_each_of_its_writes(
    operation: str, request_: dict[str, Any], calls: list[tuple[str, str, str]]
) -> None:
    assert list(rights.asked("dynamodb", operation, request_)) == calls


def test_sending_a_batch_of_messages_needs_two_rights_on_the_queue() -> None:
    url = f"https://sqs.test/1/{queues.core_settings().queue_prefix}crawl"
    (sent,) = rights.asked("sqs", "SendMessageBatch", {"QueueUrl": url})
    assert sent == Call("queue", "crawl", "SendMessage")
    assert allowed("weekly", sent) and allowed("weekly", sent._replace(action="GetQueueUrl"))
    assert not allowed("weekly", sent._replace(name="writes", action="GetQueueUrl"))


def test_every_worker_of_the_app_is_recognised_by_its_entry_point() -> None:
    assert set(rights.entries().values()) == {function.name for function in FUNCTIONS if function.group is None}


def in_weekly(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Let the function weekly do this for each shard, as a module of the service would, and run it."""
    known = {"__name__": "chalicelib.made_up", "client": client, "secrets": secrets, "TABLE": TABLE, "KEY": KEY}
    known["SEALED"] = secrets.seal(secrets.Secret("x"), endpointId="e")
    exec(f"def work(*_):\n    {code}\n    return ()", known)
    monkeypatch.setattr(weekly, "_due", known["work"])
    weekly.run()


def test_only_calls_of_a_function_are_checked_for_rights(store: None, without_rights: None) -> None:
    client.dynamodb().get_item(TableName=TABLE, Key=KEY)
    assert rights.refused() == []
    weekly.run()
    assert rights.refused() == ["weekly: Query index due"]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("client.dynamodb().get_item(TableName=TABLE, Key=KEY)", "GetItem table ops"),
        ("secrets.seal(secrets.Secret('x'), siteId='s', connection='shop')", "Encrypt key shop"),
        ("secrets.seal(secrets.Secret('x'), of='a test')", "Encrypt key {'of': 'a test'}"),
        ("secrets.unseal(SEALED, endpointId='e')", "Decrypt key endpoint"),
        (
            "from concurrent.futures import ThreadPoolExecutor as P; p = P(1);"
            " p.submit(client.dynamodb().get_item, TableName=TABLE, Key=KEY).result(); p.shutdown()",
            "GetItem table ops",
        ),
        (
            "from concurrent.futures import ThreadPoolExecutor as P; from contextvars import copy_context; p = P(1);"
            " p.submit(copy_context().run, lambda: client.dynamodb().get_item(TableName=TABLE, Key=KEY)).result();"
            " p.shutdown()",
            "GetItem table ops",
        ),
        (
            "client.s3().generate_presigned_url('get_object', Params={'Bucket': 'b', 'Key': 'k'})",
            "GetObject bucket exports",
        ),
        (
            "from chalicelib.settings.core import core_settings; core_settings().cursor_secret",
            "read setting CURSOR_SECRET",
        ),
        (
            "from chalicelib.settings.speed import speed_settings; speed_settings().crux_api_key",
            "read setting CRUX_API_KEY",
        ),
    ],
)
def test_calls_of_a_function_are_detected_anywhere(
    store: None, without_rights: None, monkeypatch: pytest.MonkeyPatch, code: str, found: str
) -> None:
    in_weekly(monkeypatch, code)
    assert rights.refused() == [f"weekly: {found}"]


def test_calls_that_a_test_makes_inside_a_function_do_not_need_its_rights(
    store: None, without_rights: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = []

    def shard(*_: object) -> tuple[()]:
        done.append(client.dynamodb().get_item(TableName=TABLE, Key=KEY))
        return ()

    monkeypatch.setattr(weekly, "_due", shard)
    weekly.run()
    assert done and rights.refused() == []


@pytest.mark.usefixtures("without_rights")
def test_calls_of_an_invoked_function_do_not_count_for_its_caller(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller invokes the reader, which makes a forbidden call while the caller waits."""
    known = {"__name__": "chalicelib.made_up", "client": client, "TABLE": TABLE, "KEY": KEY}
    exec("async def robots_at(url, *, plain):\n    client.dynamodb().get_item(TableName=TABLE, Key=KEY)", known)
    monkeypatch.setattr(live_files, "robots_at", known["robots_at"])

    asking = {"__name__": "chalicelib.made_up", "OutsideError": OutsideError}
    exec(
        "def work(*_):\n    try:\n        function.robots('https://shop.example/robots.txt', plain=True)\n"
        "    except OutsideError:\n        return ()\n    return ()",
        asking,
    )
    monkeypatch.setattr(weekly, "_due", asking["work"])
    with read_by_function(monkeypatch) as service:
        asking["function"] = LiveReaderFunction(service.name)
        weekly.run()
    assert rights.refused() == ["reader: GetItem table ops", "weekly: Invoke function Reader"]


def test_a_request_needs_its_rights_both_in_the_api_function_and_in_the_app_function(
    store: None, without_rights: None
) -> None:
    assert Client(settle().key).get("/sites").status == 200
    assert rights.refused() == [
        "api_sites: Query table sites",
        "api_sites: UpdateItem table accounts",
        "web: Query table sites",
    ]


def test_only_the_api_function_needs_the_rights_for_requests_of_a_connector(store: None, without_rights: None) -> None:
    house = settle()
    Client(house.key).request("PUT", f"/sites/{house.site.id}/content", body='{"items": []}')
    assert {line.partition(":")[0] for line in rights.refused()} == {"api_content"}


def test_calls_of_a_screen_count_for_the_reading_or_the_writing_function(store: None, without_rights: None) -> None:
    browser = Browser({"wos-session": "x" * 43})
    browser.get("/app")
    assert rights.refused() == ["web: UpdateItem table accounts"]
    browser.post("/app/sessions", {"key": "x"})
    assert rights.refused() == ["web_act: UpdateItem table accounts"]


# -- the table -----------------------------------------------------------------------------------------


def test_functions_declare_rights_only_on_existing_resources() -> None:
    for function in FUNCTIONS:
        assert set(function.tables) <= set(keys.TABLES), function.name
        assert set(function.indexes) <= set(keys.INDEXES), function.name
        assert {*function.sends, function.queue} - {None} <= set(get_args(queues.Queue)), function.name


def test_every_secret_of_a_function_is_a_setting() -> None:
    known = {setting.metadata["env"] for subject in SUBJECTS for setting in fields(subject) if not setting.repr}
    assert {secret for function in FUNCTIONS for secret in function.secrets} <= known


def test_unused_rights_and_calls_without_a_right_are_reported(tmp_path: Path) -> None:
    used = [(function.name, call) for function in FUNCTIONS for call in function.calls]
    assert missing(used) == [] and unused(used) == []
    extra = ("weekly", Call("key", "cms", "Decrypt"))
    asked = ("weekly", Call("queue", "crawl", "GetQueueUrl"))
    rest = [one for one in used if one != ("weekly", Call("index", "due", "Query"))]
    assert missing([*rest, extra, asked]) == ["weekly: Decrypt key cms"]
    assert unused([*rest, extra, asked]) == ["weekly: Query index due"]
    for number, part in enumerate(([*rest, extra], rest[:3])):
        (tmp_path / f"{number}.json").write_text(json.dumps([[name, *call] for name, call in part]))
    done = subprocess.run(
        [sys.executable, "-m", "infra.functions", str(tmp_path)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stdout == "missing: weekly: Decrypt key cms\nunused: weekly: Query index due\n"
