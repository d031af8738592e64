"""Links to the report that a website's client reads, and the e-mail addresses that get it monthly.

Links are listed, created and revoked. A new link is shown only once.
"""

from typing import Final

from chalicelib.domain.report_mails import MOST_RECIPIENTS
from chalicelib.domain.reports import DEFAULT_LIFE, LIVES, address_of
from chalicelib.operations import inviting, recipients, reports
from chalicelib.operations.errors import Refused
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply, ShownOnce

LONGEST_SHOWN: Final = 200  # characters of what was typed that are shown again
WRONG: Final = frozenset({"bad_days", "too_many_links", "busy"})
_WRONG_ADDRESS: Final = frozenset(
    {"no_mail", "bad_email", "rate_limited", "already_confirmed", "too_many_recipients", "busy"}
)
_STATUS: Final = {"busy": 409, "rate_limited": 429}
_DONE: Final = {
    "shown": "This link was already made and shown once. If you did not save it, take it back and make another.",
    "taken-back": "Taken back. The link no longer works. If it was sent in a monthly mail, these mails end too.",
    "tried": "The next mail goes to that address again.",
    "asked": "A mail asks the address to confirm. Until then, nothing else is sent to that address.",
    "ended": "The report is no longer sent to that address, and the links in earlier mails no longer work.",
}


def show(
    page: Page, wrong: str | None = None, status: int = 200, email: str = "", wrong_email: str | None = None
) -> Reply:
    found = recipients.listed(page.who.actor, page.website) if page.works else []
    return page.view(
        "reports.html",
        "Client report",
        status=status,
        links=reports.open_links(page.who.actor, page.website) if page.works else [],
        lives=LIVES,
        default=DEFAULT_LIFE,
        wrong=wrong,
        recipients=found,
        came_back=recipients.came_back(found),
        most=MOST_RECIPIENTS,
        mails=inviting.sends_mail(),
        email=email[:LONGEST_SHOWN],
        wrong_email=wrong_email,
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    actor, site_id = page.who.actor, page.path["siteId"]
    if form.text("do") == "take-back":
        reports.take_back(actor, site_id, form.text("key"))
        return Redirect(page.here(**{DONE: "taken-back"}))
    if form.text("do") == "end-mails":
        recipients.end(actor, site_id, form.text("key"))
        return Redirect(page.here(**{DONE: "ended"}))
    if form.text("do") == "try-again":
        recipients.try_again(actor, page.website, form.text("key"))
        return Redirect(page.here(**{DONE: "tried"}))
    if form.text("do") == "ask":
        return _ask(page, form.text("email"))
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


def _ask(page: Page, email: str) -> Reply:
    try:
        problem = recipients.ask(page.who.actor, page.path["siteId"], email, page.address)
    except Refused as refused:
        if refused.code not in _WRONG_ADDRESS:
            raise
        return show(page, None, _STATUS.get(refused.code, 422), email, refused.message)
    if problem is not None:
        return show(page, None, 409, email, f"No mail was sent: {problem} Send it again later.")
    return Redirect(page.here(**{DONE: "asked"}))
