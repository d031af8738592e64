"""Removing a workspace from the command line."""

from collections.abc import Callable

import pytest
from typer.testing import CliRunner

import manage
from chalicelib.store import accounts
from chalicelib.store.transactions import commit
from tests.management.conftest import Run


def removed_by_typing(workspace_id: str, typed: str) -> int:
    """The exit status of a removal whose name is typed at the terminal."""
    with CliRunner().isolation(input=typed):
        return manage.main(["workspaces", "remove", workspace_id])


@pytest.mark.usefixtures("store")
def test_a_workspace_is_removed_after_its_name_is_given(run: Run, refused: Callable[..., str]) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "agency")["id"]
    run("people", "add", workspace, "ada@example.org", "--role", "owner")
    run("websites", "add", workspace, "https://example.org")
    assert "not that of the workspace" in refused("workspaces", "remove", workspace, "--yes", "acme")
    assert run("workspaces", "list")["items"] == [{"id": workspace, "name": "Acme", "plan": "agency"}]
    removed = run("workspaces", "remove", workspace, "--yes", "Acme")
    assert removed == {"id": workspace, "removed": True, "websites": 1, "people": 1, "keys": 0, "endpoints": 0}
    assert run("workspaces", "list") == {"items": []}
    assert "no workspace" in refused("workspaces", "remove", workspace, "--yes", "Acme")


@pytest.mark.usefixtures("store")
def test_a_workspace_is_not_removed_after_a_wrong_name(run: Run) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "agency")["id"]
    assert removed_by_typing(workspace, "Other\n") == 2
    assert removed_by_typing(workspace, "") == 2
    assert accounts.workspace(workspace) is not None
    assert removed_by_typing(workspace, "Acme\n") == 0
    assert accounts.any_workspace(workspace) is None


@pytest.mark.usefixtures("store")
def test_a_workspace_whose_removal_is_unfinished_is_listed_as_such(run: Run) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "agency")["id"]
    commit(accounts.begin_removal(workspace, 1.0))
    assert run("workspaces", "list")["items"][0]["state"] == "being removed"


@pytest.mark.usefixtures("store")
def test_the_usage_of_a_plan_is_shown_next_to_its_limits(run: Run, refused: Callable[..., str]) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "starter")["id"]
    owner = run("people", "add", workspace, "ada@example.org", "--role", "owner")["id"]
    run("websites", "add", workspace, "https://example.org")
    assert run("workspaces", "usage", workspace)["use"][3] == {"id": "requests", "used": None, "limit": 1200}
    run("keys", "create", workspace, "--person", owner, "--scope", "sites:read")
    used = run("workspaces", "usage", workspace)
    assert used["plan"] == "starter"
    assert used["use"] == [
        {"id": "websites", "used": 1, "limit": 3},
        {"id": "people", "used": 1, "limit": 5},
        {"id": "keys", "used": 1, "limit": 200},
        {"id": "requests", "used": 0, "limit": 1200},
    ]
    assert "no workspace" in refused("workspaces", "usage", "wsp_none")
