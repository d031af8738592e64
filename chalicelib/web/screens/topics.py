"""Topics of a website: their strength, how many clicks they lack to be strong, and pages that search does not show."""

from typing import Final

from chalicelib.http.errors import ApiError
from chalicelib.web.charts import Point
from chalicelib.web.page import Page
from chalicelib.web.replies import Reply

PER: Final = 25
BARS: Final = 12
LONGEST: Final = 80  # characters of a name next to its bar
PAGES: Final = 5  # pages of a topic
UNCOVERED: Final = 50


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "list_topics", {"limit": str(PER), **page.sent("start", "end", "sort", "minPages", "offset")}


def show(page: Page) -> Reply:
    try:
        found = page.ask(*data(page))
    except ApiError as error:
        if error.code != "search_not_connected":
            raise
        return page.view("topics.html", "Topics", connected=False)
    bars = [Point(one.name[:LONGEST], one.clicks) for one in found.topics[:BARS]]
    sizes = {"per": PER, "pages": PAGES, "most": UNCOVERED}
    return page.view("topics.html", "Topics", connected=True, found=found, bars=bars, **sizes)
