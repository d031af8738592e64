"""Checks the rights of an actor."""

from chalicelib.domain.accounts.rights import Actor, Right, may
from chalicelib.operations.errors import Refused

_WORDS: dict[Right, str] = {
    "read": "read this workspace",
    "work": "change anything here",
    "manage_people": "manage people",
    "manage_keys": "manage API keys",
    "manage_endpoints": "manage webhook endpoints",
    "change_plan": "change the plan",
    "remove_websites": "remove websites",
    "read_log": "read who did what",
    "brand_reports": "choose how reports look",
}


def require(actor: Actor, right: Right, workspace_id: str) -> None:
    """Check that the actor has the right in the workspace. Raises ``Refused``. To people who do not belong to the
    workspace, it is reported as not found, so that they cannot learn whether it exists."""
    if may(actor, right, workspace_id):
        return
    if actor.workspace_id != workspace_id:
        raise Refused("not_found", f"There is no workspace {workspace_id}.")
    raise Refused("not_allowed", f"The role {actor.role} may not {_WORDS[right]}.")
