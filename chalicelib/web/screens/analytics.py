"""Conversions: the results of visits that began on each page, with the page's search figures."""

from typing import Final

from chalicelib.http.errors import ApiError
from chalicelib.web.page import Page
from chalicelib.web.replies import Reply

PER: Final = 50


def data(page: Page) -> tuple[str, dict[str, str]]:
    wanted = page.sent("start", "end", "channel", "sort", "order", "offset", "cursor")
    return "read_landing_pages", {"limit": str(PER), **wanted}


def show(page: Page) -> Reply:
    try:
        found = page.ask(*data(page))
    except ApiError as error:
        if not error.code.startswith("analytics_"):
            raise
        return page.view("analytics.html", "Conversions", found=None, error=error)
    return page.view("analytics.html", "Conversions", found=found, error=None, per=PER)
