"""A workspace with one person of each role."""

from typing import NamedTuple

import pytest

from chalicelib.domain.accounts.rights import OPERATOR, ROLES, Actor
from chalicelib.operations import accounts


class Team(NamedTuple):
    """A workspace on the plan Agency, and its people by role."""

    workspace_id: str
    people: dict[str, str]

    def actor(self, role: str) -> Actor:
        return Actor(self.workspace_id, self.people[role], role)


@pytest.fixture
def team(store: None) -> Team:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    people = {role: accounts.add_person(OPERATOR, workspace.id, f"{role}@example.org", "member").id for role in ROLES}
    for role, person_id in people.items():
        accounts.set_role(OPERATOR, workspace.id, person_id, role)
    return Team(workspace.id, people)
