"""The batches of approved changes of a website, newest first."""

from typing import Final

from chalicelib.web.page import Page
from chalicelib.web.replies import Reply

FIELDS: Final = {
    "title": "Titles",
    "meta_description": "Meta descriptions",
    "canonical": "Canonical addresses",
    "noindex": "Noindex",
    "alt": "Text alternatives",
    "llms_txt": "llms.txt",
    "ai_crawlers": "AI crawler rules",
}
STATES: Final = {
    "applied": "live",
    "not_live": "written, not live",
    "failed": "failed",
    "refused": "refused",
    "reverted": "taken back",
    "applying": "being written",
    "approved": "waiting",
}


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "list_changes", page.sent("limit", "cursor")


def show(page: Page) -> Reply:
    return page.view("changes.html", "Changes", found=page.ask(*data(page)), fields=FIELDS, states=STATES)
