"""The webhook endpoints of a workspace: the list, and creating a new endpoint. A new endpoint's secret is shown only
once."""

from typing import Final

from chalicelib.domain.webhooks.kinds import EVENTS
from chalicelib.operations import endpoints
from chalicelib.operations.errors import Refused
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Reply, ShownOnce

PER: Final = 25
WRONG: Final = ("bad_url", "bad_events", "too_many_endpoints")
SENT_WHEN: Final = {event.name: event.sent_when.partition(". ")[0].removesuffix(".") for event in EVENTS}
_DONE: Final = {
    "shown": "This endpoint was already added, and its secret was shown once. If you did not save the secret, remove "
    "the endpoint and add it again.",
    "removed": "The endpoint is removed. Nothing is sent to it any more.",
}


def show(page: Page, url: str = "", events: tuple[str, ...] = (), wrong: str | None = None, status: int = 200) -> Reply:
    found = endpoints.list_all(page.who.actor, page.who.member.workspace_id)
    return page.view(
        "webhooks.html",
        "Webhooks",
        status=status,
        **page.paged("endpoints", found, PER),
        url=url,
        events=events,
        words=SENT_WHEN,
        wrong=wrong,
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    url, events = form.text("url"), tuple(form.all("event"))
    try:
        new = endpoints.add(page.who.actor, page.who.member.workspace_id, url, events)
    except Refused as refused:
        if refused.code not in WRONG:
            raise
        return show(page, url, events, refused.message, 422)
    made = page.view("webhook_made.html", "Keep this secret now", endpoint=new.endpoint, secret=new.secret.reveal())
    return ShownOnce(made, page.url("settings", "webhooks", **{DONE: "shown"}))
