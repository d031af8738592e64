"""The settings that say when the person gets notices by mail."""

from typing import Final

from chalicelib.domain.webhooks.notices import CHOICES
from chalicelib.operations import inviting, mailing, notices
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply

ONCE: Final = False  # choosing twice has no further effect
_WORDS: Final = {
    "off": "Never",
    "at_once": "At once, but no more than one mail in ten minutes",
    "daily": "Once a day, at 07:00 UTC",
    "weekly": "Once a week, on Mondays at 07:00 UTC",
}


_DONE: Final = {"saved": "Saved.", "tried": "The next mail goes to your address again."}


def show(page: Page) -> Reply:
    return page.view(
        "notices.html",
        "Notices by mail",
        choices=[(one, _WORDS[one]) for one in CHOICES],
        chosen=notices.current(page.who.actor),
        mails=inviting.sends_mail(),
        came_back=mailing.came_back([_email(page)]).get(_email(page)),
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    if form.text("do") == "try-again":
        mailing.try_again(_email(page))
        return Redirect(page.here(**{DONE: "tried"}))
    notices.choose(page.who.actor, form.text("when"))
    return Redirect(page.here(**{DONE: "saved"}))


def _email(page: Page) -> str:
    return page.who.session.email
