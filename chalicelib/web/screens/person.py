"""One person of the workspace: the person's role and websites, sending the invitation again, and removing the person
after a confirmation."""

from typing import Final

from chalicelib.operations import accounts, inviting, workspace
from chalicelib.operations.errors import Refused
from chalicelib.operations.permission import require
from chalicelib.web import choosing
from chalicelib.web.choosing import Choice
from chalicelib.web.forms import Form
from chalicelib.web.page import ASK, DONE, Page
from chalicelib.web.replies import Redirect, Reply
from chalicelib.web.screens.people import ROLE_WORDS, WRONG, sites_of

_DONE: Final = {
    "saved": "Saved. The change applies from their next request on.",
    "invited": "Another invitation is on its way. Its link works once, for 7 days.",
    "unsent": "The person is in the workspace. No mail was sent. Give them a link yourself, as explained below.",
}


def show(
    page: Page,
    role: str | None = None,
    choice: Choice | None = None,
    wrong: str | None = None,
    status: int = 200,
) -> Reply:
    actor, workspace_id = page.who.actor, page.who.member.workspace_id
    require(actor, "manage_people", workspace_id)
    found = accounts.existing_person(workspace_id, page.path["personId"])
    return page.view(
        "person.html",
        found.email,
        status=status,
        person=found,
        role=role or found.role,
        choice=choice or choosing.shown(workspace.websites(actor, workspace_id), found.site_ids or []),
        mails=inviting.sends_mail(),
        roles=ROLE_WORDS,
        wrong=wrong,
        asks=page.query.get(ASK) == "remove",
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    actor, workspace_id, person_id = page.who.actor, page.who.member.workspace_id, page.path["personId"]
    role = form.text("role")
    choice = choosing.read(workspace.websites(actor, workspace_id), form)
    try:
        match form.text("do"):
            case "remove":
                accounts.remove_person(actor, workspace_id, person_id)
                return Redirect(page.url("settings", "people", **{DONE: "removed"}))
            case "invite":
                sent = inviting.invite_again(actor, workspace_id, person_id, page.address)
                return Redirect(page.here(**{DONE: "invited" if sent.problem is None else "unsent"}))
        accounts.set_role(actor, workspace_id, person_id, role, sites_of(role, choice))
    except Refused as refused:
        if refused.code not in WRONG:
            raise
        return show(page, role, choice if role else None, refused.message, 422)
    return Redirect(page.here(**{DONE: "saved"}))
