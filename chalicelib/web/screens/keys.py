"""The API keys of a workspace: the list, and creating a key. A new key is shown only once."""

from typing import Final

from chalicelib.domain.accounts.rights import SCOPES
from chalicelib.operations import accounts, workspace
from chalicelib.operations.errors import Refused
from chalicelib.store import api_keys
from chalicelib.store.api_keys import HOUR_SECONDS
from chalicelib.web import choosing
from chalicelib.web.choosing import Choice
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Reply, ShownOnce

PER: Final = 25
WRONG: Final = ("bad_name", "bad_scope", "bad_site", "too_many_keys", "cannot_own_keys", "revoked", "website_key")
_DONE: Final = {
    "shown": "This key was already made and shown once. If you did not save it, revoke it and make another.",
    "revoked": "The key is revoked. Requests with it are refused from now on.",
}


def show(
    page: Page,
    name: str = "",
    scopes: tuple[str, ...] = (),
    choice: Choice | None = None,
    wrong: str | None = None,
    status: int = 200,
) -> Reply:
    actor, workspace_id = page.who.actor, page.who.member.workspace_id
    found = workspace.keys(actor, workspace_id)
    # Active keys first, and the newest first.
    ordered = sorted(found, key=lambda one: (one.key.revoked_at is not None, -one.key.created_at, one.key.id))
    listed = page.paged("keys", ordered, PER)
    used = api_keys.last_used([one.key for one in listed["keys"]])
    return page.view(
        "keys.html",
        "API keys",
        status=status,
        **listed,
        used=used,
        this_hour=page.now // HOUR_SECONDS * HOUR_SECONDS,
        name=name,
        scopes=scopes,
        words=SCOPES,
        choice=choice or choosing.shown(workspace.websites(actor, workspace_id), None),
        wrong=wrong,
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    actor, member = page.who.actor, page.who.member
    choice = choosing.read(workspace.websites(actor, member.workspace_id), form)
    name, scopes = form.text("name"), tuple(form.all("scope"))
    try:
        new = accounts.create_workspace_key(
            actor, member.workspace_id, member.person_id, scopes, choice.site_ids(), name
        )
    except Refused as refused:
        if refused.code not in WRONG:
            raise
        return show(page, name, scopes, choice, refused.message, 422)
    made = page.view("key_made.html", "Keep this key now", key=new.listed, secret=new.secret, address=page.root)
    return ShownOnce(made, page.url("settings", "keys", **{DONE: "shown"}))
