"""Addresses of a website that are not pages."""

from typing import Any

import pytest

from chalicelib.store.websites import Website
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.websites import Site, audit, found, html, listed, new_website

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

WORDS = (
    "<p>" + "Some words about a boat, how it is built, and what it costs to keep it for a whole winter. " * 8 + "</p>"
)


def audited(pages: dict[str, Any]) -> tuple[Website, Site]:
    site = Site(pages)
    with WireServer(site) as server:
        website = new_website(server)
        assert audit(website).status == "done"
    return website, site


def test_technical_addresses_are_not_requested_or_reported_as_broken() -> None:
    links = ("/cdn-cgi/l/email-protection#4b2a", "/.well-known/change-password", "/wp-json/", "/_next/data/1.json")
    website, site = audited({"/": html("Boats", "/a", *links), "/a": html("More boats", "/", *links, body=WORDS)})
    assert listed(website) == ["/", "/a"]
    assert not [path for path in site.asked if path.startswith(("/cdn-cgi", "/.well", "/wp-json", "/_next"))]
    for rule_id in ("SEO-LNK-001", "SEO-TEC-004"):
        assert found(website, rule_id) == []


def test_addresses_with_a_session_id_in_their_path_are_not_followed() -> None:
    pages = {"/": html("Boats", "/a;jsessionid=1", "/(S(lit3py55t21z5v55vlm25s55))/b", "/c")}
    _, site = audited({**pages, "/c": html("More boats", "/", body=WORDS)})
    assert "/c" in site.asked and not [path for path in site.asked if "session" in path or "(S(" in path]


def test_if_a_redirect_loop_waits_for_a_cookie_the_finding_names_the_cookie() -> None:
    wall = ("302 Found", {"location": "/prices", "set_cookie": "visited=secret-value; Path=/"}, "")
    website, site = audited({"/": html("Boats", "/prices"), "/prices": wall})
    assert found(website, "SEO-TEC-023") == ["/prices"]
    assert site.asked.count("/prices") <= 4


def test_a_missing_address_that_shows_the_home_page_is_a_soft_404() -> None:
    home = html("All about boats at the harbour", "/gone", "/home", "/?lang=en", "/a", body=WORDS)

    class Shop(Site):
        def __call__(self, connection: Connection) -> None:
            self.pages.setdefault(connection.path, home)
            super().__call__(connection)

    site = Shop({"/": home, "/a": html("A boat", "/", body=WORDS + "<p>More of it.</p>")})
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
    assert found(website, "SEO-TEC-005") == ["/gone"]
