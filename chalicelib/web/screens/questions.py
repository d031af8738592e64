"""The weekly questions to assistants about the website: adding, pausing, resuming, removing and proposing."""

from typing import Final

from chalicelib.domain.visibility.prompts import LONGEST, MOST_ACTIVE, MOST_KEPT
from chalicelib.operations import prompts
from chalicelib.operations.errors import Refused
from chalicelib.store import visibility
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply

PROPOSE: Final = "propose"
PER: Final = 50
_OFFSETS: Final = frozenset(str(number) for number in range(0, MOST_KEPT, PER))
_PASSED_ON: Final = frozenset({"not_found", "not_allowed"})
_DONE: Final = {
    "add": "Added. Assistants are asked this question from the next sampling on.",
    "pause": "Paused. What was answered stays.",
    "resume": "It is asked again.",
    "remove": "Removed. Weeks in which the question was asked still show it.",
}


def show(page: Page, wrong: str | None = None, text: str = "", locale: str = "", status: int = 200) -> Reply:
    site_id = page.website.id
    known = visibility.load_prompts(site_id).prompts
    start = int(page.query["offset"]) if page.query.get("offset", "") in _OFFSETS else 0
    wanted = {"proposals": lambda: prompts.propose(page.who.actor, site_id)} if PROPOSE in page.query else {}
    return page.view(
        "questions.html",
        "Questions for assistants",
        status=status,
        known=known[start : start + PER],
        total=len(known),
        start=start,
        per=PER,
        active=sum(one.active for one in known),
        most=MOST_ACTIVE,
        longest=LONGEST,
        parts=page.parts(**wanted) if page.works else {},
        wrong=wrong,
        text=text,
        locale=locale,
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    actor, site_id = page.who.actor, page.website.id
    changes = {"pause": prompts.pause, "resume": prompts.resume, "remove": prompts.remove}
    what = next((name for name in ("add", *changes) if form.text(name)), "")
    try:
        if what == "add":
            prompts.add(actor, site_id, form.text("text"), locale=form.text("locale") or None)
        elif what:
            changes[what](actor, site_id, form.text(what))
        else:
            raise Refused("not_found", "The form names no known action. Reload the page, and use one of its buttons.")
    except Refused as refused:
        if refused.code in _PASSED_ON:
            raise
        typed = (form.text("text")[: 2 * LONGEST], form.text("locale")[:40]) if what == "add" else ("", "")
        return show(page, refused.message, *typed, status=409 if refused.code == "busy" else 422)
    return Redirect(page.here(**{DONE: what}))
