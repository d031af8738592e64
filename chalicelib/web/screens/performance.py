"""Speed of a website: what the lab measured beside what real visitors saw, by page and device."""

from typing import Final

from chalicelib.web.page import Page
from chalicelib.web.replies import Reply

PER: Final = 50
# Up to which a value is good, and from which it is poor.
BOUNDS: Final = {"lcp_ms": (2_500, 4_000), "inp_ms": (200, 500), "cls": (0.1, 0.25)}


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "read_performance", page.sent("offset")


def show(page: Page) -> Reply:
    found = page.ask(*data(page))
    listed = found.pages[:PER]
    after = found.offset + PER if len(found.pages) > PER else found.next_offset
    return page.view("performance.html", "Speed", found=found, listed=listed, after=after, per=PER, bounds=BOUNDS)
