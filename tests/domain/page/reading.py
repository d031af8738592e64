"""Reads a page for the tests of the extractors."""

from collections.abc import Mapping

from chalicelib.domain.crawl.urls import LinkResolver, host_key
from chalicelib.domain.page import markup_bombs
from chalicelib.domain.page.extract import read_page
from chalicelib.domain.page.facts import PageFacts

URL = "https://demo.test/shop/page"


def read(html: str, *, url: str = URL, headers: Mapping[str, str] | None = None, **known: object) -> PageFacts:
    """The facts of ``html`` as the answer to ``url``; ``known`` are fields that the crawler fills."""
    facts = PageFacts(url=url, status=200, is_html=True, **known)  # type: ignore[arg-type]
    read_page(facts, html, headers=headers or {}, host=host_key(url), resolver=LinkResolver(url))
    return facts


def page(head: str = "", body: str = "") -> str:
    return f"<!doctype html><html lang=en><head>{head}</head><body>{body}</body></html>"


def tame(html: str) -> str:
    return markup_bombs.tame(html, html.encode())
