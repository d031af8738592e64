"""The sessions of the signed-in person, and signing out of the others."""

from datetime import UTC, datetime

from chalicelib.operations import sessions
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply


def show(page: Page) -> Reply:
    own = page.who.session
    found = [
        {
            "key": one.key,
            "own": one.key == own.key,
            "created": _instant(one.created),
            "last_used": _instant(one.last_used),
        }
        for one in sessions.others(own.email)
    ]
    done = "The session has ended." if page.query.get(DONE) == "ended" else None
    return page.view("sessions.html", "Where you are signed in", sessions=found, done=done)


def act(page: Page, form: Form) -> Reply:
    sessions.end_other(page.who.session.email, form.text("key"))
    return Redirect(page.here(**{DONE: "ended"}))


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
