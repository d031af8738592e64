"""The pages of a website that people chose to watch, with forms to add and remove a page."""

from chalicelib.domain import ids
from chalicelib.domain.audit.watched import MOST_CHOSEN, MOST_CLICKED
from chalicelib.operations import websites
from chalicelib.operations.errors import Refused
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply

_DONE = {"watched": "The page is watched.", "unwatched": "The page is no longer watched."}


def show(page: Page, url: str = "", wrong: str | None = None) -> Reply:
    watched = page.website.watched_pages or ()
    return page.view(
        "watched.html",
        "Watched pages",
        status=422 if wrong else 200,
        watched=[(ids.page_id(page.website.id, one), one) for one in sorted(watched)],
        url=url,
        wrong=wrong,
        most=MOST_CHOSEN,
        most_clicked=MOST_CLICKED,
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    url, ended = form.text("url"), form.text("do") == "unwatch"
    try:
        (websites.unwatch if ended else websites.watch)(page.who.actor, page.website.id, url)
    except Refused as refused:
        if refused.code not in ("bad_url", "other_host", "too_many_pages"):
            raise
        return show(page, url, refused.message)
    return Redirect(page.here(**{DONE: "unwatched" if ended else "watched"}))
