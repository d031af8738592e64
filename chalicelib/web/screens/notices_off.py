"""Turning off notices from a link in a mail, without signing in.

The link opens a page with a button, because mail scanners open links too. Mail programs can also post to the same
address directly (RFC 8058), without a page of the app. Any post turns off the notices that the token names, and does
nothing else.
"""

from chalicelib.operations import notices, sessions
from chalicelib.operations.errors import Refused
from chalicelib.web.forms import Form
from chalicelib.web.page import Page
from chalicelib.web.replies import Reply


def show(page: Page) -> Reply:
    token = page.query.get(notices.PARAMETER)
    if token is None:
        return _view(page, "asks")
    if not notices.turns_off(token):
        sessions.count_wrong_token(page.ip)
        return _view(page, "old", 404)
    return _view(page, "offers", token=token)


def act(page: Page, form: Form) -> Reply:
    try:
        notices.turn_off(page.query.get(notices.PARAMETER, ""))
    except Refused as refused:
        if refused.code != "not_found":
            raise
        sessions.count_wrong_token(page.ip)
        return _view(page, "old", 404)
    return _view(page, "done")


def _view(page: Page, state: str, status: int = 200, token: str = "") -> Reply:
    return page.view("notices_off.html", "Notices by mail", status=status, state=state, token=token)
