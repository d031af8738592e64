"""One API key: editing its scopes, and revoking it after a confirmation."""

from typing import Final

from chalicelib.domain.accounts.rights import SCOPES
from chalicelib.operations import accounts, workspace
from chalicelib.operations.errors import Refused
from chalicelib.store import api_keys
from chalicelib.store.api_keys import HOUR_SECONDS
from chalicelib.web import choosing
from chalicelib.web.choosing import Choice
from chalicelib.web.forms import Form
from chalicelib.web.page import ASK, DONE, Page
from chalicelib.web.replies import Redirect, Reply
from chalicelib.web.screens.keys import WRONG

_DONE: Final = {"saved": "Saved. The change applies from the key's next request on."}


def show(
    page: Page,
    name: str | None = None,
    scopes: tuple[str, ...] | None = None,
    choice: Choice | None = None,
    wrong: str | None = None,
    status: int = 200,
) -> Reply:
    actor, key_id = page.who.actor, page.path["keyId"]
    key = accounts.existing_key(actor, key_id)
    one = next(one for one in workspace.keys(actor, key.workspace_id) if one.key.id == key.id)
    rows = workspace.websites(actor, key.workspace_id)
    return page.view(
        "key.html",
        key.name or "API key",
        status=status,
        one=one,
        key=key,
        used=api_keys.last_used([key]).get(key.id),
        this_hour=page.now // HOUR_SECONDS * HOUR_SECONDS,
        website=next((row for row in rows if key.site_ids and row.id == key.site_ids[0]), None),
        name=(key.name or "") if name is None else name,
        scopes=key.scopes if scopes is None else scopes,
        words=SCOPES,
        choice=choice or choosing.shown(rows, key.site_ids),
        wrong=wrong,
        asks=page.query.get(ASK) == "revoke" and key.revoked_at is None,
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    actor, key_id = page.who.actor, page.path["keyId"]
    if form.text("do") == "revoke":
        accounts.revoke_key(actor, key_id)
        return Redirect(page.url("settings", "keys", **{DONE: "revoked"}))
    key = accounts.existing_key(actor, key_id)
    name, scopes = form.text("name"), tuple(form.all("scope"))
    of_website = key.kind == "website"
    choice = None if of_website else choosing.read(workspace.websites(actor, key.workspace_id), form)
    try:
        sites = None if choice is None else choice.site_ids()
        every = choice is not None and choice.every
        accounts.edit_key(actor, key_id, scopes=scopes, site_ids=sites, all_sites=every, name=name or None)
    except Refused as refused:
        if refused.code not in WRONG:
            raise
        return show(page, name, scopes, choice, refused.message, 422)
    return Redirect(page.here(**{DONE: "saved", ASK: None}))
