"""What ``STATE`` keeps: everything, at most two seconds old after a kill, and never half of a transaction."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.store import client
from local import embedded
from local.state import FLUSH_SECONDS, ROWS_AT_ONCE, State, StateInUse

ROOT = Path(__file__).resolve().parent.parent.parent
LOSS_SECONDS = 2.0  # at most, where the machine gives the writer its turn
TABLE = "wos-sites"

# Counts up, each time with a row in a ledger, both in one transaction. Says after each write of the state how far it
# had counted when that write began.
WRITER = """
import sys
from pathlib import Path
from chalicelib.store import client
from local import embedded
from local.state import State
embedded.start()
state = State(Path(sys.argv[1]))
state.restore()
number = committed = 0
flush = state.flush
def noting():
    begun_at = committed
    flush()
    print(begun_at, flush=True)
state.flush = noting
state.start()
while True:
    number += 1
    client.dynamodb().transact_write_items(TransactItems=[
        {"Put": {"TableName": "wos-sites", "Item": {"pk": {"S": "LEDGER"}, "sk": {"S": f"{number:06}"}}}},
        {"Update": {"TableName": "wos-sites", "Key": {"pk": {"S": "COUNT"}, "sk": {"S": "n"}},
            "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}},
    ])
    committed = number
"""


@pytest.fixture
def store() -> Iterator[None]:
    with embedded.running():
        yield
    clock.set_offset(0.0)


def put(sk: str, **values: Any) -> None:
    client.dynamodb().put_item(TableName=TABLE, Item={"pk": {"S": "A"}, "sk": {"S": sk}, **values})


def rows(pk: str = "A") -> list[dict[str, Any]]:
    answer = client.dynamodb().query(
        TableName=TABLE, KeyConditionExpression="pk = :pk", ExpressionAttributeValues={":pk": {"S": pk}}
    )
    return list(answer["Items"])


def last(pk: str) -> dict[str, Any]:
    """The last row: a fast machine writes more of them than one answer holds."""
    answer = client.dynamodb().query(
        TableName=TABLE,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": pk}},
        ScanIndexForward=False,
        Limit=1,
    )
    return dict(answer["Items"][0])


def start_again(folder: Path) -> State:
    embedded.clear()
    state = State(folder)
    state.restore()
    return state


def test_after_a_kill_everything_up_to_the_last_save_is_still_stored(store: None, tmp_path: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    counted = [int(writer.stdout.readline()) for _ in range(4)]
    writer.send_signal(signal.SIGKILL)
    counted += [int(line) for line in writer.stdout.read().split("\n")[:-1]]
    writer.wait()
    assert 0 < counted[1] < counted[2] < counted[3], "every write has more of it"
    assert FLUSH_SECONDS <= LOSS_SECONDS / 4
    state = start_again(tmp_path)
    try:
        (counter,) = rows("COUNT")
        assert int(counter["n"]["N"]) >= counted[-1]
        assert int(counter["n"]["N"]) == int(last("LEDGER")["sk"]["S"])
    finally:
        state.stop()


def test_many_rows_are_saved_with_few_sql_statements(store: None, tmp_path: Path) -> None:
    """Between two statements a busy thread can hold the interpreter lock for milliseconds."""
    state = State(tmp_path)
    state.start()
    count = ROWS_AT_ONCE + 100
    said: list[str] = []
    state._rows.set_trace_callback(said.append)
    for number in range(count):
        put(f"{number:04}")
    state.flush()
    assert sum(one.startswith("INSERT OR REPLACE INTO items") for one in said) <= 4
    assert len(rows()) == count == state._rows.execute("SELECT count(*) FROM items").fetchone()[0]
    said.clear()
    for number in range(count - 1):
        client.dynamodb().delete_item(TableName=TABLE, Key={"pk": {"S": "A"}, "sk": {"S": f"{number:04}"}})
    state.flush()
    assert 1 <= sum(one.startswith("DELETE") for one in said) <= 4
    state.stop()
    start_again(tmp_path).stop()
    assert [row["sk"]["S"] for row in rows()] == [f"{count - 1:04}"]


def test_changes_and_deletions_of_rows_survive_a_restart(store: None, tmp_path: Path) -> None:
    state = State(tmp_path)
    state.start()
    due = {"dueShard": {"S": "1"}, "nextAuditAt": {"N": "5"}}
    for sk in ("kept", "changed", "removed"):
        put(sk, block={"B": b"\x00\xff"}, **due)
    state.flush()
    put("changed", text={"S": "new"})
    client.dynamodb().delete_item(TableName=TABLE, Key={"pk": {"S": "A"}, "sk": {"S": "removed"}})
    state.stop()
    state = start_again(tmp_path)
    state.stop()
    assert rows() == [
        {"pk": {"S": "A"}, "sk": {"S": "changed"}, "text": {"S": "new"}},
        {"pk": {"S": "A"}, "sk": {"S": "kept"}, "block": {"B": b"\x00\xff"}, **due},
    ]
    found = client.dynamodb().query(
        TableName=TABLE,
        IndexName="due",
        KeyConditionExpression="dueShard = :shard",
        ExpressionAttributeValues={":shard": {"S": "1"}},
    )
    assert [item["sk"]["S"] for item in found["Items"]] == ["kept"]


def test_a_transaction_that_was_refused_is_not_in_the_saved_state(store: None, tmp_path: Path) -> None:
    state = State(tmp_path)
    state.start()
    put("a", n={"S": "text"})
    with pytest.raises(client.dynamodb().exceptions.TransactionCanceledException):
        client.dynamodb().transact_write_items(
            TransactItems=[
                {"Put": {"TableName": TABLE, "Item": {"pk": {"S": "A"}, "sk": {"S": "b"}}}},
                {
                    "Update": {
                        "TableName": TABLE,
                        "Key": {"pk": {"S": "A"}, "sk": {"S": "a"}},
                        "UpdateExpression": "ADD n :one",
                        "ExpressionAttributeValues": {":one": {"N": "1"}},
                    }
                },
            ]
        )
    state.stop()
    start_again(tmp_path).stop()
    assert [row["sk"]["S"] for row in rows()] == ["a"]


def test_rows_that_expired_while_the_service_was_stopped_are_not_loaded(store: None, tmp_path: Path) -> None:
    state = State(tmp_path)
    state.start()
    put("short", ttl={"N": str(int(clock.now()) + 60)})
    put("long", ttl={"N": str(int(clock.now()) + 6000)})
    clock.set_offset(100)
    state.stop()
    start_again(tmp_path).stop()
    assert [row["sk"]["S"] for row in rows()] == ["long"]
    state = start_again(tmp_path)
    assert state.restore() == 1
    state.stop()


def test_the_moved_clock_survives_a_restart(store: None, tmp_path: Path) -> None:
    state = State(tmp_path)
    state.start()
    clock.set_offset(86400.0)
    state.stop()
    clock.set_offset(0.0)
    start_again(tmp_path).stop()
    assert clock.offset() == 86400.0


def test_a_secret_is_created_once_and_only_its_owner_can_read_it(store: None, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    state = State(folder)
    first = state.secret("cursor")
    assert len(first) == 64
    assert state.secret("other") != first
    state.stop()
    state = State(folder)
    assert state.secret("cursor") == first
    state.stop()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for path in folder.glob("*.secret"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_second_service_cannot_use_the_same_folder(store: None, tmp_path: Path) -> None:
    state = State(tmp_path)
    with pytest.raises(StateInUse, match=str(tmp_path)):
        State(tmp_path)
    state.stop()
    State(tmp_path).stop()


def test_secrets_and_data_readable_by_others_are_reported(store: None, tmp_path: Path) -> None:
    state = State(tmp_path / "state")
    state.secret("cursor")
    assert state.exposed() == []
    (tmp_path / "state" / "cursor.secret").chmod(0o644)
    (tmp_path / "state" / "rows.sqlite").chmod(0o660)
    first, second = state.exposed()
    state.stop()
    assert "cursor.secret" in first and "644" in first and "rows.sqlite" in second and "660" in second


def test_only_the_owner_can_read_the_saved_rows(store: None, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        State(tmp_path / "state").stop()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "state" / "rows.sqlite").stat().st_mode) == 0o600
