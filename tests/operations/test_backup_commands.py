"""The commands of docs/backups.md, run as they stand there: bash expands them, and each call of ``aws`` is made by
botocore, which checks its parameters by AWS's own model of the service."""

import re
import subprocess
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from botocore import xform_name
from botocore.model import Shape
from moto.s3.models import s3_backends

import manage
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, addresses, endpoints
from chalicelib.settings.reading import forget_settings
from chalicelib.store import client, deliveries, health, keys, ownership, secrets
from chalicelib.store import endpoints as stored
from local import embedded
from management import template

PAGE = Path(__file__).resolve().parents[2] / "docs" / "backups.md"
# Write down each command instead of running it, one a line, as its arguments are once bash has expanded them.
RECORDER = """
set -eu
record() { printf '%s\\037' "$@"; echo; }
aws() { record aws "$@"; }
.venv/bin/python() { record python "$@"; }
"""
SEPARATOR = "\x1f"


class Command(NamedTuple):
    """A command and its arguments."""

    program: str
    arguments: list[str]


def blocks() -> list[str]:
    """The blocks of commands that ask AWS, in their order. Those that ask Docker are named ``sh``."""
    found = re.findall(r"^( *)```(sh|)\n(.*?)^\1```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(text) for _, language, text in found if not language]


def expanded(*texts: str) -> list[Command]:
    """The commands that one shell runs."""
    script = RECORDER + "\n".join(texts)
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, env={"PATH": "/bin"})
    return [Command(*_split(line)) for line in done.stdout.splitlines()]


def _split(line: str) -> tuple[str, list[str]]:
    program, *arguments = line.removesuffix(SEPARATOR).split(SEPARATOR)
    return program, arguments


def call_aws(arguments: list[str]) -> None:
    """Make a call of the ``aws`` command line, whose names are those of the service's model with dashes."""
    service, name, *rest = arguments
    assert service == "dynamodb"
    dynamodb: Any = client.dynamodb()
    if name == "wait":
        name, *rest = rest
        waiter = dynamodb.get_waiter(name.replace("-", "_"))
        waiter.wait(TableName=_flags(rest)["table-name"])
        return
    model = dynamodb.meta.service_model
    operation = next(one for one in model.operation_names if xform_name(one, "-") == name)
    members = {xform_name(one, "-"): (one, shape) for one, shape in _members(model, operation).items()}
    given = {members[flag][0]: value_of(members[flag][1], text) for flag, text in _flags(rest).items()}
    getattr(dynamodb, xform_name(operation))(**given)


def _members(model: Any, operation: str) -> dict[str, Shape]:
    found: dict[str, Shape] = model.operation_model(operation).input_shape.members
    return found


def _flags(arguments: list[str]) -> dict[str, str]:
    names, values = arguments[::2], arguments[1::2]
    assert all(name.startswith("--") for name in names) and len(names) == len(values) == len(set(names))
    return {name.removeprefix("--"): value for name, value in zip(names, values, strict=True)}


def value_of(shape: Any, text: str) -> Any:
    """A value as the command line takes it: structures in their short form ``Name=value,…``."""
    if shape.type_name == "structure":
        parts = dict(part.split("=", 1) for part in text.split(","))
        return {name: value_of(shape.members[name], part) for name, part in parts.items()}
    if shape.type_name == "boolean":
        return {"true": True, "false": False}[text]
    assert shape.type_name in ("string", "timestamp"), shape
    return text


class Stack:
    """Makes this process one of a stack: of its tables, as its command line is."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._set = monkeypatch.setenv

    def become(self, name: str, prefix: str) -> None:
        self._set("STACK_ID", name)
        self._set("TABLE_PREFIX", prefix)
        forget_settings()
        ownership._free_until.clear()


@pytest.fixture
def stack(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stack]:
    made = Stack(monkeypatch)
    made.become("first", "wos-")
    yield made
    made.become("first", "wos-")
    with embedded.LOCK:
        for name in [name for name in embedded.tables().tables if name.startswith("wos2-")]:
            del embedded.tables().tables[name]
    monkeypatch.undo()
    forget_settings()
    ownership._free_until.clear()


def made_by_the_template(*, recovers: bool) -> None:
    """The tables of this process's stack, as CloudFormation makes them."""
    template.create_all(client.dynamodb(), client.sqs())
    for table in keys.TABLES if recovers else ():
        client.dynamodb().update_continuous_backups(
            TableName=keys.table_name(table), PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
        )


def rows(table: str) -> list[Any]:
    found = embedded.tables().tables[keys.table_name(table)]
    return sorted(str(item.to_json()) for item in found.all_items())


def recovers(table: str) -> bool:
    found = client.dynamodb().describe_continuous_backups(TableName=keys.table_name(table))
    told = found["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    return told["PointInTimeRecoveryStatus"] == "ENABLED"


def test_the_page_has_the_expected_command_blocks() -> None:
    assert [text.split()[0] for text in blocks()] == ["for", "restore()", 'tables="accounts']


def test_every_table_is_exported_into_the_bucket(stack: Stack) -> None:
    made_by_the_template(recovers=True)
    accounts.create_workspace(OPERATOR, "Acme", "agency")
    bucket = s3_backends[embedded.ACCOUNT]["aws"]
    bucket.create_bucket("YOUR-BUCKET", embedded.REGION)
    text = blocks()[0].replace("REGION", embedded.REGION).replace("ACCOUNT", embedded.ACCOUNT)
    commands = expanded(text)
    assert len(commands) == len(keys.TABLES)
    for command in commands:
        call_aws(command.arguments)
    for one in embedded.tables().table_exports.values():
        one.join(10)
        assert (one.status, one.s3_prefix, one.export_format) == ("COMPLETED", one.table.name, "DYNAMODB_JSON")
    assert {one.table.name for one in embedded.tables().table_exports.values()} == set(
        map(keys.table_name, keys.TABLES)
    )


def test_restored_tables_have_the_old_rows_and_the_settings_of_the_template(
    stack: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    made_by_the_template(recovers=True)
    ownership.take("first")
    workspace_id = accounts.create_workspace(OPERATOR, "Acme", "agency").id
    made = endpoints.add(OPERATOR, workspace_id, "https://hook.example/", ["audit.finished"])
    ping = endpoints.ping(OPERATOR, workspace_id, made.endpoint.id)
    before = {table: rows(table) for table in keys.TABLES}

    stack.become("second", "wos2-")
    made_by_the_template(recovers=True)
    addresses.set_public_address(OPERATOR, "https://second.example")  # as the deployment did
    ownership.take("second")
    commands = expanded(*blocks()[1:])
    assert [one.arguments for one in commands if one.program == "python"] == [["manage.py", "store", "hold"]]
    held_at = next(number for number, one in enumerate(commands) if one.program == "python")
    for number, (program, arguments) in enumerate(commands):
        if program == "aws":
            call_aws(arguments)
            continue
        assert manage.main(arguments[1:]) == 0 and "held" in capsys.readouterr().out
        assert number == held_at and ownership.get() is not None and ownership.get().stack == "first"  # type: ignore[union-attr]
        assert rows("webhooks") == [], "nothing that could be sent is there before the workers are held"

    for table in keys.TABLES:
        assert health.table_faults(table) == [] and recovers(table), table
        assert table == "ops" or rows(table) == before[table], table
    endpoint = stored.get(workspace_id, made.endpoint.id)
    assert endpoint is not None
    assert secrets.unseal(endpoint.secret, **stored.context(workspace_id, endpoint.id)).reveal() == made.secret.reveal()
    assert [one.id for one in deliveries.list_latest(workspace_id, made.endpoint.id, 5)] == [ping.id]
    assert manage.main(["store", "release", "--yes"]) == 0 and ownership.get() is None


def test_a_command_with_an_unknown_aws_parameter_fails() -> None:
    with pytest.raises(KeyError):
        call_aws(["dynamodb", "delete-table", "--table", "wos2-ops"])
    with pytest.raises(StopIteration):
        call_aws(["dynamodb", "restore-table", "--table-name", "wos2-ops"])
