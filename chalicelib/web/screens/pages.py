"""The pages of a website, with filters, and with counts by status and by depth."""

from collections.abc import Mapping
from typing import Final

from chalicelib.web.charts import Point
from chalicelib.web.page import Page
from chalicelib.web.replies import Reply

_CLASSES: Final = {
    "1xx": "1xx informs",
    "2xx": "2xx answers",
    "3xx": "3xx redirects",
    "4xx": "4xx missing",
    "5xx": "5xx server error",
    "unread": "Not read",
}
_DEEPEST: Final = 8  # from this depth on, pages share one bar


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "list_pages", page.sent("q", "status", "template", "indexable", "rule", "depth", "page", "per", "offset")


def show(page: Page) -> Reply:
    found = page.ask(*data(page))
    return page.view(
        "pages.html",
        "Pages",
        found=found,
        statuses=[] if found.counts is None else _by_status(found.counts.status),
        depths=[] if found.counts is None else _by_depth(found.counts.depth),
        classes={token: label for token, label in _CLASSES.items() if token[0] in "2345"},
        rules=_rules(),
    )


def _rules() -> dict[str, str]:
    """Return the rules about pages. The registry imports every rule, so only this screen loads it."""
    from chalicelib.rules import registry

    return {rule.id: rule.title for rule in registry.RULES if rule.scope == "page"}


def _by_status(counts: Mapping[str, int]) -> list[Point]:
    """Return a bar for each class of status that has pages."""
    return [Point(_CLASSES.get(token, token), count) for token, count in counts.items() if count]


def _by_depth(counts: Mapping[str, int]) -> list[Point]:
    """Return a bar for each number of clicks from the home page. The deepest pages share one bar."""
    levels = sorted((int(level), count) for level, count in counts.items() if level != "unlinked")
    points = [Point(_clicks(level), count) for level, count in levels if level < _DEEPEST]
    deep = sum(count for level, count in levels if level >= _DEEPEST)
    if deep:
        points.append(Point(f"{_DEEPEST} clicks and more", deep))
    if counts.get("unlinked"):
        points.append(Point("No links lead there", counts["unlinked"]))
    return points


def _clicks(level: int) -> str:
    return "Home page" if level == 0 else "1 click" if level == 1 else f"{level} clicks"
