"""The people of a workspace, invitations, and the rights of each role."""

from typing import Any, Final

from chalicelib.domain.accounts.rights import RIGHT_WORDS, ROLES, role_may
from chalicelib.operations import inviting, workspace
from chalicelib.operations.errors import Refused
from chalicelib.web import choosing
from chalicelib.web.choosing import Choice
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply

PER: Final = 25
WRONG: Final = (
    "bad_email",
    "bad_role",
    "bad_site",
    "person_exists",
    "plan_limit",
    "rate_limited",
    "last_owner",
    "no_mail",
)
ROLE_WORDS: Final = {"owner": "Owner", "admin": "Admin", "member": "Member", "client_viewer": "Client viewer"}
_DONE: Final = {
    "invited": "The invitation is on its way. Its link works once, for 7 days.",
    "removed": "The person is removed. Their keys no longer work, and they can no longer see this workspace.",
}


def table() -> list[dict[str, Any]]:
    """Return the rights of each role, one row per right."""
    return [
        {"words": words, "roles": [role_may(role, right) for role in ROLES]} for right, words in RIGHT_WORDS.items()
    ]


def show(
    page: Page,
    email: str = "",
    role: str = "member",
    choice: Choice | None = None,
    wrong: str | None = None,
    status: int = 200,
) -> Reply:
    actor, workspace_id = page.who.actor, page.who.member.workspace_id
    found = workspace.people(actor, workspace_id)
    return page.view(
        "people.html",
        "People",
        status=status,
        **page.paged("people", found, PER),
        email=email,
        role=role,
        choice=choice or choosing.shown(workspace.websites(actor, workspace_id), []),
        mails=inviting.sends_mail(),
        roles=ROLE_WORDS,
        table=table(),
        wrong=wrong,
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    actor, workspace_id = page.who.actor, page.who.member.workspace_id
    email, role = form.text("email"), form.text("role")
    choice = choosing.read(workspace.websites(actor, workspace_id), form)
    try:
        sites = sites_of(role, choice)
        invited = inviting.invite(actor, workspace_id, email, role, sites, page.address)
    except Refused as refused:
        if refused.code not in WRONG:
            raise
        return show(page, email, role, choice, refused.message, 422)
    if invited.problem is None:
        return Redirect(page.url("settings", "people", **{DONE: "invited"}))
    return Redirect(page.url("settings", "people", invited.person.id, **{DONE: "unsent"}))


def sites_of(role: str, choice: Choice) -> list[str] | None:
    """Return the websites for a role: the chosen websites for a client viewer, and all websites (None) for other roles.

    Raises ``Refused`` with ``bad_site`` if no website is chosen for a client viewer, or if a typed host is unknown.
    """
    if role != "client_viewer":
        return None
    found = choice.site_ids()
    if not found:
        raise Refused("bad_site", "Choose at least one website for a client viewer.")
    return found
