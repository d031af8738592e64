"""The issues of a website, with filters and the number of issues for each filter value."""

from typing import Any, Final

from chalicelib.web.page import Page
from chalicelib.web.replies import Reply

SHOWN: Final = 50
FILTERS: Final = ("status", "severity", "category", "template", "q")


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "list_issues", page.sent(*FILTERS)


def show(page: Page) -> Reply:
    found = page.ask(*data(page))
    issues: list[Any] = found.issues
    sent = page.query.get("offset", "")
    start = int(sent) if sent.isascii() and sent.isdigit() and len(sent) < 6 else 0
    templates = {} if found.counts is None else dict.fromkeys(page.sent("template").values(), 0) | found.counts.template
    return page.view(
        "issues.html",
        "Issues",
        found=found,
        shown=issues[start : start + SHOWN],
        start=start,
        per=SHOWN,
        templates=templates,
        filtered=bool(page.sent(*FILTERS)),
    )
