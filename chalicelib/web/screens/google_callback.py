"""The address to which Google returns a person who granted or refused access.

Opening the address changes nothing, because anybody can lead a browser to it. The screen shows what would be connected,
and posting its form connects it. The code and the state that Google adds to the address are secret, so they are written
to no log and no cookie. A person who must sign in first therefore has to start the connection again. The address is the
same for all websites. The connection belongs to the workspace in which the person started it.
"""

from typing import Any, Final

from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.printable import printable
from chalicelib.operations import grants
from chalicelib.operations.errors import Refused
from chalicelib.operations.grants import Choice
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply

ROUTE: Final = "google/callback"
ONCE: Final = False  # Google exchanges a code only once, and the code must not become the key of a stored answer
NOTHING: Final = "Google returns to this page after a connection. Start on the screen Connections of a website."
DENIED: Final = "Google says that access was not granted. Nothing was changed."
LOST: Final = "Google returned no code ({}). Nothing was changed."
_KINDS: Final = {"search": "Search Console", "analytics": "Analytics"}
_LONGEST_SHOWN: Final = 60


def show(page: Page) -> Reply:
    state, error = page.query.get("state", ""), page.query.get("error")
    if not state and error is None:
        return _shown(page, None, wrong=NOTHING)
    try:
        _, offer = _begun(page, state)
    except Refused as refused:
        return _shown(page, None, 404, wrong=refused.message)
    if error == "access_denied":
        return _shown(page, offer, wrong=DENIED)
    if error is not None or "code" not in page.query:
        return _shown(page, offer, wrong=LOST.format(printable(error or "no error", _LONGEST_SHOWN)))
    return _shown(page, offer, state=state, code=page.query["code"])


def act(page: Page, form: Form) -> Reply:
    state = form.text("state")
    try:
        actor, offer = _begun(page, state)
    except Refused as refused:
        return _shown(page, None, 404, wrong=refused.message)
    choices: list[Choice] = []
    try:
        if form.text("property"):
            grants.choose(actor, state, form.text("property"))
        else:
            choices = grants.complete(actor, state, form.text("code"))
    except Refused as refused:
        if refused.code != "busy":
            return _shown(page, offer, 422, wrong=refused.message)
        again = {"state": state, "code": form.text("code"), "chosen": form.text("property")}
        return _shown(page, offer, 409, wrong=refused.message, **again)
    if choices:
        return _shown(page, offer, state=state, choices=choices)
    return Redirect(page.url("sites", offer.site_id, "connections", **{DONE: f"connect-{offer.kind}"}))


def _begun(page: Page, state: str) -> tuple[Actor, grants.Offer]:
    """Return the person who started the connection, and what is to be connected.

    Raises ``Refused`` with ``link_used`` if somebody else started it.
    """
    member = page.who.member
    for other in [member, *(one for one in page.who.memberships if one is not member)]:
        actor = page.who.actor_in(other)
        try:
            return actor, grants.offer(actor, state)
        except Refused as error:
            refused = error
    raise refused


def _shown(page: Page, offer: grants.Offer | None, status: int = 200, **values: Any) -> Reply:
    """Return the screen. ``wrong``: why nothing was done.

    ``state``, ``code`` and ``chosen`` (a property): what the form sends; without them there is no form. ``choices``:
    properties to choose from.
    """
    known = {"wrong": None, "state": "", "code": "", "chosen": "", "choices": [], **values}
    kind = None if offer is None else _KINDS[offer.kind]
    return page.view("google_callback.html", "Connect with Google", status=status, offer=offer, kind=kind, **known)
