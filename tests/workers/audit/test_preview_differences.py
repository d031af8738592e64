"""The difference of a preview and the website's audits: what would change if the preview became the website."""

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.domain.audit.difference import IssueDifference
from chalicelib.operations import preview_differences
from chalicelib.operations.comparisons import Compared
from chalicelib.operations.errors import Refused
from chalicelib.store.previews import Stored
from chalicelib.store.websites import Website
from tests.servers.wire import WireServer
from tests.workers.audit import previewing
from tests.workers.audit.websites import Site, audit, html, new_website

pytestmark = pytest.mark.usefixtures("audits_of_loopback")


def pages() -> dict[str, Any]:
    return {
        "/": html("The home page of a small shop", "/a", "/b"),
        "/a": html("Everything there is to know about boots", "/"),
        "/b": html("Everything there is to know about tents", "/"),
    }


@pytest.fixture
def live() -> Iterator[tuple[Site, WireServer]]:
    site = Site(pages())
    with WireServer(site) as server:
        yield site, server


def previewed(website: Website, changed: dict[str, Any], **asked: Any) -> Stored:
    """A preview that differs from ``pages`` in these; None: the page is gone."""
    site = Site({path: page for path, page in {**pages(), **changed}.items() if page is not None})
    with WireServer(site) as server:
        return previewing.work(previewing.start(website, server.url(), **asked))


def compare(found: Stored, against: str | None = None) -> Compared:
    return preview_differences.compare(found.header.site_id, found, against, with_pages=True)


def by_rule(compared: Compared) -> dict[str, IssueDifference]:
    return {one.rule_id: one for one in compared.difference.issues}


def test_changes_of_a_preview_are_listed_by_the_addresses_of_the_website(live: tuple[Site, WireServer]) -> None:
    site, server = live
    site.pages["/a"] = html(None, "/")
    website = new_website(server)
    first = audit(website)
    home = html("The home page of a small shop", "/a", "/new")
    boots, lamps = (html(f"Everything there is to know about {name}", "/") for name in ("boots", "lamps"))
    found = previewed(website, {"/": home, "/a": boots, "/b": None, "/new": lamps})
    compared = compare(found)
    assert (compared.base.id, compared.head.id) == (first.id, found.header.id)
    assert by_rule(compared)["SEO-ONP-001"].change == "resolved"
    moved = compared.difference.pages
    assert moved is not None
    assert [page.url for page in moved.appeared.pages] == [server.url("/new")]
    assert [page.url for page in moved.left.pages] == [server.url("/b")]
    assert [(one.page.url, one.fields[0].field) for one in moved.changed] == [(server.url("/a"), "title")]
    assert compared.difference.robots_changed is False
    site.pages["/a"] = boots
    audit(website)
    assert "SEO-ONP-001" not in by_rule(compare(found)), "the last audit has no such issue either"
    assert by_rule(compare(found, first.id))["SEO-ONP-001"].change == "resolved"


def test_an_unchanged_preview_has_no_difference(live: tuple[Site, WireServer]) -> None:
    site, server = live
    site.pages["/b"] = html(None, "/")
    website = new_website(server)
    audit(website)
    found = compare(previewed(website, {"/b": html(None, "/")})).difference
    assert found.issues == () and found.crawlers == () and found.robots_changed is False
    assert found.pages is not None
    assert (found.pages.appeared.count, found.pages.left.count, found.pages.changed_count) == (0, 0, 0)


def test_pages_not_reached_by_the_preview_have_no_difference(live: tuple[Site, WireServer]) -> None:
    site, server = live
    site.pages["/b"] = html(None, "/")
    website = new_website(server)
    audit(website)
    found = previewed(website, {"/": html("Another title for the home page", "/a", "/b")}, page_budget=1)
    assert found.header.partial_reason == "page_budget"
    compared = compare(found)
    moved = compared.difference.pages
    assert moved is not None and (moved.appeared.count, moved.left.count) == (0, 0)
    assert [one.page.url for one in moved.changed] == [server.url("/")]
    assert "SEO-ONP-001" not in by_rule(compared), "nobody looked at that page"


def test_robots_rules_are_not_compared_if_the_preview_ignores_them(live: tuple[Site, WireServer]) -> None:
    site, server = live
    site.pages["/b"] = html(
        "Everything there is to know about tents", "/", head='<meta name="robots" content="noindex">'
    )
    website = new_website(server)
    audit(website)
    closed = ("200 OK", {"content_type": "text/plain"}, "User-agent: *\nDisallow: /\n")
    found = compare(previewed(website, {"/robots.txt": closed, "/b": site.pages["/b"]}, ignores_robots=True)).difference
    assert (found.robots_changed, found.crawlers) == (None, None)
    assert found.pages is not None and found.pages.changed_count == 0
    obeyed = compare(previewed(website, {"/robots.txt": closed}))
    assert obeyed.difference.robots_changed is True
    assert obeyed.difference.pages is not None and obeyed.difference.pages.left.count == 0


def test_comparing_needs_both_an_audit_and_a_preview(live: tuple[Site, WireServer]) -> None:
    _, server = live
    website = new_website(server)
    found = previewed(website, {})
    with pytest.raises(Refused, match="No audit of the website is stored"):
        compare(found)
    audit(website)
    with pytest.raises(Refused, match="has no audit prev_"):
        compare(found, found.header.id)
    failed = previewed(website, dict.fromkeys(pages()))
    assert failed.header.status == "failed"
    with pytest.raises(Refused, match="No results of the preview are stored"):
        compare(failed)
