"""Language versions in sitemaps count as those in pages and headers."""

import pytest

from tests.servers.wire import WireServer
from tests.workers.audit.rechecking import rechecked
from tests.workers.audit.websites import Site, audit, found, html, listed, new_website, status_of

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

HREFLANG, INVALID, SELF = "SEO-HRE-001", "SEO-HRE-003", "SEO-HRE-004"
NAMESPACES = "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:x='http://www.w3.org/1999/xhtml'"


def sitemap(server: WireServer, **languages: dict[str, str]) -> tuple[str, dict[str, str], str]:
    """A sitemap whose pages name these languages, each with a path."""
    entries = ""
    for name, versions in languages.items():
        links = "".join(
            f"<x:link rel='alternate' hreflang='{language}' href='{server.url(path)}'/>"
            for language, path in versions.items()
        )
        entries += f"<url><loc>{server.url('/' + name)}</loc>{links}</url>"
    return "200 OK", {"content_type": "application/xml"}, f"<urlset {NAMESPACES}>{entries}</urlset>"


def test_a_return_link_between_languages_may_stand_only_in_the_sitemap() -> None:
    head = '<link rel="alternate" hreflang="{}" href="{}">'
    pair = head.format("en", "/en") + head.format("de", "/de")
    site = Site({"/": html("Boats", "/en", "/de"), "/en": html("Boats", "/", head=pair), "/de": html("Boote", "/")})
    with WireServer(site) as server:
        website = new_website(server)
        site.pages["/sitemap.xml"] = sitemap(server, en={}, de={"de": "/de", "en": "/en"})
        audit(website)
        assert found(website, HREFLANG) == []
        site.pages["/sitemap.xml"] = sitemap(server, en={}, de={"de": "/de"})
        audit(website)
        assert found(website, HREFLANG) == ["/en"]


def test_language_versions_that_only_the_sitemap_names_are_read_and_judged() -> None:
    site = Site({"/": html("Boats"), "/en": html("Boats"), "/de": html("Boote")})
    with WireServer(site) as server:
        website = new_website(server)
        site.pages["/sitemap.xml"] = sitemap(server, en={"de-UK": "/de"})
        audit(website)
        assert "/de" in listed(website)
        assert found(website, INVALID) == found(website, SELF) == found(website, HREFLANG) == ["/en"]
        rechecked(website, INVALID)
        assert status_of(website, INVALID) == "open"
        site.pages["/sitemap.xml"] = sitemap(server, en={"de": "/de"})
        rechecked(website, INVALID)
        assert status_of(website, INVALID) == "resolved"
