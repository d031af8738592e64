"""The portfolio: every website of the workspace that the person may see."""

from typing import Final

from msgspec import UNSET

from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Reply

_DONE: Final = {"removed": "The website is removed. Its stored data is being deleted."}


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "read_portfolio", page.sent("q", "state", "sort", "cursor", "page", "per")


def show(page: Page) -> Reply:
    found = page.ask(*data(page))
    return page.view(
        "portfolio.html",
        page.who.member.workspace_name,
        portfolio=found,
        searched=any(one.search is not UNSET and one.search.connected for one in found.websites),
        done=_DONE.get(page.query.get(DONE, "")),
    )
