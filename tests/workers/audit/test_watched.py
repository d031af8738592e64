"""Events of audits and alerts about watched pages and crawlers: one for each change, whichever sees it first."""

from typing import Any

import pytest

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.watched import MOST_CHOSEN
from chalicelib.domain.webhooks import bodies
from chalicelib.operations import websites
from chalicelib.operations.errors import Refused
from tests import webhooks
from tests.servers.wire import WireServer
from tests.workers.audit import alerting
from tests.workers.audit.test_unread import robots
from tests.workers.audit.websites import Site, audit, html, new_website

pytestmark = pytest.mark.usefixtures("audits_of_loopback")


def told(kind: str) -> list[dict[str, Any]]:
    """The bodies of a kind's events, oldest first."""
    return [event.fields for event in sorted(webhooks.pending(), key=lambda one: one.at) if event.kind == kind]


def small_site() -> Site:
    return Site(
        {
            "/": html("The home page of a small shop", "/a", "/b"),
            "/a": html("Everything there is to know about /a", "/"),
            "/b": html("Everything there is to know about /b", "/"),
            "/robots.txt": robots("User-agent: *\nAllow: /\n"),
        }
    )


def test_changes_of_watched_pages_send_one_event() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        websites.watch(OPERATOR, website.id, server.url("/a"))
        audit(website)
        assert told("page.changed") == [], "the first audit compares with nothing"
        site.pages["/"] = html(
            "Another name for the home page", "/a", "/b", head='<meta name=robots content="noindex">'
        )
        site.pages["/a"] = ("404 Not Found", {}, b"")
        site.pages["/b"] = html("Nobody watches this title", "/")
        second = audit(website)
        audit(website)
        home, a = server.url("/"), server.url("/a")
    (event,) = told("page.changed")
    assert event == {
        "crawlId": second.id,
        "pages": [
            {
                "url": home,
                "field": "title",
                "from": "The home page of a small shop",
                "to": "Another name for the home page",
            },
            {"url": home, "field": "robots", "from": None, "to": "noindex"},
            {"url": a, "field": "status", "from": 200, "to": 404},
        ],
    }
    (whole,) = [one for one in webhooks.pending() if one.kind == "page.changed"]
    assert whole.link == f"/app/sites/{website.id}/pages" and bodies.build(whole, "dlv_1")


def test_the_next_audit_does_not_report_a_change_that_an_alert_has_reported() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        site.pages["/"] = html("Another name for the home page", "/a", "/b")
        site.pages["/a"] = html("Nobody watches this title", "/")
        header = alerting.alerted(website, server, "/", "/a")
        (event,) = told("page.changed")
        assert event["crawlId"] == header.id and [one["field"] for one in event["pages"]] == ["title"]
        audit(website)
        assert len(told("page.changed")) == 1
        assert told("crawlers.changed") == []


def test_no_page_is_reported_as_changed_if_the_website_blocks_the_crawler() -> None:
    site = Site({f"/{number}": html(f"Page number {number} of many", "/") for number in range(12)})
    site.pages["/"] = html("The home page of a website", *site.pages)
    kept = dict(site.pages)
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        site.pages.update({path: ("403 Forbidden", {"content-type": "text/html"}, b"<h1>No</h1>") for path in kept})
        audit(website)
        assert told("page.changed") == []
        site.pages.update(kept)
        audit(website)
        assert told("page.changed") == [], "and it has not changed when it lets the crawler in again"


def test_blocking_and_allowing_a_crawler_each_send_an_event() -> None:
    site = small_site()
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        site.pages["/robots.txt"] = robots("User-agent: GPTBot\nDisallow: /\n")
        blocked = audit(website)
        audit(website)
        site.pages["/robots.txt"] = ("503 Service Unavailable", {}, b"")
        audit(website)
        site.pages["/robots.txt"] = robots("User-agent: *\nAllow: /\n")
        audit(website)
    first, second = told("crawlers.changed")
    assert first["crawlId"] == blocked.id
    assert first["crawlers"] == [{"bot": "GPTBot", "from": "allowed", "to": "blocked", "rule": "Disallow: /"}]
    assert [(one["bot"], one["from"], one["to"]) for one in second["crawlers"]] == [("GPTBot", "blocked", "allowed")]


def test_only_a_limited_number_of_pages_of_the_website_can_be_watched() -> None:
    with WireServer(small_site()) as server:
        website = new_website(server)
        for bad, code in ((f"https://other.example/{1}", "other_host"), ("ftp://x", "bad_url")):
            with pytest.raises(Refused) as refused:
                websites.watch(OPERATOR, website.id, bad)
            assert refused.value.code == code
        for number in range(MOST_CHOSEN):
            after = websites.watch(OPERATOR, website.id, server.url(f"/{number}"))
        assert websites.watch(OPERATOR, website.id, server.url("/3")).watched_pages == after.watched_pages
        with pytest.raises(Refused) as refused:
            websites.watch(OPERATOR, website.id, server.url(f"/{MOST_CHOSEN}"))
        assert refused.value.code == "too_many_pages"
        for number in range(MOST_CHOSEN):
            after = websites.unwatch(OPERATOR, website.id, server.url(f"/{number}"))
        assert after.watched_pages is None
