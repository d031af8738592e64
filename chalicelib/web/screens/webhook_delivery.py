"""One delivery: its body, each attempt with the answer, and a button to send it again."""

from typing import Final

from chalicelib.domain.webhooks.delivery import Delivery
from chalicelib.operations import endpoints
from chalicelib.operations.errors import Refused
from chalicelib.web.forms import Form
from chalicelib.web.page import AS, DONE, Page
from chalicelib.web.replies import File, Redirect, Reply
from chalicelib.web.screens.webhook import STATES

MOST_SHOWN: Final = 10_000  # characters of the shown body; the file is complete
_DONE: Final = {"replayed": "The delivery is sent again. Its result appears below in a moment."}


def show(page: Page) -> Reply:
    found = _delivery(page)
    body = found.body.decode(errors="replace")
    if page.query.get(AS) == "json":
        return File(body, "application/json; charset=utf-8", f"{found.id}.json")
    return page.view(
        "webhook_delivery.html",
        found.event,
        delivery=found,
        body=body[:MOST_SHOWN],
        cut=len(body) > MOST_SHOWN,
        size=len(found.body),
        states=STATES,
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    endpoints.replay(page.who.actor, page.who.member.workspace_id, _delivery(page).id)
    return Redirect(page.here(**{DONE: "replayed"}))


def _delivery(page: Page) -> Delivery:
    found = endpoints.delivery(page.who.actor, page.who.member.workspace_id, page.path["deliveryId"])
    if found.endpoint_id != page.path["endpointId"]:
        raise Refused("not_found", "This endpoint has no such delivery.")
    return found
