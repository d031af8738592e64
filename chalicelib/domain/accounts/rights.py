"""Rights: the scopes of keys, the roles of people, and the rights of each role."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

Role = Literal["owner", "admin", "member", "client_viewer"]
ROLES: tuple[str, ...] = get_args(Role)

# Each scope, and what it allows. Scopes are listed and stored in this order.
SCOPES = {
    "sites:read": "read website details, scores, the portfolio, performance and audits",
    "pages:read": "read pages and page findings",
    "issues:read": "read issues and actions",
    "search:read": "read search performance and topics",
    "analytics:read": "read conversions and revenue from web analytics",
    "ai:read": "read AI visibility, AI readiness and Agentic browsing",
    "content:write": "send content and change alerts",
    "issues:recheck": "start rechecks and Agentic browsing re-runs",
    "audits:run": "start audits",
    "actions:apply": "apply approved changes through the CMS connector",
}

READ_SCOPES = tuple(scope for scope in SCOPES if scope.endswith(":read"))  # the scopes that change nothing

PAIRING_SCOPES = ("content:write",)  # of the key in a customer's CMS or shop; a connector needs no other

Right = Literal[
    "read",
    "work",
    "manage_people",
    "manage_keys",
    "manage_endpoints",
    "change_plan",
    "remove_websites",
    "read_log",
    "brand_reports",
]  # "work": everything without a separate right (audits, writes, adding and editing websites …)

_EVERYTHING = frozenset(get_args(Right))
_RIGHTS: dict[str, frozenset[str]] = {
    "owner": _EVERYTHING,
    "admin": _EVERYTHING,
    "member": frozenset({"read", "work"}),
    "client_viewer": frozenset({"read"}),
}

# What each right lets somebody do.
RIGHT_WORDS: dict[Right, str] = {
    "read": "Look at every screen of the websites that the role covers",
    "work": "Audit, approve, undo and ignore; add and edit websites; share reports",
    "manage_people": "Invite and remove people, change their roles",
    "manage_keys": "Make, edit and revoke API keys; connect a CMS or shop",
    "manage_endpoints": "Run webhook endpoints",
    "change_plan": "See the plan and its use",
    "remove_websites": "Remove websites",
    "read_log": "Read who did what",
    "brand_reports": "Choose the name and colour of reports",
}

WORKING_ROLES = ("owner", "admin", "member")  # they may work, and have keys


@dataclass(frozen=True, slots=True)
class Actor:
    """A person, or the operator of the service, who acts in a workspace.

    ``email``: the person's address, if known. ``key_id``: the API key that the person uses, if any.
    """

    workspace_id: str | None = None
    person_id: str | None = None
    role: str | None = None
    email: str | None = None
    key_id: str | None = None

    @property
    def is_operator(self) -> bool:
        return self.workspace_id is None


OPERATOR = Actor()


def may(actor: Actor, right: Right, workspace_id: str) -> bool:
    """Whether the actor has the right in the workspace. The operator has every right everywhere."""
    if actor.is_operator:
        return True
    return actor.workspace_id == workspace_id and role_may(actor.role or "", right)


def role_may(role: str, right: Right) -> bool:
    """Whether people with the role have the right in their workspace."""
    return right in _RIGHTS.get(role, frozenset())


def may_own_keys(role: str) -> bool:
    """Whether an API key works if it belongs to a person with this role."""
    return role in WORKING_ROLES


def ordered_scopes(scopes: Iterable[str]) -> list[str]:
    """Return the scopes without duplicates, in the order of ``SCOPES``.

    Raises ``ValueError`` for an unknown scope; the message names it.
    """
    wanted = set(scopes)
    unknown = sorted(wanted - SCOPES.keys())
    if unknown:
        raise ValueError(unknown[0])
    return [scope for scope in SCOPES if scope in wanted]
