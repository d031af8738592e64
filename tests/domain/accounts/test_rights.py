"""Roles, scopes and rights."""

import pytest

from chalicelib.domain.accounts.rights import (
    OPERATOR,
    ROLES,
    SCOPES,
    Actor,
    Right,
    may,
    may_own_keys,
    ordered_scopes,
)

EVERY_RIGHT: tuple[Right, ...] = (
    "read",
    "work",
    "manage_people",
    "manage_keys",
    "manage_endpoints",
    "change_plan",
    "remove_websites",
    "read_log",
    "brand_reports",
)


def rights_of(role: str) -> set[str]:
    return {right for right in EVERY_RIGHT if may(Actor("wsp_1", "usr_1", role), right, "wsp_1")}


@pytest.mark.parametrize("role", ["owner", "admin"])
def test_owners_and_admins_may_do_everything(role: str) -> None:
    assert rights_of(role) == set(EVERY_RIGHT)


def test_a_member_works_on_websites_but_does_not_manage_the_workspace() -> None:
    assert rights_of("member") == {"read", "work"}


def test_a_client_viewer_reads() -> None:
    assert rights_of("client_viewer") == {"read"}


def test_nobody_has_rights_in_another_workspace_but_the_operator_has_them_all() -> None:
    assert not any(may(Actor("wsp_2", "usr_1", "owner"), right, "wsp_1") for right in EVERY_RIGHT)
    assert all(may(OPERATOR, right, "wsp_1") for right in EVERY_RIGHT)


def test_keys_of_everybody_but_client_viewers_work() -> None:
    assert [role for role in ROLES if may_own_keys(role)] == ["owner", "admin", "member"]


def test_the_ten_scopes_keep_their_order() -> None:
    assert len(SCOPES) == 10
    assert ordered_scopes(["audits:run", "sites:read", "audits:run"]) == ["sites:read", "audits:run"]
    with pytest.raises(ValueError, match="sites:write"):
        ordered_scopes(["sites:write"])
