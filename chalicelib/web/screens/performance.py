"""Speed of a website: measurements in the lab and by real visitors' browsers, by page and device."""

from typing import Final

from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply
from chalicelib.web.screens.agentic import Sent, of_form, queued, running

PER: Final = 50
# The greatest value that is good, and the least that is poor.
BOUNDS: Final = {"lcp_ms": (2_500, 4_000), "inp_ms": (200, 500), "cls": (0.1, 0.25)}


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "read_performance", page.sent("offset")


def show(page: Page, sent: Sent | None = None) -> Reply:
    operation, sent_on = data(page)
    found = page.ask(operation, {**sent_on, "limit": PER})
    return page.view(
        "performance.html",
        "Speed",
        **of_form(page, sent),
        running=running(page),
        found=found,
        per=PER,
        bounds=BOUNDS,
    )


def act(page: Page, form: Form) -> Reply:
    sent = queued(page, form.text("url"), form.text("strategy"))
    return Redirect(page.here(**{DONE: "queued"})) if sent is None else show(page, sent)
