"""Websites whose answers have no type, the wrong one, or one header several times: read as browsers and search crawlers
read them."""

import json

import pytest

from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.page.facts import PageFacts
from chalicelib.store import crawls, pages
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.websites import Site, audit, found, html, listed, new_website

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

WORDS = (
    "<p>" + "Some words about a boat, how it is built, and what it costs to keep it for a whole winter. " * 8 + "</p>"
)


def sent(*headers: str, body: str = "", status: str = "200 OK") -> object:
    """An answer with these lines as its headers, in this order."""

    def answer(connection: Connection) -> None:
        data = body.encode()
        head = "\r\n".join([f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(data)}"])
        connection.send(head.encode("latin-1") + b"\r\n\r\n" + (b"" if connection.method == "HEAD" else data))
        connection.keep_alive = True

    return answer


def audited(**answers: object) -> Website:
    """A website whose home page links all these pages, and its audit."""
    links = [f"/{name}" for name in answers]
    with WireServer(Site({"/": html("All about boats", *links)} | {f"/{k}": v for k, v in answers.items()})) as server:
        website = new_website(server)
        assert audit(website).status == "done"
        return website


def rows_of(website: Website) -> list[PageRow]:
    current = stored.get(website.workspace_id, website.id)
    assert current is not None and current.current_crawl is not None
    return pages.load_list(website.id, current.current_crawl)


def facts_of(website: Website, path: str) -> PageFacts:
    current = stored.get(website.workspace_id, website.id)
    assert current is not None and current.current_crawl is not None
    read = [facts for _, block in crawls.load_facts(current.current_crawl) for facts in block]
    return next(facts for facts in read if facts.url.endswith(path))


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["Content-Type: html"],
        ["Content-Type: unknown/unknown"],
        ["Content-Type: text/html; charset=utf-8", "Content-Type: text/html"],
        ["Content-Type: text/plain", "Content-Type: text/html"],
        ["Content-Type: text/html", "Content-Type: */*"],
        ["CONTENT-TYPE: TEXT/HTML;;charset=UTF-8;"],
    ],
    ids=json.dumps,
)
def test_a_page_is_read_whatever_its_content_type_header_says(lines: list[str]) -> None:
    website = audited(boat=sent(*lines, body=html("A small böat", "/sails", body=WORDS)), sails=html("Sails"))
    assert facts_of(website, "/boat").title == "A small böat"
    assert "/sails" in listed(website)


@pytest.mark.parametrize(
    "lines",
    [
        ["Content-Type: text/plain"],
        ["Content-Type: text/html", "Content-Type: text/plain"],
        ["X-Content-Type-Options: nosniff"],
        ["Content-Type: application/octet-stream"],
    ],
    ids=json.dumps,
)
def test_files_that_browsers_show_as_text_or_download_are_not_pages(lines: list[str]) -> None:
    website = audited(boat=sent(*lines, body=html("A small boat", "/sails", body=WORDS)))
    assert facts_of(website, "/boat").title is None
    assert found(website, "SEO-ONP-001") == []


def test_a_noindex_in_a_separate_header_applies_to_every_crawler() -> None:
    boat = html("A small boat", "/", body=WORDS)
    together = ["X-Robots-Tag: bingbot: nofollow, noindex"]
    apart = ["X-Robots-Tag: bingbot: nofollow", "X-Robots-Tag: noindex"]
    for lines, indexable in ((together, True), (apart, False)):
        website = audited(boat=sent("Content-Type: text/html", *lines, body=boat))
        row = next(row for row in rows_of(website) if row.url.endswith("/boat"))
        assert row.indexable == indexable


def test_the_last_valid_location_header_counts() -> None:
    lines = ["Location: /old", "Location: /sails", "Location: http://:0/"]
    website = audited(boat=sent(*lines, status="301 Moved Permanently"), sails=html("Sails", "/", body=WORDS))
    assert facts_of(website, "/boat").redirect_to == facts_of(website, "/sails").url


@pytest.mark.parametrize("body", ["", html("Nobody reads this", body=WORDS)], ids=["empty", "with text"])
def test_a_refresh_header_redirects_like_a_refresh_element(body: str) -> None:
    boat = sent("Content-Type: text/html", "Refresh: nonsense", "Refresh: 0; url=/sails", body=body)
    website = audited(boat=boat, sails=html("Sails", "/", body=WORDS))
    assert facts_of(website, "/boat").forwards
    assert "/sails" in listed(website)
    for rule_id in ("SEO-ONP-001", "SEO-ONP-010", "SEO-ONP-019", "SEO-CON-002", "SEO-ONP-018"):
        assert "/boat" not in found(website, rule_id)


def test_a_delayed_or_invalid_refresh_header_is_not_a_redirect() -> None:
    boat = html(None, "/", body=WORDS)
    for line in ("Refresh: 5; url=/sails", "Refresh: 0", "Refresh: 0; url=/boat", "Refresh: 0; url=javascript:1"):
        website = audited(boat=sent("Content-Type: text/html", line, body=boat), sails=html("Sails", "/", body=WORDS))
        assert not facts_of(website, "/boat").forwards
        assert found(website, "SEO-ONP-001") == ["/boat"]
