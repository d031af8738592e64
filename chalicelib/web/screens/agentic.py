"""Agentic browsing: what AI agents can and cannot do on the website's pages, by check and by page."""

from typing import Any, Final, NamedTuple

from chalicelib.http.errors import ApiError
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply

PER: Final = 10  # pages per screen, each with its failed checks and where they failed
QUEUED: Final = {"queued": "The test is queued. Its result is here in about a minute."}


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "list_agentic", {"per": str(PER), **page.sent("strategy", "page")}


def show(page: Page, sent: "Sent | None" = None) -> Reply:
    found = page.ask(*data(page))
    return page.view("agentic.html", "Agentic browsing", **of_form(page, sent), found=found)


def act(page: Page, form: Form) -> Reply:
    sent = queued(page, form.text("url"), form.text("strategy"))
    return Redirect(page.here(**{DONE: "queued"})) if sent is None else show(page, sent)


class Sent(NamedTuple):
    """A requested test that the API refused. ``status``: the status of the API's answer. ``wrong``: the reason."""

    url: str
    strategy: str
    wrong: str
    status: int


def queued(page: Page, url: str, strategy: str) -> Sent | None:
    """Queue a test of a page. If the API refuses the test, return the request with the reason. Otherwise return
    None."""
    try:
        page.ask("start_run", body={"url": url, "strategy": strategy})
    except ApiError as error:
        if error.status not in (400, 409, 429):
            raise
        return Sent(url, strategy, error.message, 422 if error.status == 400 else error.status)
    return None


def of_form(page: Page, sent: Sent | None) -> dict[str, Any]:
    """Return the values with which the template shows the form."""
    return {
        "typed": sent,
        "wrong": None if sent is None else sent.wrong,
        "status": 200 if sent is None else sent.status,
        "done": QUEUED.get(page.query.get(DONE, "")),
    }


def running(page: Page, url: str | None = None) -> list[Any]:
    """Return the tests that have not ended. ``url``: only those of this page."""
    found = page.ask("list_agentic", {"per": 1})
    return [one for one in found.running if url is None or one.url == url]
