"""The actions of a website, by priority. Actions that one change fixes are grouped."""

from typing import Any, Final

from chalicelib.web.page import Page
from chalicelib.web.replies import Reply

SHOWN: Final = 50


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "list_actions", {"limit": str(SHOWN)} | page.sent("offset")


def show(page: Page) -> Reply:
    found = page.ask(*data(page))
    return page.view("actions.html", "Actions", found=found, groups=grouped(found.actions), per=SHOWN)


def grouped(actions: list[Any]) -> list[list[Any]]:
    """Return the actions in groups. Actions that share a cause form one group, at the position of the first of these
    actions."""
    groups: dict[Any, list[Any]] = {}
    for one in actions:
        key = one.issue_id if one.cause is None else (one.cause.kind, one.cause.key)
        groups.setdefault(key, []).append(one)
    return list(groups.values())
