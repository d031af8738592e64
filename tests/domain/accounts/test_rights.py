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
def test_owners_and_admins_have_every_right(role: str) -> None:
    assert rights_of(role) == set(EVERY_RIGHT)


def test_a_member_can_edit_websites_but_not_manage_the_workspace() -> None:
    assert rights_of("member") == {"read", "work"}


def test_a_client_viewer_can_only_read() -> None:
    assert rights_of("client_viewer") == {"read"}


def test_only_the_operator_has_rights_in_a_workspace_of_others() -> None:
    assert not any(may(Actor("wsp_2", "usr_1", "owner"), right, "wsp_1") for right in EVERY_RIGHT)
    assert all(may(OPERATOR, right, "wsp_1") for right in EVERY_RIGHT)


def test_every_role_except_client_viewer_can_own_keys() -> None:
    assert [role for role in ROLES if may_own_keys(role)] == ["owner", "admin", "member"]


def test_the_ten_scopes_keep_their_order() -> None:
    assert len(SCOPES) == 10
    assert ordered_scopes(["audits:run", "sites:read", "audits:run"]) == ["sites:read", "audits:run"]
    with pytest.raises(ValueError, match="sites:write"):
        ordered_scopes(["sites:write"])
