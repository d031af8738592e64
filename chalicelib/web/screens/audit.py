"""One audit: its progress, its outcome, and the changes since the previous audit or any other audit."""

from datetime import datetime
from typing import Final

from chalicelib.http.errors import ApiError
from chalicelib.operations import audits
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply
from chalicelib.web.screens.audits import PARTIAL

CHOICES: Final = 25  # audits that this one can be compared with
DIFFERENCE: Final = "difference"
_DONE: Final = {
    "started": "The audit is queued. It begins as soon as a worker is free.",
    "cancelled": "The audit was asked to stop. The pages that it has read are kept.",
}
FIELDS: Final = {
    "status": "Status",
    "title": "Title",
    "description": "Description",
    "canonical": "Canonical",
    "indexable": "Indexable",
    "words": "Words",
}


def data(page: Page) -> tuple[str, dict[str, str]]:
    if page.query.get("of") == DIFFERENCE:
        return "compare_audits", page.sent("against")
    return "read_audit", {}


def show(page: Page) -> Reply:
    found = page.ask("read_audit")
    ended = found.status not in ("queued", "running")
    asked = {"others": lambda: page.ask("list_audits", {"limit": CHOICES})}
    if ended and found.kind == "audit":
        asked["difference"] = lambda: page.ask("compare_audits", page.sent("against"))
    parts = page.parts(**asked)
    return page.view(
        "audit.html",
        "Audit" if found.kind == "audit" else "Recheck",
        found=found,
        ended=ended,
        parts=parts,
        others={
            one.id: f"{datetime.fromisoformat(one.finished_at):%-d %b %Y %H:%M} UTC"
            for one in (parts["others"].value.audits if parts["others"].ready else ())
            if one.status == "done" and one.id != found.id
        },
        partial=PARTIAL,
        fields=FIELDS,
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    found = page.ask("read_audit")
    if found.kind != "audit":
        raise ApiError("not_found", "There is no such audit of this website.")
    audits.cancel(page.path["siteId"], found.id, now=page.now)
    return Redirect(page.site_url("audits", found.id, **{DONE: "cancelled"}))
