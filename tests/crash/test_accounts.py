"""Killed at any write, an account operation leaves no key that may more than its person, and is completed by running
it again."""

import contextlib
import itertools
from typing import Literal

import pytest

from chalicelib import clock
from chalicelib.domain.accounts import keys as key_format
from chalicelib.domain.accounts.rights import OPERATOR, may_own_keys
from chalicelib.operations import accounts, beginning, websites
from chalicelib.store import accounts as store
from chalicelib.store import api_keys, items, keys, sessions, website_names
from local import embedded
from tests import aws
from tests.crash.crashing import Killed, killed_at

pytestmark = [
    pytest.mark.usefixtures("store"),
    pytest.mark.calm("kills at each write in turn, and counts them"),
]

When = Literal["before", "after"]
WHEN: tuple[When, ...] = ("before", "after")
KEYS = 5


@pytest.fixture(autouse=True)
def _small_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a transaction held four writes, so that five keys are already too many for one."""
    monkeypatch.setattr(accounts, "MAX_WRITES", 4)


def person_with_keys(role: str) -> tuple[str, str, list[str]]:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    person = accounts.add_person(OPERATOR, workspace.id, "ada@example.org", "owner")
    secrets = [
        accounts.create_workspace_key(OPERATOR, workspace.id, person.id, ["sites:read"]).secret for _ in range(KEYS)
    ]
    accounts.set_role(OPERATOR, workspace.id, person.id, role)
    return workspace.id, person.id, secrets


def listed() -> list[tuple[str, str, frozenset[str] | None]]:
    """The role and websites of a signed-in person, by the rows of the e-mail address."""
    return [(one.person_id, one.role, one.site_ids) for one in sessions.workspaces("ada@example.org")]


def expected(workspace_id: str) -> list[tuple[str, str, frozenset[str] | None]]:
    """The same by the people of the workspace."""
    return [
        (one.id, one.role, frozenset() if one.role == "client_viewer" else None)
        for one in store.list_people(workspace_id)
    ]


def states(secrets: list[str]) -> set[str]:
    parts = [key_format.parse(secret) for secret in secrets]
    return {api_keys.authenticate(part.sha256, clock.now()).owner_state for part in parts if part is not None}


@pytest.mark.parametrize(("before", "after"), [("admin", "client_viewer"), ("client_viewer", "admin")])
@pytest.mark.parametrize("when", WHEN)
def test_people_and_keys_stay_consistent_if_a_role_change_is_killed(before: str, after: str, when: When) -> None:
    for number in itertools.count():
        workspace_id, person_id, secrets = person_with_keys(before)
        with contextlib.suppress(Killed), killed_at(number, when) as counter:
            accounts.set_role(OPERATOR, workspace_id, person_id, after)
        found = store.person(workspace_id, person_id)
        assert found is not None
        assert listed() == expected(workspace_id)
        if not may_own_keys(found.role):
            assert states(secrets) == {"lost"}
        accounts.set_role(OPERATOR, workspace_id, person_id, after)
        assert states(secrets) == {"ok" if may_own_keys(after) else "lost"}
        accounts.remove_person(OPERATOR, workspace_id, person_id)
        if counter.count == number:  # it ran to its end
            break
    assert number == 2


@pytest.mark.parametrize("when", WHEN)
def test_people_and_keys_stay_consistent_if_removing_a_person_is_killed(when: When) -> None:
    for number in itertools.count():
        workspace_id, person_id, secrets = person_with_keys("owner")
        with contextlib.suppress(Killed), killed_at(number, when) as counter:
            accounts.remove_person(OPERATOR, workspace_id, person_id)
        assert listed() == expected(workspace_id)
        if store.person(workspace_id, person_id) is None:
            assert states(secrets) == {"lost"}
        else:
            accounts.remove_person(OPERATOR, workspace_id, person_id)
        assert states(secrets) == {"lost"}
        assert accounts.existing_workspace(workspace_id).people == 0
        if counter.count == number:  # it ran to its end
            break
    assert number == 4


@pytest.mark.parametrize("when", WHEN)
def test_a_killed_removal_of_a_website_can_be_repeated(when: When) -> None:
    for number in itertools.count():
        workspace = accounts.create_workspace(OPERATOR, "Acme", "free")
        person = accounts.add_person(OPERATOR, workspace.id, "ada@example.org", "owner")
        site_id = websites.add(OPERATOR, workspace.id, "https://example.org").id
        secret = accounts.create_website_key(OPERATOR, site_id, person.id).secret
        for table, pk, sk in (
            ("crawls", f"SITE#{site_id}", "AUDIT#crawl_1"),
            ("crawls", "CRAWL#crawl_1", "STEP#000000"),
            ("pages", f"SITE#{site_id}#GEN#crawl_1", "LIST#0000"),
            ("issues", f"SITE#{site_id}", "STATE"),
            ("changes", *keys.change_batch(site_id, "batch_1")),
            ("ai", *keys.readiness(site_id)),
            ("ai", *keys.sample(site_id, "2026-W48", "prompt_1", "openai")),
            ("search", *keys.search_manifest(site_id, "pairs")),
        ):
            items.put(table, {"pk": pk, "sk": sk})
        with contextlib.suppress(Killed), killed_at(number, when) as counter:
            websites.remove(OPERATOR, site_id)
        if aws.rows("sites"):
            websites.remove(OPERATOR, site_id)
        for table in ("sites", "crawls", "pages", "issues", "changes", "ai", "search"):
            assert aws.rows(table) == []
        assert accounts.existing_workspace(workspace.id).websites == 0
        part = key_format.parse(secret)
        assert part is not None
        with pytest.raises(api_keys.KeyUnknown):
            api_keys.authenticate(part.sha256, clock.now())
        if counter.count == number:  # it ran to its end
            break
    assert number >= 9


@pytest.mark.parametrize("when", WHEN)
def test_a_setup_of_a_deployment_that_was_interrupted_by_a_kill_can_be_repeated(when: When) -> None:
    given = ("Acme", "ada@example.org", "https://example.org", "agency")
    for number in itertools.count():
        embedded.clear()
        with contextlib.suppress(Killed), killed_at(number, when) as counter:
            beginning.begin(OPERATOR, *given)
        found = beginning.begin(OPERATOR, *given)
        (workspace,) = store.list_workspaces()
        assert [one.id for one in store.list_people(workspace.id)] == [found.person.id]
        assert [one.id for one in website_names.list_all(workspace.id)] == [found.site_id]
        assert [one.id for one in api_keys.list_all(workspace.id)] == [found.key.id]
        if counter.count == number:  # it ran to its end
            break
    assert number == 4
