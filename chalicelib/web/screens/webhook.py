"""One webhook endpoint: its address and events, switching it on and off, a test delivery, its deliveries, and its
removal."""

from typing import Final

from chalicelib.operations import endpoints
from chalicelib.operations.errors import Refused
from chalicelib.web.forms import Form
from chalicelib.web.page import ASK, DONE, Page
from chalicelib.web.replies import Redirect, Reply
from chalicelib.web.screens.webhooks import SENT_WHEN, WRONG

DELIVERIES: Final = 25
STATES: Final = {
    "waiting": "waiting",
    "delivered": "delivered",
    "failed": "failed",
    "endpoint_off": "endpoint was off",
    "endpoint_removed": "endpoint was removed",
    "event_not_ticked": "event not ticked any more",
    "dropped": "dropped by the operator",
}
_DONE: Final = {
    "saved": "Saved. Waiting deliveries go to this address.",
    "tested": "A ping is on its way. Its result is below in a moment.",
    "on": "The endpoint is on. Its earlier failures no longer count.",
    "off": "The endpoint is off. It gets no events, and its waiting deliveries were dropped.",
}


def show(
    page: Page,
    url: str | None = None,
    events: tuple[str, ...] | None = None,
    wrong: str | None = None,
    status: int = 200,
) -> Reply:
    actor, workspace_id, endpoint_id = page.who.actor, page.who.member.workspace_id, page.path["endpointId"]
    found = endpoints.existing(actor, workspace_id, endpoint_id)
    return page.view(
        "webhook.html",
        "Webhook",
        status=status,
        endpoint=found,
        log=endpoints.log(actor, workspace_id, endpoint_id, DELIVERIES),
        per=DELIVERIES,
        states=STATES,
        url=found.url if url is None else url,
        events=found.events if events is None else events,
        words=SENT_WHEN,
        wrong=wrong,
        asks=page.query.get(ASK) == "remove",
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    actor, workspace_id, endpoint_id = page.who.actor, page.who.member.workspace_id, page.path["endpointId"]
    match form.text("do"):
        case "test":
            endpoints.ping(actor, workspace_id, endpoint_id)
            return Redirect(page.here(**{DONE: "tested"}))
        case "on":
            endpoints.switch_on(actor, workspace_id, endpoint_id)
            return Redirect(page.here(**{DONE: "on"}))
        case "off":
            endpoints.switch_off(actor, workspace_id, endpoint_id)
            return Redirect(page.here(**{DONE: "off"}))
        case "remove":
            endpoints.remove(actor, workspace_id, endpoint_id)
            return Redirect(page.url("settings", "webhooks", **{DONE: "removed"}))
    url, events = form.text("url"), tuple(form.all("event"))
    try:
        endpoints.edit(actor, workspace_id, endpoint_id, url, events)
    except Refused as refused:
        if refused.code not in WRONG:
            raise
        return show(page, url, events, refused.message, 422)
    return Redirect(page.here(**{DONE: "saved"}))
