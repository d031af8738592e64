"""Ending a monthly report from a link in a mail, without signing in.

The link opens a page with a button, because mail scanners open links too. Mail programs can also post to the same
address directly (RFC 8058), without a page of the app. Any post ends the mails to the e-mail address that the token
names, and does nothing else.
"""

from chalicelib.operations import recipients, sessions
from chalicelib.operations.errors import Refused
from chalicelib.web.forms import Form
from chalicelib.web.page import Page
from chalicelib.web.replies import Reply


def show(page: Page) -> Reply:
    token = page.query.get(recipients.PARAMETER)
    if token is None:
        return _view(page, "asks")
    found = recipients.stops(token)
    if found is None:
        sessions.count_wrong_token(page.ip)
        return _view(page, "old", 404)
    return _view(page, "offers", token=token, email=found.email)


def act(page: Page, form: Form) -> Reply:
    try:
        recipients.stop(page.query.get(recipients.PARAMETER, ""))
    except Refused as refused:
        if refused.code != "not_found":
            raise
        sessions.count_wrong_token(page.ip)
        return _view(page, "old", 404)
    return _view(page, "done")


def _view(page: Page, state: str, status: int = 200, token: str = "", email: str = "") -> Reply:
    return page.view("report_off.html", "Monthly report by mail", status=status, state=state, token=token, email=email)
