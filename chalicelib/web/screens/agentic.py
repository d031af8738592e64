"""Agentic browsing: what a program that uses the website's pages can and cannot do, by check and by page."""

from typing import Final

from chalicelib.web.page import Page
from chalicelib.web.replies import Reply

PER: Final = 10  # each with what fails and where


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "list_agentic", {"per": str(PER), **page.sent("strategy", "page")}


def show(page: Page) -> Reply:
    return page.view("agentic.html", "Agentic browsing", found=page.ask(*data(page)))
