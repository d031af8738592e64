"""``init``: what a new deployment begins with, made in one go and never twice."""

from collections.abc import Callable

import pytest

from chalicelib import clock
from chalicelib.domain.accounts import keys as key_format
from chalicelib.domain.accounts.rights import SCOPES
from chalicelib.operations import accounts
from chalicelib.store import accounts as stored
from chalicelib.store import api_keys, website_names
from chalicelib.store.transactions import commit
from tests.management.conftest import Run

GIVEN = ("Acme", "ada@acme.example", "https://www.acme.example/shop")
PARTS = ["workspace", "person", "website", "key"]


def counts() -> tuple[int, ...]:
    """Workspaces, people, websites and keys of the deployment."""
    rows = [row.id for row in stored.list_workspaces()]
    of_each = (stored.list_people, website_names.list_all, api_keys.list_all)
    return len(rows), *(sum(len(listed(one)) for one in rows) for listed in of_each)


def test_init_creates_a_workspace_an_owner_a_website_and_a_key(run: Run) -> None:
    made = run("init", *GIVEN, "--plan", "starter")
    assert (made["made"], made["thereBefore"]) == (PARTS, [])
    workspace, owner = accounts.existing_workspace(made["id"]), accounts.person_by(made["id"], made["personId"])
    assert (workspace.name, workspace.plan, owner.email, owner.role) == ("Acme", "starter", "ada@acme.example", "owner")
    parts = key_format.parse(made["key"])
    assert parts is not None
    auth = api_keys.authenticate(parts.sha256, clock.now())
    assert (auth.workspace_id, auth.site_ids, set(auth.scopes)) == (made["id"], None, set(SCOPES))
    assert "/app/sign-in?token=" in made["link"]
    assert run("audits", "start", "acme.example")["siteId"] == made["siteId"]


def test_a_second_init_reports_existing_parts_and_creates_nothing(run: Run) -> None:
    first = run("init", *GIVEN)
    second = run("init", "ACME", "Ada@acme.example", "acme.example", "--plan", "free")
    assert (second["made"], second["thereBefore"], second["key"]) == ([], PARTS, None)
    assert [second[name] for name in ("id", "personId", "siteId", "keyId")] == [
        first[name] for name in ("id", "personId", "siteId", "keyId")
    ]
    assert counts() == (1, 1, 1, 1)
    assert accounts.existing_workspace(first["id"]).plan == "agency"


def test_init_creates_another_key_after_its_key_was_revoked(run: Run) -> None:
    first = run("init", *GIVEN)
    run("keys", "revoke", first["keyId"])
    again = run("init", *GIVEN)
    assert again["made"] == ["key"] and again["key"] not in (None, first["key"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("", *GIVEN[1:]), "name"),
        ((GIVEN[0], "ada", GIVEN[2]), "is not an e-mail address"),
        ((*GIVEN[:2], "ftp://acme.example"), "is not an http or https address"),
        ((*GIVEN, "--plan", "gold"), "is not a plan"),
    ],
)
def test_invalid_arguments_of_init_are_reported_before_anything_is_created(
    refused: Callable[..., str], given: tuple[str, ...], said: str
) -> None:
    assert said in refused("init", *given)
    assert counts() == (0, 0, 0, 0)


def test_init_creates_nothing_if_a_workspace_of_another_name_exists(run: Run, refused: Callable[..., str]) -> None:
    run("workspaces", "create", "Another", "--plan", "free")
    assert "`workspaces create` makes another" in refused("init", *GIVEN)
    assert counts() == (1, 0, 0, 0)


def test_a_workspace_whose_removal_is_unfinished_is_not_used_by_init(run: Run, refused: Callable[..., str]) -> None:
    commit(stored.begin_removal(run("init", *GIVEN)["id"], clock.now()))
    assert "The removal of the workspace 'Acme' is unfinished" in refused("init", *GIVEN)


def test_init_creates_nothing_for_a_client_viewer(run: Run, refused: Callable[..., str]) -> None:
    made = run("init", *GIVEN)
    run("people", "add", made["id"], "cy@acme.example", "--role", "client_viewer", "--site", made["siteId"])
    assert "a client viewer has no keys" in refused("init", "Acme", "cy@acme.example", "https://new.example")
    assert counts() == (1, 2, 1, 1)
