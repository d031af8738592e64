"""Every command of manage.py ends with 0, or with 2 and one plain line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import manage
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import client
from management import endpoints as endpoint_commands
from tests.management.calls import World, calls, leaves

Ended = tuple[int, str, str]
Run = Callable[..., Ended]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process and gives exit status, standard output and standard error."""
    monkeypatch.setenv("LOCAL_DIR", str(tmp_path))
    monkeypatch.setattr(endpoint_commands, "TRY_SECONDS", 0.0)

    def run_command(*arguments: str) -> Ended:
        capsys.readouterr()
        status = manage.main(arguments)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run_command


def fault_of(ended: Ended, as_json: bool) -> str | None:
    """What is wrong with the way in which a command ended."""
    status, out, err = ended
    if status not in (0, 2):
        return f"exit status {status}"
    if status == 2 and (err.count("\n") != 1 or not err.strip()):
        return f"standard error is {err!r}"
    if status == 0 and (not out or (as_json and not isinstance(json.loads(out), dict))):
        return f"standard output is {out!r}"
    return None


def run_all(run: Run, world: World, as_json: bool) -> dict[str, set[int]]:
    """Run every command, expect each to end well, and give the exit statuses of each."""
    statuses: dict[str, set[int]] = {}
    for command, variants in calls(world).items():
        for arguments in variants:
            asked = [*command.split(), *arguments, *(["--json"] if as_json else [])]
            ended = run(*asked)
            assert fault_of(ended, as_json) is None, (asked, ended)
            statuses.setdefault(command, set()).add(ended[0])
    return statuses


@pytest.fixture
def empty(store: None, served: None, tmp_path: Path) -> World:
    """A workspace with a person and a website, and nothing else."""
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    person = accounts.add_person(OPERATOR, workspace.id, "owner@acme.example", "owner")
    website = websites.add(OPERATOR, workspace.id, "https://acme.example")
    return World(tmp_path, workspace.id, person.id, website.id)


def test_every_command_is_called_by_these_tests(tmp_path: Path) -> None:
    assert set(calls(World(tmp_path, "", "", ""))) == leaves()


# What the full workspace does not allow: there is no local service, no assistant, the credentials are empty, the
# delivery still waits, the audit has ended, and the one that the table starts holds the website.
REFUSED = {
    *("clock advance", "standin", "issues explain", "connections set", "endpoints replay"),
    *("audits cancel", "websites remove"),
    *("drafts draw", "drafts read", "drafts result"),
}


@pytest.mark.parametrize("as_json", [False, True])
def test_every_command_succeeds_with_a_full_workspace(run: Run, full: World, as_json: bool) -> None:
    statuses = run_all(run, full, as_json)
    refused = {command for command, found in statuses.items() if found == {2}}
    assert refused == REFUSED


def test_every_command_succeeds_with_an_empty_workspace(run: Run, empty: World) -> None:
    statuses = run_all(run, empty, as_json=True)
    reads = [name for name in statuses if name.split()[-1] in ("list", "show", "list-workspace", "propose")]
    assert {name for name in reads if statuses[name] != {0}} == {"issues show"}  # there is none


def test_without_a_service_every_command_explains_what_to_do(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    client.reset()
    try:
        world = World(tmp_path, "wsp_1", "usr_1", "site_1")
        assert set(map(tuple, run_all(run, world, as_json=False).values())) == {(2,)}
        for command, (arguments, *_) in calls(world).items():
            _, _, error = run(*command.split(), *arguments)
            assert "make run" in error or command == "connections set", (command, error)
    finally:
        client.reset()


def test_problems_found_by_doctor_are_summarised_on_stderr(run: Run, served: None, monkeypatch: Any) -> None:
    monkeypatch.setenv("METRICS", "yes")
    forget_settings()
    status, out, error = run("doctor")
    monkeypatch.undo()
    forget_settings()
    assert status == 2 and "METRICS is 'yes'" in out
    assert "settings" in error
