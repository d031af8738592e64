"""Signing in: requesting a link by mail, and using it.

The link opens a page with a button, and only the button uses the link, because mail scanners open links too.
"""

from typing import Final
from urllib.parse import quote, unquote

from chalicelib.domain.accounts.sign_in import LINK_SECONDS, PARAMETER
from chalicelib.operations import sessions
from chalicelib.operations.errors import Refused
from chalicelib.web import addresses, cookies
from chalicelib.web.forms import Form
from chalicelib.web.page import Page
from chalicelib.web.replies import Redirect, Reply

ONCE: Final = False  # a link works only once anyway, and requests for links are counted
_NEXT: Final = "next"


def show(page: Page) -> Reply:
    token = page.query.get(PARAMETER)
    if token is None:
        return _form(page, page.query.get(_NEXT, ""))
    offer = sessions.open_link(token)
    if offer is None:
        sessions.count_wrong_token(page.ip)
        return page.view("sign_in_old.html", "This link is not valid", status=404)
    return page.view("sign_in_link.html", "Sign in", email=offer.email, token=token)


def act(page: Page, form: Form) -> Reply:
    if form.text(PARAMETER):
        return _use(page, form.text(PARAMETER))
    wanted = form.text(_NEXT)
    try:
        sessions.request_link(form.text("email"), page.ip, page.address)
    except Refused as refused:
        status = 429 if refused.code == "rate_limited" else 422
        return _form(page, wanted, status=status, email=form.text("email"), error=refused.message)
    sent = page.view(
        "sign_in_sent.html", "Look into your mailbox", email=form.text("email"), minutes=LINK_SECONDS // 60
    )
    if addresses.own(page.root, wanted) is None:
        return sent
    return page.with_cookies(sent, cookies.kept(cookies.NEXT, quote(wanted), page.secure, LINK_SECONDS))


def _form(page: Page, wanted: str, *, status: int = 200, email: str = "", error: str | None = None) -> Reply:
    back = addresses.own(page.root, wanted) or ""
    return page.view("sign_in.html", "Sign in", status=status, next=back, email=email, error=error)


def _use(page: Page, token: str) -> Reply:
    try:
        started = sessions.use_link(token)
    except Refused:
        sessions.count_wrong_token(page.ip)
        return page.view("sign_in_old.html", "This link is not valid", status=404)
    wanted = addresses.own(page.root, unquote(page.cookie(cookies.NEXT) or ""))
    return Redirect(
        wanted or page.url(),
        (
            cookies.kept(cookies.SESSION, started.secret, page.secure),
            cookies.forgotten(cookies.NEXT, page.secure),
        ),
    )
