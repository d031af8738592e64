"""Signing out: the session ends in the browser and in the store."""

from typing import Final

from chalicelib.operations import sessions
from chalicelib.web import cookies
from chalicelib.web.forms import Form
from chalicelib.web.page import Page
from chalicelib.web.replies import Redirect, Reply

ONCE: Final = False


def act(page: Page, form: Form) -> Reply:
    sessions.end(page.cookie(cookies.SESSION) or "")
    gone = tuple(cookies.forgotten(name, page.secure) for name in (cookies.SESSION, cookies.WORKSPACE))
    return Redirect(page.url("sign-in"), gone)
