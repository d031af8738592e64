"""Links to the report that a website's client reads: those that are open, a new one, which is shown once, and taking
one back."""

from typing import Final

from chalicelib.domain.reports import DEFAULT_LIFE, LIVES, address_of
from chalicelib.operations import reports
from chalicelib.operations.errors import Refused
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply, ShownOnce

WRONG: Final = frozenset({"bad_days", "too_many_links", "busy"})
_DONE: Final = {
    "shown": "This link was made already, and shown once. If you did not keep it, take it back and make another.",
    "taken-back": "Taken back: the link opens nothing any more.",
}


def show(page: Page, wrong: str | None = None, status: int = 200) -> Reply:
    return page.view(
        "reports.html",
        "Client report",
        status=status,
        links=reports.open_links(page.who.actor, page.website) if page.works else [],
        lives=LIVES,
        default=DEFAULT_LIFE,
        wrong=wrong,
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    actor, site_id = page.who.actor, page.path["siteId"]
    if form.text("do") == "take-back":
        reports.take_back(actor, site_id, form.text("key"))
        return Redirect(page.here(**{DONE: "taken-back"}))
    days = form.text("days")
    try:
        new = reports.share(actor, site_id, int(days) if days in map(str, LIVES) else 0)
    except Refused as refused:
        if refused.code not in WRONG:
            raise
        return show(page, refused.message, 409 if refused.code == "busy" else 422)
    address = address_of(page.address, new.token)
    made = page.view("report_made.html", "Keep this link now", link=new.link, address=address)
    return ShownOnce(made, page.here(**{DONE: "shown"}))
