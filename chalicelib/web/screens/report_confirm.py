"""Confirms that the owner of an e-mail address wants a monthly report. The link to this screen was mailed to the
address, and needs no sign-in.

The link opens a page with a button, because mail scanners open links too. The link works only once.
"""

from typing import Final

from chalicelib.operations import recipients, sessions
from chalicelib.operations.errors import Refused
from chalicelib.web.forms import Form
from chalicelib.web.page import Page
from chalicelib.web.replies import Reply

ONCE: Final = False  # the link works once anyway


def show(page: Page) -> Reply:
    token = page.query.get(recipients.PARAMETER)
    if token is None:
        return _view(page, "asks")
    found = recipients.asks(token)
    if found is None:
        sessions.count_wrong_token(page.ip)
        return _view(page, "old", 404)
    return _view(page, "offers", token=token, email=found.email)


def act(page: Page, form: Form) -> Reply:
    try:
        recipients.confirm(form.text(recipients.PARAMETER))
    except Refused:
        sessions.count_wrong_token(page.ip)
        return _view(page, "old", 404)
    return _view(page, "done")


def _view(page: Page, state: str, status: int = 200, token: str = "", email: str = "") -> Reply:
    return page.view(
        "report_confirm.html", "Monthly report by mail", status=status, state=state, token=token, email=email
    )
